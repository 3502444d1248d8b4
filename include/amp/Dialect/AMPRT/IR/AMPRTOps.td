//===- AMPRTOps.td - Operations of the runtime dialect -*- tablegen -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AMP_DIALECT_AMPRT_IR_AMPRTOPS_TD
#define AMP_DIALECT_AMPRT_IR_AMPRTOPS_TD

include "amp/Dialect/AMPRT/IR/AMPRTEnums.td"
include "amp/Dialect/AMP/IR/AMPAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class AMPRT_EnumAttr<EnumInfo enum, string attrMnemonic>
    : EnumAttr<AMPRT_Dialect, enum, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}
def AMPRT_KernelKindAttr : AMPRT_EnumAttr<AMPRT_KernelKind, "kind">;
def AMPRT_EpilogueAttr : AMPRT_EnumAttr<AMPRT_Epilogue, "epilogue">;

class AMPRT_Op<string mnemonic, list<Trait> traits = []>
    : Op<AMPRT_Dialect, mnemonic, traits>;

def AMPRT_Buffer : AnyTypeOf<[AnyRankedTensor, AnyStridedMemRef], "ranked tensor or strided memref">;

//===----------------------------------------------------------------------===//
// Contractions
//===----------------------------------------------------------------------===//

def AMPRT_GemmOp : AMPRT_Op<"gemm", [AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "matrix product executed by the runtime";
  let description = [{
    out = epilogue(alpha * op(lhs) x op(rhs) + beta * out + bias), f32
    accumulation as `numerics` states, one rounding into out's element type.
    Operands have rank 2, or rank 3 with a leading batch dimension (1 broadcasts).
    `op` is the transposition of the last two dimensions. `bias` has the length of
    out's last dimension. With `beta = 0` the old content of `out` is not read.

    With op(lhs) of m x k and out of m x n, an epilogue may give a second `outs`,
    which is never read:

    | epilogue | `bias` | `aux` | second `outs` |
    |---|---|---|---|
    | `none`, `relu`, `gelu_tanh` | | | |
    | `bias`, `bias_relu`, `bias_gelu_tanh` | n | | |
    | `relu_aux` | n, optional | | bit mask of `result > 0` |
    | `gelu_aux` | n, optional | | what gelu was applied to, m x n |
    | `bias_grad_lhs` | | | sum of op(lhs) over k, m elements |
    | `bias_grad_rhs` | | | sum of op(rhs) over k, n elements |
    | `drelu` | | bit mask | |
    | `drelu_bgrad` | | bit mask | sum of the result over its rows, n elements |
    | `dgelu` | | gelu's input, m x n | |
    | `dgelu_bgrad` | | gelu's input, m x n | sum of the result over its rows, n elements |

    A bit mask has a row of ceil(n / 128) * 16 bytes (i8) for each row of out; only
    `drelu` reads it. The sums are accumulated in f32, in any order: operands as they
    are stored, the result before or after its rounding.

    - amprt_gemm_c1: `outs` and the operands have rank 2, or all rank 3.
    - amprt_gemm_c2: the contracted dimensions are equal.
    - amprt_gemm_c3: `outs` is m x n.
    - amprt_gemm_c4: a batch is 1 or that of `outs`.
    - amprt_gemm_c5: `bias`, `aux` and a second `outs` are there as the table says.
    - amprt_gemm_c6: their types are those of the table; a gelu's input and the
      sums have float elements.
    - amprt_gemm_c7: the epilogues with sums take rank 2.

    On tensors the results are the new values of `outs`; on memrefs there is no
    result.

    ```mlir
    %d = amprt.gemm ins(%x, %w : tensor<64x128xf16>, tensor<10x128xf16>)
                    bias(%b : tensor<10xf16>) outs(%init : tensor<64x10xf16>)
           {transpose_rhs, epilogue = #amprt.epilogue<bias>,
            numerics = #amp.numerics<accumulate = f32>} -> tensor<64x10xf16>
    ```
  }];
  let arguments = (ins AMPRT_Buffer:$lhs, AMPRT_Buffer:$rhs, Optional<AMPRT_Buffer>:$bias,
    Optional<AMPRT_Buffer>:$aux, Variadic<AMPRT_Buffer>:$outs,
    UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs,
    DefaultValuedAttr<F32Attr, "1.0f">:$alpha, DefaultValuedAttr<F32Attr, "0.0f">:$beta,
    DefaultValuedAttr<AMPRT_EpilogueAttr, "Epilogue::none">:$epilogue,
    AMP_NumericsAttr:$numerics,
    OptionalAttr<AMP_PhaseAttr>:$phase);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    (`bias` `(` $bias^ `:` type($bias) `)`)? (`aux` `(` $aux^ `:` type($aux) `)`)?
    `outs` `(` $outs `:` type($outs) `)` attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
    /// Where the product goes.
    ::mlir::Value getOut() { return getOuts().front(); }
    /// Where the epilogue's second result goes; null if there is none.
    ::mlir::Value getExtraOut() {
      return getOuts().size() > 1 ? getOuts()[1] : ::mlir::Value();
    }
    /// The product, null on memrefs.
    ::mlir::Value getResult() {
      return getResults().empty() ? ::mlir::Value() : getResults().front();
    }
  }];
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def AMPRT_KernelOp : AMPRT_Op<"kernel", [AttrSizedOperandSegments, IsolatedFromAbove,
    SingleBlock, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a group of linalg ops that becomes one function on the target";
  let description = [{
    A destination-style op, isolated from above. The body is value-semantic: a
    few linalg ops (and `tensor.empty`, `arith.constant`) on **tensors**; block
    arguments are tensors of the operands' shapes, ins first, then outs. The j-th
    operand of `amprt.yield` is the new value of `outs[j]`. Only ins and outs
    ever live in memory: intermediate tensors of the body are registers or
    row-sized scratch of the emitter.

    An `outs` may be the place of an `ins` of the same type (in-place update): the
    body reads and writes the same element in the same iteration.

    ```mlir
    %r = amprt.kernel <elementwise> ins(%a : tensor<64x128xf32>) outs(%init : tensor<64x128xf16>) {
    ^bb0(%in: tensor<64x128xf32>, %out: tensor<64x128xf16>):
      %0 = linalg.generic {...} ins(%in : ...) outs(%out : ...) {...}
      amprt.yield %0 : tensor<64x128xf16>
    } -> tensor<64x128xf16>
    ```
  }];
  let arguments = (ins AMPRT_KernelKindAttr:$kind, Variadic<AMPRT_Buffer>:$inputs,
                       Variadic<AMPRT_Buffer>:$outs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $kind (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`outs` `(` $outs^ `:` type($outs) `)`)?
    attr-dict-with-keyword $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }
  }];
}

