# Finds the headers of the CUDA driver and of cuBLASLt, and sets
#   AMP_CUDA_INCLUDE_DIR  the folders that hold cuda.h and cublasLt.h (a list);
#                         empty when one is missing: no CUDA back end then.
# Both libraries are opened at run time, so nothing is linked.
#
# Looked for in AMP_CUDA_ROOT, the environment (AMP_CUDA_PATH, CUDA_PATH,
# CUDA_HOME, CUDA_ROOT), the wheels of VIRTUAL_ENV and of the .venv of the source
# tree that `./dev setup --cuda` fills from PyPI, and /usr/local/cuda: the places
# of the compiler and of scripts/cuda_toolkit.py. AMP_CUDA_PATH=none finds nothing.

set(AMP_CUDA_ROOT "" CACHE PATH "Prefix of a CUDA toolkit, if not found by itself")
option(AMP_RT_WITH_CUDA "Build the CUDA back end where its headers are found" ON)
get_filename_component(amp_cuda_venv "${CMAKE_CURRENT_LIST_DIR}/../../.venv" ABSOLUTE)

set(AMP_CUDA_INCLUDE_DIR "")
set(amp_cuda_missing "")
if(AMP_RT_WITH_CUDA AND NOT "$ENV{AMP_CUDA_PATH}" STREQUAL "none")
  set(amp_cuda_candidates "")
  foreach(prefix IN ITEMS "${AMP_CUDA_ROOT}" "$ENV{AMP_CUDA_PATH}"
      "$ENV{CUDA_PATH}" "$ENV{CUDA_HOME}" "$ENV{CUDA_ROOT}")
    if(prefix)
      list(APPEND amp_cuda_candidates "${prefix}/include"
        "${prefix}/targets/x86_64-linux/include")
    endif()
  endforeach()
  set(amp_cuda_wheels "")
  foreach(environment IN ITEMS "$ENV{VIRTUAL_ENV}" "${amp_cuda_venv}")
    if(environment)
      file(GLOB folders
        "${environment}/lib/python3*/site-packages/nvidia/*/include")
      list(APPEND amp_cuda_wheels ${folders})
    endif()
  endforeach()
  list(APPEND amp_cuda_candidates ${amp_cuda_wheels} "/usr/local/cuda/include"
    "/usr/local/cuda/targets/x86_64-linux/include")

  foreach(header IN ITEMS cuda.h cublasLt.h)
    find_path(amp_cuda_folder ${header} PATHS ${amp_cuda_candidates}
      NO_DEFAULT_PATH NO_CACHE)
    if(amp_cuda_folder)
      string(REGEX REPLACE "/$" "" amp_cuda_folder "${amp_cuda_folder}")
      list(APPEND AMP_CUDA_INCLUDE_DIR "${amp_cuda_folder}")
    else()
      list(APPEND amp_cuda_missing ${header})
    endif()
    unset(amp_cuda_folder)
  endforeach()
  list(REMOVE_DUPLICATES AMP_CUDA_INCLUDE_DIR)
endif()

if(NOT AMP_RT_WITH_CUDA OR "$ENV{AMP_CUDA_PATH}" STREQUAL "none")
  message(STATUS "CUDA back end: off, as asked")
elseif(amp_cuda_missing)
  set(AMP_CUDA_INCLUDE_DIR "")
  message(STATUS "CUDA back end: off, found no ${amp_cuda_missing} "
    "(./dev setup --cuda brings them, or set AMP_CUDA_ROOT)")
else()
  message(STATUS "CUDA back end: headers in ${AMP_CUDA_INCLUDE_DIR}")
endif()
