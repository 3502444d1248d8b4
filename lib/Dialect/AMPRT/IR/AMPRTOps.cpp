//===- AMPRTOps.cpp - Operations of the runtime dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dialect registration, verifiers and memory effects.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::amprt;

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.cpp.inc"
#include "amp/Dialect/AMPRT/IR/AMPRTEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "amp/Dialect/AMPRT/IR/AMPRTAttrs.cpp.inc"

void AMPRTDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "amp/Dialect/AMPRT/IR/AMPRTOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "amp/Dialect/AMPRT/IR/AMPRTAttrs.cpp.inc"
      >();
}

/// Effects of a destination-style op: none on tensors; on memrefs it reads its
/// inputs, and writes its outs (which it may read as well).
static void getDestinationStyleEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isa<MemRefType>(operand->get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), operand);
  for (OpOperand &operand : op.getDpsInitsMutable()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}

/// Checks that an op has no result on memrefs and one per init on tensors.
static LogicalResult verifyDestinationStyle(DestinationStyleOpInterface op) {
  SmallVector<Type> expected;
  for (Value init : op.getDpsInits())
    if (isa<RankedTensorType>(init.getType()))
      expected.push_back(init.getType());
  if (op->getResultTypes() == TypeRange(expected))
    return success();
  return op->emitOpError("expects results (")
         << expected << "), one per tensor in 'outs', but got ("
         << op->getResultTypes() << ")";
}

//===----------------------------------------------------------------------===//
// GemmOp
//===----------------------------------------------------------------------===//

void GemmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getDestinationStyleEffects(*this, effects);
}

EpilogueOperands EpilogueOperands::get(Epilogue epilogue) {
  switch (epilogue) {
  case Epilogue::none:
  case Epilogue::relu:
  case Epilogue::gelu_tanh:
    return {};
  case Epilogue::bias:
  case Epilogue::bias_relu:
  case Epilogue::bias_gelu_tanh:
    return {Bias::required, Extra::none, Extra::none};
  case Epilogue::relu_aux:
    return {Bias::optional, Extra::none, Extra::mask};
  case Epilogue::gelu_aux:
    return {Bias::optional, Extra::none, Extra::preActivation};
  case Epilogue::bias_grad_lhs:
    return {Bias::none, Extra::none, Extra::rowSums};
  case Epilogue::bias_grad_rhs:
    return {Bias::none, Extra::none, Extra::columnSums};
  case Epilogue::drelu:
    return {Bias::none, Extra::mask, Extra::none};
  case Epilogue::drelu_bgrad:
    return {Bias::none, Extra::mask, Extra::columnSums};
  case Epilogue::dgelu:
    return {Bias::none, Extra::preActivation, Extra::none};
  case Epilogue::dgelu_bgrad:
    return {Bias::none, Extra::preActivation, Extra::columnSums};
  }
  llvm_unreachable("unknown epilogue");
}

int64_t amprt::getMaskRowBytes(int64_t columns) {
  return llvm::divideCeil(columns, 128) * 16;
}

/// amprt_gemm_c5: what the epilogue wants is there, and nothing else.
static LogicalResult verifyEpilogueOperands(GemmOp op) {
  using Bias = EpilogueOperands::Bias;
  using Extra = EpilogueOperands::Extra;
  EpilogueOperands wanted = EpilogueOperands::get(op.getEpilogue());
  StringRef name = stringifyEpilogue(op.getEpilogue());
  if ((wanted.bias == Bias::required && !op.getBias()) ||
      (wanted.bias == Bias::none && op.getBias()))
    return op.emitOpError("expects 'bias' exactly with an epilogue that adds "
                          "it, but got epilogue '")
           << name << "'";
  if (static_cast<bool>(op.getAux()) != (wanted.aux != Extra::none))
    return op.emitOpError("expects 'aux' exactly with an epilogue that reads "
                          "it, but got epilogue '")
           << name << "'";
  size_t numOuts = wanted.out == Extra::none ? 1 : 2;
  if (op.getOuts().size() != numOuts)
    return op.emitOpError("expects ")
           << numOuts << " 'outs' with epilogue '" << name << "', but got "
           << op.getOuts().size();
  return success();
}