def AMPRT_YieldOp : AMPRT_Op<"yield", [Pure, ReturnLike, Terminator,
    HasParent<"::mlir::amprt::KernelOp">]> {
  let summary = "ends a kernel's body";
  let arguments = (ins Variadic<AnyRankedTensor>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
}

def AMPRT_ConcatOp : AMPRT_Op<"concat", [Pure]> {
  let summary = "pieces laid side by side in one flat buffer";
  let description = [{
    The result is 1-D; piece i (any shape, row-major) starts at element
    `offsets[i]`; elements between pieces are zero. `-amprt-plan-memory` lets the
    pieces' producers write straight into the buffer, so nothing is copied.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$pieces, DenseI64ArrayAttr:$offsets);
  let results = (outs 1DTensorOf<[AnyType]>:$result);
  let assemblyFormat = "$pieces `at` $offsets attr-dict `:` functional-type($pieces, $result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Host-side structure after memory planning
//===----------------------------------------------------------------------===//

def AMPRT_ViewOp : AMPRT_Op<"view", [Pure,
    DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "a dense array inside a buffer";
  let description = [{
    The row-major array of the result's type that starts `offset` **bytes** into
    `source`. The result has the identity layout whatever its place, so that
    kernels at different places of a buffer have one type and share their code
    (a `memref.subview` carries its offset in its type).

    ```mlir
    %0 = amprt.view %arena at 4096 : memref<8192xi8> to memref<64x10xf32>
    ```
  }];
  let arguments = (ins AnyMemRef:$source, I64Attr:$offset);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$source `at` $offset attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}

def AMPRT_ParallelCallOp : AMPRT_Op<"parallel_call", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "calls a kernel function over a range, on all threads";
  let description = [{
    Calls `callee(operands..., begin, end)` for pieces of [0, `count`) through the
    runtime's parallel-for; a piece has at least `grain` iterations. The callee
    takes its operands as memrefs and the two bounds as index.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<AnyType>:$operands,
                       I64Attr:$count, I64Attr:$grain);
  let assemblyFormat = [{
    $callee `(` $operands `)` `range` $count `grain` $grain attr-dict `:` functional-type($operands, results)
  }];
}

def AMPRT_LaunchOp : AMPRT_Op<"launch", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "launches a GPU kernel on the context's stream";
  let description = [{
    Runs the `gpu.func` that `callee` names inside its `gpu.module` with a
    one-dimensional grid of `blocks` blocks of `threads` threads. The operands
    are memrefs with the identity layout in device memory, passed as bare pointers
    in the order of the kernel's arguments. Shared memory is static, inside the
    kernel.

    Once the `gpu.module` has become a `gpu.binary` only the name is left to
    check; the descriptor keeps it.

    ```mlir
    amprt.launch @kernels::@row_0 blocks 64 threads 128 (%x, %y) : memref<64x128xf16>, memref<64xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$callee, Variadic<AnyMemRef>:$operands,
                       I64Attr:$blocks, I64Attr:$threads);
  let assemblyFormat = [{
    $callee `blocks` $blocks `threads` $threads `(` $operands `)` attr-dict (`:` type($operands)^)?
  }];
  let hasVerifier = 1;
}

def AMPRT_CommitOp : AMPRT_Op<"commit"> {
  let summary = "the point from which state may be written";
  let description = [{
    Everything fallible stands before it. Lowers to `amp_rt_commit` and a return
    with its status when the context is in error, so that a failed step
    leaves the state as it was.
  }];
  let assemblyFormat = "attr-dict";
}

#endif // AMP_DIALECT_AMPRT_IR_AMPRTOPS_TD
