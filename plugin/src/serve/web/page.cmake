# Gives PRESCOPE_PAGE_SOURCE, the source that holds the page: made by npm and esbuild in the build
# folder, or one that says that there is none.
if(NOT PRESCOPE_BUILD_PAGE)
  set(PRESCOPE_PAGE_SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/src/serve/site/page_left_out.cc)
  return()
endif()

find_program(PRESCOPE_NODE NAMES node nodejs)
find_program(PRESCOPE_NPM npm)
if(NOT PRESCOPE_NODE OR NOT PRESCOPE_NPM)
  message(FATAL_ERROR "The page is built with node (18 or later) and npm, which are not there. "
    "Install them (Debian: apt-get install nodejs npm), or leave the page out with "
    "-DPRESCOPE_BUILD_PAGE=OFF.")
endif()

set(web ${CMAKE_CURRENT_LIST_DIR})
set(made ${CMAKE_CURRENT_BINARY_DIR}/web)
# Packages are installed in the build folder, exactly those of the lock file.
add_custom_command(OUTPUT ${made}/packages.stamp
  COMMAND ${CMAKE_COMMAND} -DNPM=${PRESCOPE_NPM} -DSOURCE=${web} -DTARGET=${made} -DOMIT=dev
    -P ${web}/npm_ci.cmake
  DEPENDS ${web}/package.json ${web}/package-lock.json ${web}/npm_ci.cmake
  COMMENT "Fetching what the page is built with" VERBATIM)

file(GLOB_RECURSE page_parts CONFIGURE_DEPENDS ${web}/*.ts ${web}/*.css)
add_custom_command(OUTPUT ${made}/embedded_page.cc ${made}/page.html ${made}/page_policy.txt
  COMMAND ${PRESCOPE_NODE} ${web}/build.mjs
  DEPENDS ${made}/packages.stamp ${page_parts} ${web}/page.html ${web}/build.mjs
  WORKING_DIRECTORY ${made}
  COMMENT "Building the page" VERBATIM)
set(PRESCOPE_PAGE_SOURCE ${made}/embedded_page.cc)
