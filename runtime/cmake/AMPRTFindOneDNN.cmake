# Finds oneDNN 3.x built for the GNU OpenMP runtime and defines AMPRT::dnnl.
#
# Looked for in AMP_RT_DNNL_ROOT, the system, and the .venv of the source tree
# that `./dev setup` fills from PyPI. A system library is taken when it fits.

set(AMP_RT_DNNL_ROOT "" CACHE PATH "Prefix of oneDNN 3.x, if not found by itself")
get_filename_component(amp_rt_venv "${CMAKE_CURRENT_LIST_DIR}/../../.venv" ABSOLUTE)

# Whether the shared library takes its threads from libgomp.
function(amp_rt_uses_gomp library result)
  set(${result} TRUE PARENT_SCOPE)
  if(CMAKE_READELF)
    execute_process(COMMAND "${CMAKE_READELF}" -d "${library}"
      OUTPUT_VARIABLE needed ERROR_QUIET)
    if(NOT needed MATCHES "libgomp")
      set(${result} FALSE PARENT_SCOPE)
    endif()
  endif()
endfunction()

set(amp_rt_dnnl_seen "")
set(AMP_RT_DNNL_FOUND FALSE)
foreach(prefix IN ITEMS "${AMP_RT_DNNL_ROOT}" "/usr" "/usr/local" "${amp_rt_venv}")
  if(AMP_RT_DNNL_FOUND OR prefix STREQUAL "")
    continue()
  endif()
  find_path(amp_rt_dnnl_include oneapi/dnnl/dnnl_version.h
    PATHS "${prefix}/include" NO_DEFAULT_PATH NO_CACHE)
  find_library(amp_rt_dnnl_library dnnl
    PATHS "${prefix}/lib" "${prefix}/lib64" "${prefix}/lib/x86_64-linux-gnu"
    NO_DEFAULT_PATH NO_CACHE)
  if(amp_rt_dnnl_include AND amp_rt_dnnl_library)
    file(STRINGS "${amp_rt_dnnl_include}/oneapi/dnnl/dnnl_version.h"
      version_lines REGEX "define DNNL_VERSION_(MAJOR|MINOR|PATCH)")
    string(REGEX REPLACE "[^0-9;]" "" version_numbers "${version_lines}")
    string(REPLACE ";" "." version "${version_numbers}")
    amp_rt_uses_gomp("${amp_rt_dnnl_library}" uses_gomp)
    if(version MATCHES "^3\\." AND uses_gomp)
      set(AMP_RT_DNNL_FOUND TRUE)
      set(AMP_RT_DNNL_VERSION "${version}")
      set(AMP_RT_DNNL_LIBRARY "${amp_rt_dnnl_library}")
      set(AMP_RT_DNNL_INCLUDE "${amp_rt_dnnl_include}")
      get_filename_component(AMP_RT_DNNL_LIBRARY_DIR "${amp_rt_dnnl_library}" DIRECTORY)
    elseif(uses_gomp)
      string(APPEND amp_rt_dnnl_seen "\n  ${prefix} has version ${version}")
    else()
      string(APPEND amp_rt_dnnl_seen "\n  ${prefix} has ${version} without libgomp")
    endif()
  endif()
  unset(amp_rt_dnnl_include)
  unset(amp_rt_dnnl_library)
endforeach()

if(NOT AMP_RT_DNNL_FOUND)
  message(FATAL_ERROR "expects oneDNN 3.x built with libgomp, but found none"
    "${amp_rt_dnnl_seen}\nRun ./dev setup, which installs it into .venv, or set "
    "AMP_RT_DNNL_ROOT to its prefix")
endif()
message(STATUS "oneDNN ${AMP_RT_DNNL_VERSION}: ${AMP_RT_DNNL_LIBRARY}")

add_library(AMPRT::dnnl SHARED IMPORTED)
set_target_properties(AMPRT::dnnl PROPERTIES
  IMPORTED_LOCATION "${AMP_RT_DNNL_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${AMP_RT_DNNL_INCLUDE}")
