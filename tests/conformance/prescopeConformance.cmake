# The conformance suite for adapters elsewhere: find_package(prescope COMPONENTS conformance).
find_dependency(GTest)
include(GoogleTest)

if(NOT TARGET prescope::conformance)
  file(GLOB prescope_suite_sources "${prescope_suite}/conformance/*.cc"
    "${prescope_suite}/support/*.cc")
  add_library(prescope::conformance INTERFACE IMPORTED)
  target_sources(prescope::conformance INTERFACE ${prescope_suite_sources})
  target_include_directories(prescope::conformance INTERFACE "${prescope_suite}")
  target_link_libraries(prescope::conformance INTERFACE
    prescope::prescope GTest::gtest GTest::gmock GTest::gtest_main ${CMAKE_DL_LIBS})
  unset(prescope_suite_sources)
endif()

# prescope_add_conformance_test(name SOURCES... [LINK...]): the suite and an adapter's own tests as
# one GoogleTest program, which ctest runs. SOURCES instantiate the suite (conformance/suite.h) with
# the adapter's subjects; LINK names the adapter.
function(prescope_add_conformance_test name)
  cmake_parse_arguments(SUITE "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${SUITE_SOURCES})
  target_link_libraries(${name} PRIVATE prescope::conformance ${SUITE_LINK})
  gtest_discover_tests(${name} PROPERTIES LABELS conformance)
endfunction()
