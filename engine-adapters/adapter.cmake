# prescope_adapter(name EXPORT set REQUIRES packages DESCRIPTION text COMPONENT name): the adapter
# in this folder. Hosts link prescope::name, made of src. The program loads the module,
# src/module.cc, which it finds in the engine folder or by its path.
function(prescope_adapter name)
  cmake_parse_arguments(ADAPTER "" "EXPORT;REQUIRES;DESCRIPTION;COMPONENT" "" ${ARGN})
  string(REPLACE _ - dashed ${name})
  set(library prescope_${name})
  set(module prescope-engine-${dashed})

  file(GLOB sources CONFIGURE_DEPENDS src/*.cc)
  list(FILTER sources EXCLUDE REGEX "/module\\.cc$")
  add_library(${library} STATIC ${sources})
  add_library(prescope::${name} ALIAS ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${library} PUBLIC cxx_std_20)
  target_include_directories(${library}
    PUBLIC
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE src)
  target_link_libraries(${library}
    PUBLIC $<BUILD_INTERFACE:prescope_or_core> $<INSTALL_INTERFACE:prescope>
    PRIVATE $<BUILD_INTERFACE:prescope_warnings>)

  add_library(${module} MODULE src/module.cc)
  target_include_directories(${module} PRIVATE src)
  target_link_libraries(${module} PRIVATE ${library} prescope_warnings)
  set_target_properties(${module} PROPERTIES
    PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${PRESCOPE_ENGINE_DIR}
    BUILD_WITH_INSTALL_RPATH ON
    INSTALL_RPATH "$ORIGIN/../..")

  install(TARGETS ${library} EXPORT ${ADAPTER_EXPORT})
  install(TARGETS ${module}
    LIBRARY DESTINATION ${PRESCOPE_ENGINE_DIR} COMPONENT ${ADAPTER_COMPONENT})
  prescope_pkg_config(prescope-${dashed} ${library} "${ADAPTER_REQUIRES}" "${ADAPTER_DESCRIPTION}")
  install(DIRECTORY include/prescope TYPE INCLUDE)
  install(EXPORT ${ADAPTER_EXPORT} NAMESPACE prescope::
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/prescope)
endfunction()
