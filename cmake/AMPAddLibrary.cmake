# amp_add_library(<name> SRCS... DEPENDS <tablegen targets> LINK <amp libraries>
#                 MLIR <MLIR libraries> [NO_PCH])
#
# One MLIR-style library: links its MLIR dependencies through the dylib, reuses
# the precompiled header, and is never installed on its own. Everything a
# library of this project needs, so that no CMakeLists.txt can forget a part.
function(amp_add_library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "DEPENDS;LINK;MLIR" ${ARGN})
  add_mlir_library(${name} STATIC DISABLE_INSTALL EXCLUDE_FROM_LIBMLIR
    PARTIAL_SOURCES_INTENDED
    ${ARG_UNPARSED_ARGUMENTS}
    DEPENDS amp-headers ${ARG_DEPENDS}
    LINK_LIBS PUBLIC ${ARG_LINK})
  mlir_target_link_libraries(${name} PUBLIC ${ARG_MLIR})
  foreach(target ${name} obj.${name})
    if(TARGET ${target})
      set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
      if(NOT ARG_NO_PCH)
        amp_use_pch(${target})
      endif()
    endif()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY AMP_LIBRARIES ${name})
endfunction()

# amp_add_tool(<name> SRCS... LINK <amp libraries> MLIR <MLIR libraries>)
function(amp_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK;MLIR" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${name})
  add_dependencies(${name} amp-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  mlir_target_link_libraries(${name} PRIVATE ${ARG_MLIR})
  amp_use_pch(${name})
endfunction()

# Reuses the one precompiled header where the compiler profits from it (clang:
# 7 s for an LLVM/MLIR header set once instead of 6 s a file).
function(amp_use_pch target)
  if(AMP_USE_PCH)
    target_precompile_headers(${target} REUSE_FROM amp-pch)
  endif()
endfunction()