static bool shapesDiffer(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() != b.size() ||
         llvm::any_of(llvm::zip_equal(a, b), [](auto pair) {
           auto [x, y] = pair;
           return !ShapedType::isDynamic(x) && !ShapedType::isDynamic(y) &&
                  x != y;
         });
}

/// amprt_gemm_c6 and amprt_gemm_c7 for `value`, which is what `extra` says.
static LogicalResult verifyExtra(GemmOp op, EpilogueOperands::Extra extra,
                                 Value value) {
  using Extra = EpilogueOperands::Extra;
  auto out = cast<ShapedType>(op.getOut().getType());
  if (extra == Extra::none)
    return success();
  auto type = cast<ShapedType>(value.getType());
  SmallVector<int64_t> shape(out.getShape());
  int64_t m = shape[shape.size() - 2], n = shape.back();
  StringRef what;
  switch (extra) {
  case Extra::none:
  case Extra::preActivation:
    what = "the input of gelu to have the shape of 'outs' and float elements";
    break;
  case Extra::mask:
    what = "a bit mask of ceil(n / 128) * 16 bytes (i8) per row";
    if (!ShapedType::isDynamic(n))
      shape.back() = getMaskRowBytes(n);
    break;
  case Extra::rowSums:
  case Extra::columnSums:
    if (out.getRank() != 2)
      return op.emitOpError("expects rank 2 with epilogue '")
             << stringifyEpilogue(op.getEpilogue()) << "', but got " << out;
    what = extra == Extra::rowSums
               ? "a sum of float elements, one per row of 'outs'"
               : "a sum of float elements, one per column of 'outs'";
    shape.assign(1, extra == Extra::rowSums ? m : n);
    break;
  }
  bool isTyped = extra == Extra::mask ? type.getElementType().isInteger(8)
                                      : isa<FloatType>(type.getElementType());
  if (isTyped && !shapesDiffer(type.getShape(), shape))
    return success();
  return op.emitOpError("expects ") << what << ", but got " << type;
}

LogicalResult GemmOp::verify() {
  if (getOuts().empty())
    return emitOpError("expects 'outs'");
  auto lhs = cast<ShapedType>(getLhs().getType());
  auto rhs = cast<ShapedType>(getRhs().getType());
  auto out = cast<ShapedType>(getOut().getType());
  int64_t rank = out.getRank();
  // amprt_gemm_c1
  if (rank != 2 && rank != 3)
    return emitOpError("expects 'outs' of rank 2 or 3, but got ") << out;
  if (lhs.getRank() != rank || rhs.getRank() != rank)
    return emitOpError("expects operands of rank ")
           << rank << ", but got " << lhs << " and " << rhs;
  auto size = [&](ShapedType type, bool transposed, int64_t fromEnd) {
    return type.getDimSize(rank - 1 - (transposed ? 1 - fromEnd : fromEnd));
  };
  auto differ = [](int64_t a, int64_t b) {
    return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) && a != b;
  };
  // amprt_gemm_c2
  int64_t lhsK = size(lhs, getTransposeLhs(), 0);
  int64_t rhsK = size(rhs, getTransposeRhs(), 1);
  if (differ(lhsK, rhsK))
    return emitOpError("expects equal contracted dimensions, but got ")
           << lhsK << " in " << lhs << " and " << rhsK << " in " << rhs;
  // amprt_gemm_c3
  int64_t m = size(lhs, getTransposeLhs(), 1);
  int64_t n = size(rhs, getTransposeRhs(), 0);
  if (differ(m, out.getDimSize(rank - 2)) ||
      differ(n, out.getDimSize(rank - 1)))
    return emitOpError("expects 'outs' of ")
           << m << "x" << n << ", but got " << out;
  // amprt_gemm_c4
  if (rank == 3)
    for (ShapedType type : {lhs, rhs})
      if (type.getDimSize(0) != 1 &&
          differ(type.getDimSize(0), out.getDimSize(0)))
        return emitOpError("expects a batch of 1 or ")
               << out.getDimSize(0) << ", but got " << type;
  if (failed(verifyEpilogueOperands(*this)))
    return failure();
  if (getBias()) {
    auto bias = cast<ShapedType>(getBias().getType());
    if (bias.getRank() != 1 || differ(bias.getDimSize(0), n))
      return emitOpError("expects a bias of ")
             << n << " elements, but got " << bias;
  }
  EpilogueOperands wanted = EpilogueOperands::get(getEpilogue());
  if (failed(verifyExtra(*this, wanted.aux, getAux())) ||
      failed(verifyExtra(*this, wanted.out, getExtraOut())))
    return failure();
  return verifyDestinationStyle(*this);
}

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

void KernelOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getDestinationStyleEffects(*this, effects);
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument,
            argument.getArgNumber() < getInputs().size() ? "in" : "out");
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  // amprt_kernel_c1
  if (body.getNumArguments() != getNumOperands())
    return emitOpError("expects one block argument per operand (")
           << getNumOperands() << "), but got " << body.getNumArguments();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), getOperands())) {
    auto actual = dyn_cast<RankedTensorType>(argument.getType());
    auto type = cast<ShapedType>(operand.getType());
    // amprt_kernel_c2
    if (!actual || actual.getShape() != type.getShape() ||
        actual.getElementType() != type.getElementType())
      return emitOpError("expects block argument #")
             << argument.getArgNumber() << " to be the tensor of operand type "
             << type << ", but got " << argument.getType();
  }
  // amprt_kernel_c3
  auto yield = dyn_cast<amprt::YieldOp>(body.getTerminator());
  if (!yield)
    return emitOpError("expects its body to end in 'amprt.yield'");
  auto outs = body.getArguments().drop_front(getInputs().size());
  if (yield.getOperandTypes() != ValueRange(outs).getTypes())
    return emitOpError("expects its body to yield the types of 'outs' (")
           << ValueRange(outs).getTypes() << "), but got ("
           << yield.getOperandTypes() << ")";
  return verifyDestinationStyle(*this);
}

//===----------------------------------------------------------------------===//
// ConcatOp
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::verify() {
  auto result = getResult().getType();
  // amprt_concat_c1
  if (getOffsets().size() != getPieces().size())
    return emitOpError("expects one offset per piece (")
           << getPieces().size() << "), but got " << getOffsets().size();
  int64_t end = 0;
  for (auto [index, piece] : llvm::enumerate(getPieces())) {
    auto type = cast<RankedTensorType>(piece.getType());
    // amprt_concat_c2
    if (type.getElementType() != result.getElementType())
      return emitOpError("expects piece #")
             << index << " of element type " << result.getElementType()
             << ", but got " << type;
    int64_t offset = getOffsets()[index];
    // amprt_concat_c3
    if (offset < end)
      return emitOpError("expects piece #")
             << index << " at " << end << " or later, but got offset "
             << offset;
    if (type.hasStaticShape())
      end = offset + type.getNumElements();
  }
  // amprt_concat_c4
  if (result.hasStaticShape() && end > result.getNumElements())
    return emitOpError("expects pieces to end within ")
           << result.getNumElements() << " elements, but the last ends at "
           << end;
  return success();
}

//===----------------------------------------------------------------------===//
// ParallelCallOp
//===----------------------------------------------------------------------===//

