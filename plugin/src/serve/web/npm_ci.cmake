# Installs in TARGET the npm packages of the lock file in SOURCE, all or without those of OMIT; runs
# none of their scripts.
#
#   cmake -DNPM=... -DSOURCE=... -DTARGET=... [-DOMIT=dev] -P npm_ci.cmake
file(MAKE_DIRECTORY ${TARGET})
file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${TARGET})
if(OMIT)
  set(omit --omit=${OMIT})
endif()
execute_process(
  COMMAND ${NPM} ci ${omit} --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
  WORKING_DIRECTORY ${TARGET} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(failed)
  message(FATAL_ERROR "${said}\n`npm ci` failed (above) in ${TARGET}. It fetches the packages that "
    "${SOURCE}/package-lock.json names from the npm registry: is it reachable? Without a network, "
    "fill npm's cache on another machine, or configure with -DPRESCOPE_BUILD_PAGE=OFF.")
endif()
file(TOUCH ${TARGET}/packages.stamp)
