//===- Passes.td - Conversions between dialects -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_CONVERSION_PASSES_TD
#define AMP_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

/// The architecture that kernels are lowered for.
def KernelArchOption : Option<"arch", "arch", "std::string", "\"sm_90\"",
  "The architecture of the kernels, as 'sm_90'">;

def ConvertAMPToLinalgPass : Pass<"convert-amp-to-linalg"> {
  let summary = "Lowers casts, loss scaling and guarded updates to linalg";
  let description = [{
    **Does.** Casts become elementwise ops with one rounding; what is computed over the
    gradients becomes flat reductions to rank 0; a guarded update becomes one
    multi-result `linalg.generic` per parameter with the select between old and
    new element in its region. Elementwise arith and math ops on tensors
    become `linalg.generic` too.

    Casts of most slices of one packed buffer become slices of one cast.

    **Requires.** Static shapes.

    **Guarantees.** That no op of `amp` but symbols is left in
    functions; the arithmetic of an update's region is kept op for op.

    **Example.**
    ```mlir
    %1 = amp.cast %0 policy : tensor<4x8xf32> to tensor<4x8xf16>
    // becomes
    %init = tensor.empty() : tensor<4x8xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
        ins(%0 : tensor<4x8xf32>) outs(%init : tensor<4x8xf16>) {
    ^bb0(%in: f32, %out: f16):
      %2 = arith.truncf %in : f32 to f16
      linalg.yield %2 : f16
    } -> tensor<4x8xf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertNNToAMPRTPass : Pass<"convert-nn-to-amprt"> {
  let summary = "Lowers contractions to runtime calls";
  let description = [{
    **Does.** `nn.linear`, `nn.matmul` and their derivatives become `amprt.gemm` on 2-D or
    3-D operands: leading dimensions collapse; a bias is the epilogue, and so is
    a relu that is the only reader (it commutes with rounding).

    **Requires.** Static shapes.

    **Guarantees.** That numerics and phase stay equal; a
    contraction the runtime has no call for (f64) is left to
    `-convert-nn-to-linalg`.

    **Example.**
    ```mlir
    %1 = nn.linear %x, %w, %b {numerics = #amp.numerics<accumulate = f32>}
        : (tensor<64x128xf16>, tensor<10x128xf16>, tensor<10xf16>) -> tensor<64x10xf16>
    // becomes
    %init = tensor.empty() : tensor<64x10xf16>
    %1 = amprt.gemm ins(%x, %w : tensor<64x128xf16>, tensor<10x128xf16>)
                    bias(%b : tensor<10xf16>) outs(%init : tensor<64x10xf16>)
           {epilogue = #amprt.epilogue<bias>, numerics = #amp.numerics<accumulate = f32>,
            transpose_rhs} -> tensor<64x10xf16>
    ```
  }];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertNNToLinalgPass : Pass<"convert-nn-to-linalg"> {
  let summary = "Lowers tensor graphs to linalg";
  let description = [{
    **Does.** Every op of `nn` (contractions that `-convert-nn-to-amprt` left, too) becomes
    linalg ops whose regions hold
    the scalar computation: operands widened to f32 (or the accumulator type that
    `numerics` states), one rounding at the end. Reductions are brought to a row,
    column or flat domain; `fastmath<reassoc, contract>` on an addition says that
    its order is free.

    **Requires.** Static shapes.

    **Guarantees.** That no op of `nn` is left but those
    with dynamic shapes.

    **Example.**
    ```mlir
    %1 = nn.relu %0 : (tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %init = tensor.empty() : tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
        ins(%0 : tensor<4xf32>) outs(%init : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %zero = arith.constant 0.0 : f32
      %2 = arith.cmpf ugt, %in, %zero : f32
      %3 = arith.select %2, %in, %zero : f32
      linalg.yield %3 : f32
    } -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertAMPRTToLLVMPass : Pass<"convert-amprt-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Turns step functions into their C entry points";
  let description = [{
    **Does.** Kernel functions are lowered by upstream's patterns with bare pointers. A
    step function `f` becomes `i32 @f(ptr %ctx, ptr %args)`, where `args` is an
    array of pointers (arguments, out-parameters, arena), and
    `i32 @f.prepare(ptr %ctx)`, which makes the runtime's GEMM primitives.
    `amprt.gemm` is a call of `amp_rt_gemm` with a constant descriptor, one per
    distinct GEMM; `amprt.parallel_call` one of `amp_rt_parallel_for`, or of the
    kernel itself where the range is a single piece; `amprt.commit` one of
    `amp_rt_commit` and the only branch of the function.

    A step function that launches GPU kernels becomes `i32 @f.record(ptr %ctx,
    ptr %args)` in this way, `amprt.launch` being a call of `amp_rt_launch` with a
    constant descriptor; `@f` is one call of `amp_rt_step`, which records it, and
    `@f.prepare` loads the image too. The `gpu.binary` stays.

    **Requires.** The result of `-amprt-emit-cpu-kernels` with its kernel
    functions lowered to `cf`, `arith`, `math` and `memref`, or of
    `-amprt-assemble-kernels`.

    **Guarantees.** The LLVM dialect only, but for a `gpu.binary`. The attribute `amprt.arguments` of an
    entry says what each pointer of `args` is.

    **Example.**
    ```mlir
    amprt.parallel_call @k(%a, %b) range 65536 grain 16384 : (memref<65536xf32>, memref<65536xf32>) -> ()
    // becomes
    llvm.store %a, %slot0 : !llvm.ptr, !llvm.ptr
    llvm.store %b, %slot1 : !llvm.ptr, !llvm.ptr
    %f = llvm.mlir.addressof @k.piece : !llvm.ptr
    llvm.call @amp_rt_parallel_for(%ctx, %f, %slots, %count, %grain) : ...
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def EmitCPUKernelsPass : Pass<"amprt-emit-cpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns kernels on memrefs into functions of loops";
  let description = [{
    **Does.** Each `amprt.kernel` becomes a call of a private function of `scf` loops;
    kernels of equal structure share one. The regions of the kernel's linalg
    ops are cloned at scalar types into loops over the last dimensions
    (`elementwise`, `row`), over columns within rows (`column`) or over blocks of
    a buffer (`flat`), and LLVM's vectoriser is asked to vectorise the inner one.

    **Requires.** The result of `-amprt-plan-memory`.

    **Guarantees.** That what the kernel computes is computed once per row or
    element, in registers or row-sized scratch on the stack; that no result
    depends on the number of threads (a sum over a flat buffer is made of
    partial sums over blocks of fixed size, added in order); that only the
    combining op of a reduction carries fast-math flags (`reassoc`, `contract`),
    so all other arithmetic is IEEE's, each op rounded once. Arithmetic on
    narrow floats is widened to f32 and rounded back after every op.

    **Example.**
    ```mlir
    amprt.kernel <elementwise> ins(%a : memref<64x128xf32>) outs(%b : memref<64x128xf32>) {
      ...
    }
    // becomes
    %0 = amprt.view %a at 0 : memref<64x128xf32> to memref<8192xf32>
    %1 = amprt.view %b at 0 : memref<64x128xf32> to memref<8192xf32>
    amprt.parallel_call @kernel_elementwise(%0, %1) range 8192 grain 16384 : ...
    ```
  }];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

def EmitGPUKernelsPass : Pass<"amprt-emit-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Turns kernels on memrefs into GPU functions and launches";
  let description = [{
    **Does.** Each `amprt.kernel` becomes an `amprt.launch` of a `gpu.func` in the module's
    one `gpu.module @kernels`, or two where a reduction is made in two stages;
    kernels of equal structure share theirs. The regions of the kernel's linalg
    ops are cloned at vector types: a thread holds up to 8 consecutive elements of
    the innermost merged dimension and moves them in 16-byte accesses.

    | kind | a block | stages |
    |---|---|---|
    | `elementwise` | 128 vectors | 1 |
    | `row` | one row; up to 4 vectors a thread stay in registers for all passes | 1 |
    | `column` | up to 32 vectors of columns x a slice of the rows | 2 where there are several slices |
    | `flat` | at least 1024 vectors | 2 where there are several blocks |

    Partial results stand behind the plan's arena, which grows by the room the
    largest kernel of the function needs. So do constants of several values: a
    kernel writes each from a global of the kernels' module.

    **Requires.** The result of `-amprt-plan-memory`.

    **Guarantees.** That the functions are the same for every architecture; that
    no result depends on the device: blocks follow from shapes alone, sums are
    made in a fixed order without atomics, and in the loop's order where
    the addition carries no `fastmath<reassoc>`; that all arithmetic is IEEE's, each
    op rounded once, but for the fast-math flags that a reduction's region carries.
    Arithmetic on narrow floats is widened to f32 and rounded back after every op.
    An i1 takes one byte in memory.

    **Example.**
    ```mlir
    amprt.kernel <elementwise> ins(%a : memref<64x128xf32>) outs(%b : memref<64x128xf32>) {
      ...
    }
    // becomes
    %0 = amprt.view %a at 0 : memref<64x128xf32> to memref<8192xf32>
    %1 = amprt.view %b at 0 : memref<64x128xf32> to memref<8192xf32>
    amprt.launch @kernels::@main_train_elementwise_0 blocks 8 threads 128 (%0, %1) : memref<8192xf32>, memref<8192xf32>
    ```
  }];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect",
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ExpandCPUMathPass : Pass<"amprt-expand-cpu-math"> {
  let summary = "Expands scalar ops that x86-64 lacks or does inexactly";
  let description = [{
    **Does.** Conversions to and from bf16 become integer arithmetic (the hardware's
    conversion flushes subnormals); f64 is rounded to f16 and bf16 once, through
    f32 rounded to odd; transcendental functions of f32 become polynomials that
    vectorise. f64 functions stay calls of the C library.

    **Requires.** Scalars (it also handles vectors) in f32, f64 and narrow floats
    that are only converted.

    **Guarantees.** That no conversion rounds twice and
    none flushes.

    **Example.**
    ```mlir
    %0 = arith.extf %x : bf16 to f32
    // becomes
    %0 = arith.bitcast %x : bf16 to i16
    %1 = arith.extui %0 : i16 to i32
    %2 = arith.shli %1, %c16 : i32
    %3 = arith.bitcast %2 : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def FuseEpiloguesPass : Pass<"amprt-fuse-epilogues", "::mlir::ModuleOp"> {
  let summary = "Fuses activations, their derivatives and bias gradients into products";
  let description = [{
    **Does.** What reads or feeds a product moves into the epilogue of its
    `amprt.gemm`, reshapes between them apart:

    | family | before | after | the same values? |
    |---|---|---|---|
    | `relu` | relu of a product that it alone reads | `relu`, `bias_relu` | yes: relu and rounding commute (but for the sign of a zero) |
    | `drelu` | relu's derivative of such a product, its relu fused | forward `relu_aux`, which keeps a bit mask; backward `drelu` | yes where the mask is: `result > 0` is taken before the rounding, so a value that rounds to 0 may count |
    | `gelu` | tanh-gelu of a product | `gelu_tanh`, `bias_gelu_tanh`; `gelu_aux` where others read the product: they read its second out, rounded as before | up to the library's tanh: the rounding of the product is left out |
    | `dgelu` | tanh-gelu's derivative of a product that it alone reads | `dgelu` | the same |
    | `bias-grad` | sum over the rows of what a product contracts over its rows | `bias_grad_lhs`, `bias_grad_rhs` | yes, but for the order of the sum |
    | | sum over the rows of a `drelu` or `dgelu` | `drelu_bgrad`, `dgelu_bgrad` | the same; the terms are not rounded |

    A rounding is left out, or a mask taken before it, only where the numerics of
    the product say `excess = allow` or where its result is f32, so that there is
    none. (A mask of bf16 is also taken where `subnormals = any`: only f32 subnormals
    round to 0 there.) A sum is fused only where its numerics are f32, in any
    order. The erf form of gelu has no epilogue and never fuses.

    Whether the library's relu keeps NaN is nobody's promise (rule E3 of the
    runtime's table of GEMM rules: *assumed*), and a relu that returns 0 for NaN
    hides an overflow from `amp.found_inf`. `nan-relu=by-status`, the default,
    therefore leaves relu to a kernel, and takes out of their gemms those that
    `-convert-nn-to-amprt` fused (whatever `epilogues` says), until the rule is more
    than an assumption;
    `assume-propagates` takes it for granted, `unfused` never fuses. A gradient
    that is NaN keeps its NaN either way.

    With `arch`, each new gemm is checked by the rules of all those architectures; what
    they refuse stays as it was. Remarks of the category `amprt-fuse-epilogues` say
    what was fused (`Fused`) and what was not, and why (`NotFused`).

    **Requires.** The result of `-convert-nn-to-amprt`: everything but contractions
    is still `nn`.

    **Guarantees.** Types, numerics and results as above; the outcome depends on the
    program's order only. Linear time.

    **Example.**
    ```mlir
    %1 = amprt.gemm ins(%x, %w : tensor<64x128xf32>, tensor<16x128xf32>) outs(%e : tensor<64x16xf32>)
           {numerics = #amp.numerics<accumulate = f32>, transpose_rhs} -> tensor<64x16xf32>
    %2 = nn.gelu %1 {approximate = #nn.gelu<tanh>} : (tensor<64x16xf32>) -> tensor<64x16xf32>
    // becomes
    %2 = amprt.gemm ins(%x, %w : tensor<64x128xf32>, tensor<16x128xf32>) outs(%e : tensor<64x16xf32>)
           {epilogue = #amprt.epilogue<gelu_tanh>, numerics = #amp.numerics<accumulate = f32>,
            transpose_rhs} -> tensor<64x16xf32>
    ```
  }];
  let options = [
    ListOption<"epilogues", "epilogues", "std::string",
      "What to fuse: relu, drelu, gelu, dgelu, bias-grad, or none (default all)">,
    ListOption<"archs", "arch", "std::string",
      "Architectures that must be able to run what is fused, such as sm_80+sm_90 (default: not checked)">,
    Option<"nanRelu", "nan-relu", "::mlir::amp::NaNRelu", "::mlir::amp::NaNRelu::byStatus",
      "What is taken for granted of a NaN in the library's relu (default by-status)", [{::llvm::cl::values(
        clEnumValN(::mlir::amp::NaNRelu::byStatus, "by-status", "what is more than an assumption in the table of GEMM rules"),
        clEnumValN(::mlir::amp::NaNRelu::assumePropagates, "assume-propagates", "that it stays NaN"),
        clEnumValN(::mlir::amp::NaNRelu::unfused, "unfused", "nothing: relu is a kernel"))}]>
  ];
  let dependentDialects = ["::mlir::amprt::AMPRTDialect", "::mlir::nn::NNDialect",
                           "::mlir::tensor::TensorDialect"];
}

def LowerGPUConversionsPass : Pass<"amprt-lower-gpu-conversions"> {
  let summary = "Lowers conversions and square roots that NVVM's lowering lacks";
  let description = [{
    **Does.** Casts between E4M3 or E5M2 and wider floats become the hardware's
    conversions of pairs where `arch` has them, else integer arithmetic; `math.sqrt`
    becomes the IEEE intrinsic; f64 is rounded to f16, bf16 and 8 bits once,
    through f32 rounded to odd; integers go to bf16 by way of a type that holds them.

    | conversion | sm_80 | sm_89 and later |
    |---|---|---|
    | f32 to E4M3, E5M2 | integers | `cvt.rn.satfinite` of pairs, and a select of what overflows |
    | E4M3, E5M2 to f32 | one exact product | `cvt.rn.f16x2`, then f16 to f32 |
    | f32 to f16, bf16 and back | `cvt`, by LLVM | `cvt`, by LLVM |

    **Requires.** Scalars and 1-D vectors. To stand right before the lowering to
    NVVM: the canonicalizer merges casts.

    **Guarantees.** The bits of the runtime's numerics: a finite value that rounds
    beyond the largest becomes infinity (E4M3: NaN), subnormals stay, a NaN keeps
    its sign and the payload there is room for. Nothing that `arch` lacks is emitted.

    **Example.**
    ```mlir
    %0 = math.sqrt %x : f32
    // becomes
    %0 = llvm.call_intrinsic "llvm.nvvm.sqrt.rn.f"(%x) : (f32) -> f32
    ```
  }];
  let options = [KernelArchOption];
  let dependentDialects = ["::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"];
}

def VerifyGPUKernelsPass : Pass<"amprt-verify-gpu-kernels"> {
  let summary = "Finds what cannot be lowered in modules of kernels";
  let description = [{
    **Does.** Looks at every op inside a `gpu.module`, and reports ops without a lowering
    (of other dialects, unregistered ones, casts left between type systems),
    functions that libdevice lacks, arithmetic on types that the device has none
    for, and conversions that `arch` has no instruction for.

    **Requires.** Nothing; it is meant to run after `-amprt-lower-gpu-conversions`.

    **Guarantees.** That the lowering to NVVM and LLVM's instruction selection find
    nothing unknown: LLVM would end the process on it, without a place.

    **Example.**
    ```mlir
    %0 = arith.addf %x, %y : f8E5M2
    // error: 'arith.addf' op expects to compute on types that the device has arithmetic for, but got 'f8E5M2'
    ```
  }];
  let options = [KernelArchOption];
}

#endif // AMP_CONVERSION_PASSES_TD