LogicalResult
ParallelCallOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto callee = dyn_cast_or_null<FunctionOpInterface>(
      symbolTable.lookupNearestSymbolFrom(*this, getCalleeAttr()));
  // amprt_parallel_call_c1
  if (!callee)
    return emitOpError("expects ") << getCalleeAttr() << " to be a function";
  ArrayRef<Type> inputs = callee.getArgumentTypes();
  Type index = IndexType::get(getContext());
  // amprt_parallel_call_c2
  if (inputs.size() != getOperands().size() + 2 ||
      TypeRange(inputs.drop_back(2)) != getOperandTypes() ||
      inputs.take_back(2)[0] != index || inputs.take_back(2)[1] != index) {
    InFlightDiagnostic diagnostic =
        emitOpError("expects ")
        << getCalleeAttr() << " to take (" << getOperandTypes()
        << ") and two bounds of type index, but got (" << TypeRange(inputs)
        << ")";
    diagnostic.attachNote(callee.getLoc()) << "see callee defined here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

/// What every architecture since sm_50 takes.
static constexpr int64_t kMaxThreads = 1024;
static constexpr int64_t kMaxBlocks = 0x7fffffff;

LogicalResult LaunchOp::verify() {
  // amprt_launch_c1
  if (getBlocks() < 1 || getBlocks() > kMaxBlocks)
    return emitOpError("expects 1 to ")
           << kMaxBlocks << " blocks, but got " << getBlocks();
  // amprt_launch_c2
  if (getThreads() < 1 || getThreads() > kMaxThreads)
    return emitOpError("expects 1 to ")
           << kMaxThreads << " threads, but got " << getThreads();
  // amprt_launch_c3
  if (getCallee().getNestedReferences().size() != 1)
    return emitOpError("expects the callee to be a kernel inside a module, "
                       "'@module::@kernel', but got ")
           << getCallee();
  // amprt_launch_c4
  for (Type type : getOperandTypes())
    if (auto memref = cast<MemRefType>(type);
        !memref.hasStaticShape() || !memref.getLayout().isIdentity())
      return emitOpError("expects operands of static shape with the identity "
                         "layout, but got ")
             << memref;
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  Operation *module = symbolTable.lookupNearestSymbolFrom(
      *this, getCallee().getRootReference());
  // Lowered kernels are in one module per architecture, '@m.<arch>'.
  if (!module) {
    Operation *table = SymbolTable::getNearestSymbolTable(*this);
    std::string prefix =
        (getCallee().getRootReference().getValue() + ".").str();
    for (Operation &op : table->getRegion(0).front())
      if (auto name =
              op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName());
          name && name.getValue().starts_with(prefix) &&
          op.hasTrait<OpTrait::SymbolTable>())
        return success();
  }
  // amprt_launch_c5
  if (!module)
    return emitOpError("expects @")
           << getCallee().getRootReference().getValue()
           << " to be a module of kernels, but there is no such symbol";
  // A binary has no symbols inside.
  if (!module->hasTrait<OpTrait::SymbolTable>())
    return success();
  auto kernel = dyn_cast_or_null<FunctionOpInterface>(
      symbolTable.lookupNearestSymbolFrom(*this, getCallee()));
  // amprt_launch_c6
  if (!kernel)
    return emitOpError("expects ") << getCallee() << " to be a function";
  // Lowered kernels take pointers.
  if (llvm::any_of(kernel.getArgumentTypes(),
                   [](Type type) { return !isa<MemRefType>(type); }))
    return success();
  // amprt_launch_c7
  if (TypeRange(kernel.getArgumentTypes()) != getOperandTypes()) {
    InFlightDiagnostic diagnostic =
        emitOpError("expects ")
        << getCallee() << " to take (" << getOperandTypes() << "), but got ("
        << TypeRange(kernel.getArgumentTypes()) << ")";
    diagnostic.attachNote(kernel.getLoc()) << "see the kernel defined here";
    return diagnostic;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ViewOp
//===----------------------------------------------------------------------===//

int64_t amprt::getByteSize(ShapedType type) {
  Type element = type.getElementType();
  return type.getNumElements() *
         llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

Value ViewOp::getViewSource() { return getSource(); }

LogicalResult ViewOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getResult().getType());
  // amprt_view_c1
  for (MemRefType type : {source, result})
    if (!type.hasStaticShape() || !type.getLayout().isIdentity())
      return emitOpError("expects dense static memrefs, but got ") << type;
  // amprt_view_c2
  int64_t offset = getOffset(), end = offset + getByteSize(result);
  if (offset < 0 || end > getByteSize(source))
    return emitOpError("expects the view to lie in the source's ")
           << getByteSize(source) << " bytes, but it covers bytes " << offset
           << " to " << end;
  return success();
}

#define GET_OP_CLASSES
#include "amp/Dialect/AMPRT/IR/AMPRTOps.cpp.inc"
