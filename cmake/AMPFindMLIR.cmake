# Finds LLVM/MLIR 22 and says what to do when another version, or none, is
# there. The version is pinned by major number: pass and dialect C++ APIs change
# with every release.
set(AMP_LLVM_MAJOR 22)
if(NOT MLIR_DIR AND EXISTS "/usr/lib/llvm-${AMP_LLVM_MAJOR}/lib/cmake/mlir")
  set(MLIR_DIR "/usr/lib/llvm-${AMP_LLVM_MAJOR}/lib/cmake/mlir")
endif()
set(MLIR_LINK_MLIR_DYLIB ON CACHE BOOL "Link against libMLIR.so")
find_package(MLIR QUIET CONFIG)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR "expects MLIR ${AMP_LLVM_MAJOR}, but found none. Run "
    "'./dev setup', or pass -DMLIR_DIR=<prefix>/lib/cmake/mlir")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL AMP_LLVM_MAJOR)
  message(FATAL_ERROR "expects LLVM/MLIR ${AMP_LLVM_MAJOR}, but got "
    "${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}. Run './dev setup', or pass "
    "-DMLIR_DIR=<prefix>/lib/cmake/mlir of version ${AMP_LLVM_MAJOR}")
endif()
# The packaged configuration names a bin/llvm-lit that is not shipped.
if(NOT LLVM_EXTERNAL_LIT)
  set(LLVM_EXTERNAL_LIT "${LLVM_TOOLS_BINARY_DIR}/lit" CACHE FILEPATH "lit")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
message(STATUS "LLVM/MLIR ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

# Applies LLVM's compile settings to the calling directory and below. A macro,
# because HandleLLVMOptions sets directory-scope variables.
macro(amp_apply_llvm_settings)
  set(LLVM_RUNTIME_OUTPUT_INTDIR "${CMAKE_BINARY_DIR}/bin")
  set(LLVM_LIBRARY_OUTPUT_INTDIR "${CMAKE_BINARY_DIR}/lib")
  set(MLIR_BINARY_DIR "${CMAKE_BINARY_DIR}")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang" AND NOT LLVM_USE_LINKER)
    set(LLVM_USE_LINKER lld)
  endif()
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  include(HandleLLVMOptions)
  include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  # LLVM_DEFINITIONS is one space-separated string.
  separate_arguments(_amp_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
  add_definitions(${_amp_llvm_definitions})
endmacro()
