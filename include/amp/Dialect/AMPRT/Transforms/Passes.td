//===- Passes.td - Passes of the AMPRT dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_TD
#define AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CheckGemmsPass : Pass<"amprt-check-gemms"> {
  let summary = "Checks that every GEMM is legal on the target's architectures";
  let description = [{
    **Does.** Describes each `amprt.gemm` as it is described to the runtime, and asks
    the table of rules of cuBLASLt (docs/generated/GemmRules.md) whether each
    architecture executes it with the numerics it states. A GEMM that is refused is
    an error that names the rule, what was found and the remedy. The table is the
    one that the runtime asks, so what passes here is not refused there.

    **Requires.** GEMMs on static tensors or memrefs.

    **Guarantees.** Changes nothing. Afterwards every GEMM is legal on every
    architecture named.

    **Example.** With `arch=sm_80`:
    ```mlir
    // error: 'amprt.gemm' op rule L17 (documented) refuses e4m3fn x e4m3fn^T ...
    amprt.gemm ins(%a, %b : memref<64x32xf8E4M3FN>, memref<16x32xf8E4M3FN>)
        outs(%c : memref<64x16xbf16>) {transpose_rhs, numerics = #amp.numerics<accumulate = f32>}
    ```
  }];
  let options = [
    ListOption<"archs", "arch", "std::string",
               "Architectures that the program must run on, such as sm_80+sm_90">
  ];
}

def FormKernelsPass : Pass<"amprt-form-kernels"> {
  let summary = "Groups linalg ops into kernels";
  let description = [{
    **Does.** Fuses linalg ops that share an iteration domain into `amprt.kernel`, greedily
    in program order and in linear time, and gives each result of a function
    its place: a state that a kernel updates elementwise is that kernel's `outs`
    itself, rank-0 state is written by the last kernel, every other
    result is a value of its own. Cheap elementwise producers that several
    kernels read are computed in each of them instead of stored. Updates of state
    come after all readers of the old value.

    **Requires.** Functions of one block that hold static linalg ops, runtime calls,
    reshapes, contiguous slices and constants.

    **Guarantees.** The normal form of
    docs/contracts.md, section 5.

    **Example.**
    ```mlir
    %1 = linalg.generic {...} ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {...} -> tensor<4xf32>
    %2 = linalg.generic {...} ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) {...} -> tensor<4xf32>
    // becomes
    %2 = amprt.kernel <elementwise> ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%in: tensor<4xf32>, %out: tensor<4xf32>):
      %3 = tensor.empty() : tensor<4xf32>
      %4 = linalg.generic {...} ins(%in : tensor<4xf32>) outs(%3 : tensor<4xf32>) {...} -> tensor<4xf32>
      %5 = linalg.generic {...} ins(%4 : tensor<4xf32>) outs(%out : tensor<4xf32>) {...} -> tensor<4xf32>
      amprt.yield %5 : tensor<4xf32>
    } -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def PlanMemoryPass : Pass<"amprt-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Gives every tensor of a step a place in memory";
  let description = [{
    **Does.** Rewrites functions of kernels on tensors into functions of kernels on
    memrefs. Each tensor gets a place: a donated state argument, a result
    out-parameter, an offset in the function's one arena, or a constant global.

    One-shot-bufferize is not used, on purpose. The input is straight-line code
    whose aliasing is known, and what is wanted is a guarantee: one-shot-
    bufferize answers a dozen innocent shapes of a step with a silent copy of
    the state, reuses no dead buffer, frees none, and costs more than linear
    time. Here what cannot be done in place is an error that names the reader.

    **Requires.** The `kernels` normal form: static shapes, one block of
    `amprt.gemm`, `amprt.kernel`, `amprt.concat`, `tensor.empty`, reshapes,
    contiguous `tensor.extract_slice`, constants. Result i of a function is
    donated to argument i when the argument is `bufferization.writable` (the
    functions of kind `count` and `forward` return no state).

    **Guarantees.** No allocation and no `memref.copy`. Ops are ordered such
    that every reader of a state's old value precedes its writer and every
    fallible op precedes `amprt.commit`, which precedes the first write of
    state (the gradient buffer apart: see the commit rule). Pieces of
    `amprt.concat` are written by their producers; a copy is an
    `amprt.kernel`, and only where one value is needed in two places. Dead arena
    memory is reused (best fit, 64-byte aligned, n log n, deterministic). The
    attributes `amprt.arena_bytes` and `amprt.peak_bytes` (what is live at
    once at most) are on the function; state arguments carry `amprt.state`,
    out-parameters `amprt.result`, both with the index of the result, the arena
    `amprt.arena`.

    **Example.**
    ```mlir
    func.func @update(%s: tensor<8xf32> {bufferization.writable = true},
                      %x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tensor.empty() : tensor<8xf32>
      %0 = amprt.kernel <elementwise> ins(%s, %x : tensor<8xf32>, tensor<8xf32>)
             outs(%e : tensor<8xf32>) { ... } -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    // becomes
    func.func @update(%s: memref<8xf32> {amprt.state = 0 : i64, ...},
                      %x: memref<8xf32>, %arena: memref<0xi8> {amprt.arena}) {
      amprt.commit
      amprt.kernel <elementwise> ins(%s, %x : memref<8xf32>, memref<8xf32>)
        outs(%s : memref<8xf32>) { ... }
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::amprt::AMPRTDialect",
    "::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

#endif // AMP_DIALECT_AMPRT_TRANSFORMS_PASSES_TD
