# The conformance suite for adapters elsewhere: find_package(prescope COMPONENTS conformance).
find_dependency(GTest)
include(GoogleTest)

# Compiled once for all adapters of a project, in one piece, because each file alone would read the
# headers of GoogleTest anew. An object library, so that every test is linked although nothing
# refers to it by name.
if(NOT TARGET prescope_conformance)
  file(GLOB prescope_suite_sources "${prescope_suite}/conformance/*.cc"
    "${prescope_suite}/support/*.cc")
  add_library(prescope_conformance OBJECT EXCLUDE_FROM_ALL ${prescope_suite_sources})
  add_library(prescope::conformance ALIAS prescope_conformance)
  set_target_properties(prescope_conformance PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  target_include_directories(prescope_conformance PUBLIC "${prescope_suite}")
  target_link_libraries(prescope_conformance PUBLIC
    prescope::prescope GTest::gtest GTest::gmock GTest::gtest_main ${CMAKE_DL_LIBS})
  unset(prescope_suite_sources)
endif()

# prescope_add_conformance_test(name [ONE_PROCESS] SOURCES... [LINK...]): the suite and an adapter's
# own tests as one GoogleTest program, which ctest runs, in ONE_PROCESS if its tests share a server
# that takes long to start. SOURCES instantiate the suite (conformance/suite.h) with
# the adapter's subjects; LINK names the adapter.
function(prescope_add_conformance_test name)
  cmake_parse_arguments(SUITE "ONE_PROCESS" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${SUITE_SOURCES})
  target_link_libraries(${name} PRIVATE prescope::conformance ${SUITE_LINK})
  if(SUITE_ONE_PROCESS)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES LABELS conformance)
  else()
    gtest_discover_tests(${name} PROPERTIES LABELS conformance)
  endif()
endfunction()
