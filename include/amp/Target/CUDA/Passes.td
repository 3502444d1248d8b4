//===- Passes.td - From kernels to a GPU image -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_TARGET_CUDA_PASSES_TD
#define AMP_TARGET_CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

/// The option that both passes and the pipeline share.
def ArchOption : Option<"arch", "arch", "std::string", "\"sm_90\"",
  "Architectures, joined by '+': sm_80, sm_89, sm_90, sm_100 (default sm_90)">;

def LowerGPUKernelsPass : Pass<"amprt-lower-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Lowers kernels to NVVM, once for each architecture";
  let description = [{
    **Does.** Each `gpu.module @m` becomes one `gpu.module @m.<arch>` per
    architecture, in the NVVM and LLVM dialects, with its `#nvvm.target`.
    Kernels take bare pointers; functions of `math` that have no instruction
    become calls of libdevice.

    **Requires.** Kernels as `gpu.func` of `arith`, `math`, `vector`, `memref`,
    `scf` and `gpu` ops on static memrefs with the identity layout.

    **Guarantees.** That nothing but NVVM and LLVM is left in the modules, and
    that each is the same text for the same input, whatever the others are.

    **Example.**
    ```mlir
    gpu.module @kernels {
      gpu.func @zero(%p: memref<64xf32>) kernel { ... }
    }
    // becomes, with arch=sm_80+sm_90
    gpu.module @kernels.sm_80 [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx86">] {
      llvm.func @zero(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} { ... }
    }
    gpu.module @kernels.sm_90 [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx86">] { ... }
    ```
  }];
  let options = [ArchOption];
}

def AssembleKernelsPass : Pass<"amprt-assemble-kernels", "::mlir::ModuleOp"> {
  let summary = "Assembles the kernels of all architectures into one image";
  let description = [{
    **Does.** The modules `@m.<arch>` become one `gpu.binary @m` with a single
    object: LLVM bitcode with what it needs of libdevice, optimised; from that
    bitcode PTX by LLVM's NVPTX target; cubins by `ptxas`, run at the same time
    for all architectures, or by nvJitLink inside this process; a fatbin of the
    cubins and of the newest architecture's PTX, which is not compressed. With
    `assembler=driver` the object is that PTX alone, for the driver to assemble.

    Cubins are kept in `$AMP_CUDA_CACHE_DIR` (else `amp-mlir/cuda` in the
    user's cache folder), by the hash of the PTX, the architecture and the
    assembler's version. When `$AMP_CUDA_BITCODE_DIR` is set, the bitcode of
    each PTX is written there as `<key>.bc`, `key` being the first 32 hex digits
    of the SHA-256 of the PTX without comments and white space.

    **Requires.** The result of `-amprt-lower-gpu-kernels`. The toolkit is looked
    for in `cuda-path`, `$AMP_CUDA_PATH`, `$CUDA_PATH`, `$CUDA_HOME`,
    `$CUDA_ROOT`, wheels in `.venv`, the conventional folder and `PATH`;
    `AMP_CUDA_PATH=none` stands for no toolkit at all.

    **Guarantees.** That equal input gives equal bytes: no times, no paths.

    **Example.**
    ```mlir
    gpu.module @kernels.sm_80 [#nvvm.target<O = 3, chip = "sm_80", features = "+ptx86">] { ... }
    gpu.module @kernels.sm_90 [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx86">] { ... }
    // becomes
    gpu.binary @kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90", features = "+ptx86">,
        properties = {contents = "sm_80 cubin, sm_90 cubin, sm_90 ptx"}, "...">]
    ```
  }];
  let options = [
    ArchOption,
    Option<"cudaPath", "cuda-path", "std::string", "",
           "Root of the CUDA toolkit, looked in before all other places">,
    Option<"assembler", "assembler", "std::string", "\"auto\"",
           "ptxas, nvjitlink, driver (PTX only), or auto: the first of the two that is found">,
    Option<"dumpDir", "dump-dir", "std::string", "",
           "Folder for each architecture's bitcode, PTX and cubin">,
    Option<"report", "report", "std::string", "",
           "JSON file: registers, shared memory, spills, 16-byte accesses and conversions of each kernel">
  ];
}

#endif // AMP_TARGET_CUDA_PASSES_TD
