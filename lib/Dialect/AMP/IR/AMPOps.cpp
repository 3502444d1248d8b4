//===- AMPOps.cpp - Operations of the precision dialect -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, custom assembly and interface methods.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/IR/AMPDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Keywords of enumerations
//===----------------------------------------------------------------------===//

/// Parses a keyword of an enumeration through its generated `symbolize`.
template <typename AttrT, typename SymbolizeFn>
static ParseResult parseEnumKeyword(OpAsmParser &parser, AttrT &attribute,
                                    SymbolizeFn symbolize, StringRef what) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  auto value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "expects a ")
           << what << ", but got '" << keyword << "'";
  attribute = AttrT::get(parser.getContext(), *value);
  return success();
}

static ParseResult parsePolicyClass(OpAsmParser &parser,
                                    PolicyClassAttr &attribute) {
  return parseEnumKeyword(
      parser, attribute, [](StringRef k) { return symbolizePolicyClass(k); },
      "policy class");
}
static void printPolicyClass(OpAsmPrinter &printer, Operation *,
                             PolicyClassAttr attribute) {
  printer << stringifyPolicyClass(attribute.getValue());
}

static ParseResult parseCastOriginKeyword(OpAsmParser &parser,
                                          CastOriginAttr &attribute) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalKeyword(&keyword)) {
    attribute = CastOriginAttr::get(parser.getContext(), CastOrigin::user);
    return success();
  }
  std::optional<CastOrigin> value = symbolizeCastOrigin(keyword);
  if (!value)
    return parser.emitError(loc, "expects a cast origin, but got '")
           << keyword << "'";
  attribute = CastOriginAttr::get(parser.getContext(), *value);
  return success();
}
static void printCastOriginKeyword(OpAsmPrinter &printer, Operation *,
                                   CastOriginAttr attribute) {
  printer << stringifyCastOrigin(attribute.getValue());
}

static ParseResult parseScalerKindKeyword(OpAsmParser &parser,
                                          ScalerKindAttr &attribute) {
  return parseEnumKeyword(
      parser, attribute, [](StringRef k) { return symbolizeScalerKind(k); },
      "scaler kind");
}
static void printScalerKindKeyword(OpAsmPrinter &printer, Operation *,
                                   ScalerKindAttr attribute) {
  printer << stringifyScalerKind(attribute.getValue());
}

static ParseResult parseEntryCastClause(OpAsmParser &parser,
                                        EntryCastAttr &attribute) {
  if (parser.parseOptionalKeyword("entry_cast")) {
    attribute = EntryCastAttr::get(parser.getContext(), EntryCast::keep);
    return success();
  }
  if (parser.parseEqual())
    return failure();
  return parseEnumKeyword(
      parser, attribute, [](StringRef k) { return symbolizeEntryCast(k); },
      "entry cast");
}
static void printEntryCastClause(OpAsmPrinter &printer, Operation *,
                                 EntryCastAttr attribute) {
  if (attribute.getValue() != EntryCast::keep)
    printer << "entry_cast = " << stringifyEntryCast(attribute.getValue());
}

//===----------------------------------------------------------------------===//
// Policies and regions
//===----------------------------------------------------------------------===//

LogicalResult RuleOp::verify() {
  // amp_rule_c1
  if (!getOps() && !getClasses())
    return emitOpError("expects a selector: op names or 'classes'");
  // amp_rule_c2
  if (getPolicyClass() == PolicyClass::banned && !getAdvice())
    return emitOpError("expects 'advice' on a rule that bans ops");
  return success();
}

void AutocastRegionOp::getSuccessorRegions(
    RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}

/// Checks that a region's terminator yields the types of `results`.
static LogicalResult verifyYield(Operation *op, Block &body,
                                 TypeRange expected) {
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return op->emitOpError("expects its region to end in 'amp.yield'");
  if (yield.getOperandTypes() == expected)
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError("expects its region to yield (")
      << expected << "), but got (" << yield.getOperandTypes() << ")";
  diagnostic.attachNote(yield.getLoc()) << "see yield here";
  return diagnostic;
}

LogicalResult AutocastRegionOp::verify() {
  // amp_autocast_region_c1
  return verifyYield(*this, getBody().front(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

void CastOp::build(OpBuilder &builder, OperationState &state, Value input,
                   Type elementType, CastOrigin origin) {
  auto type = cast<ShapedType>(input.getType()).clone(elementType);
  build(builder, state, type, input, origin, /*rounding=*/nullptr,
        Overflow::ieee);
}

bool CastOp::areCastCompatible(TypeRange inputs, TypeRange outputs) {
  if (inputs.size() != 1 || outputs.size() != 1)
    return false;
  return isa<FloatType>(getElementTypeOrSelf(inputs.front())) &&
         isa<FloatType>(getElementTypeOrSelf(outputs.front())) &&
         succeeded(verifyCompatibleShape(inputs.front(), outputs.front()));
}

LogicalResult CastOp::verify() {
  // amp_cast_c1
  if (getRounding() && isa<FloatType>(getElementTypeOrSelf(getOutput())) &&
      getElementTypeOrSelf(getInput().getType()) ==
          getElementTypeOrSelf(getOutput().getType()))
    return emitOpError("expects no 'rounding' on a cast between equal types");
  return success();
}

//===----------------------------------------------------------------------===//
// Loss scaling
//===----------------------------------------------------------------------===//

LogicalResult ScalerOp::verify() {
  // amp_scaler_c1
  float initial = getInitial().convertToFloat();
  if (!(initial > 0) || !getInitial().isFinite())
    return emitOpError("expects a positive finite 'initial' scale, but got ")
           << initial;
  // amp_scaler_c2
  if (!(getGrowth().convertToFloat() > 1))
    return emitOpError("expects 'growth' above 1, but got ")
           << getGrowth().convertToFloat();
  // amp_scaler_c3
  float backoff = getBackoff().convertToFloat();
  if (!(backoff > 0 && backoff < 1))
    return emitOpError("expects 'backoff' between 0 and 1, but got ")
           << backoff;
  // amp_scaler_c4
  if (int64_t interval = getIntervalAttr().getInt(); interval < 1)
    return emitOpError("expects 'interval' of at least 1, but got ")
           << interval;
  // amp_scaler_c5
  if (getCap() && getCap()->convertToFloat() < getFloor().convertToFloat())
    return emitOpError("expects 'cap' not below 'floor', but got ")
           << getCap()->convertToFloat() << " below "
           << getFloor().convertToFloat();
  return success();
}

/// Checks that `name` is the symbol of an amp.scaler.
static LogicalResult verifyScaler(Operation *op, FlatSymbolRefAttr name,
                                  SymbolTableCollection &symbolTable) {
  Operation *symbol = symbolTable.lookupNearestSymbolFrom(op, name);
  if (isa_and_nonnull<ScalerOp>(symbol))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("expects ")
                                  << name << " to be an 'amp.scaler'";
  if (symbol)
    diagnostic.attachNote(symbol->getLoc()) << "see symbol defined here";
  return diagnostic;
}

LogicalResult
ScaleLossOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyScaler(*this, getScalerAttr(), symbolTable);
}
LogicalResult
UnscaleGradsOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyScaler(*this, getScalerAttr(), symbolTable);
}
LogicalResult
UpdateScaleOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  return verifyScaler(*this, getScalerAttr(), symbolTable);
}

/// Checks that results match gradients one to one in shape.
static LogicalResult verifyGradientShapes(Operation *op, ValueRange gradients,
                                          ValueRange results) {
  if (gradients.size() != results.size())
    return op->emitOpError("expects one result per gradient, but got ")
           << results.size() << " results for " << gradients.size()
           << " gradients";
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip_equal(gradients, results))) {
    auto [gradient, result] = pair;
    if (succeeded(verifyCompatibleShape(gradient.getType(), result.getType())))
      continue;
    return op->emitOpError("expects result #")
           << index << " to have the shape of its gradient "
           << gradient.getType() << ", but got " << result.getType();
  }
  return success();
}

LogicalResult UnscaleGradsOp::verify() {
  // amp_unscale_grads_c1
  return verifyGradientShapes(*this, getGradients(), getResults());
}

LogicalResult ClipByGlobalNormOp::verify() {
  // amp_clip_by_global_norm_c1
  if (!(getMaxNorm().convertToFloat() > 0))
    return emitOpError("expects a positive 'max_norm', but got ")
           << getMaxNorm().convertToFloat();
  // amp_clip_by_global_norm_c2
  return verifyGradientShapes(*this, getGradients(), getResults());
}

//===----------------------------------------------------------------------===//
// GuardedUpdateOp
//===----------------------------------------------------------------------===//

LogicalResult GuardedUpdateOp::verify() {
  size_t numParameters = getGradients().size();
  size_t numStates = getStates().size();
  // amp_guarded_update_c1
  if (numParameters == 0 || numStates == 0 || numStates % numParameters != 0)
    return emitOpError("expects a positive multiple of the ")
           << numParameters << " gradients as states, but got " << numStates;
  // amp_guarded_update_c2
  if (getResultTypes() != getStates().getTypes())
    return emitOpError("expects results of the states' types");
  // amp_guarded_update_c3
  for (auto [index, state] : llvm::enumerate(getStates())) {
    Value gradient = getGradients()[index % numParameters];
    if (failed(verifyCompatibleShape(state.getType(), gradient.getType())))
      return emitOpError("expects state #")
             << index << " to have the shape of its gradient "
             << gradient.getType() << ", but got " << state.getType();
  }
  // amp_guarded_update_c4
  SmallVector<Type> expected;
  unsigned k = getNumStates();
  for (unsigned slot = 0; slot < k; ++slot)
    expected.push_back(
        getElementTypeOrSelf(getStates()[slot * numParameters].getType()));
  SmallVector<Type> yielded(expected);
  expected.push_back(getElementTypeOrSelf(getGradients().front().getType()));
  for (Value scalar : getScalars())
    expected.push_back(getElementTypeOrSelf(scalar.getType()));
  Block &body = getUpdate().front();
  if (body.getArgumentTypes() != TypeRange(expected))
    return emitOpError("expects region arguments (")
           << expected << "), but got (" << body.getArgumentTypes() << ")";
  // amp_guarded_update_c5
  return verifyYield(*this, body, yielded);
}

#define GET_OP_CLASSES
#include "amp/Dialect/AMP/IR/AMPOps.cpp.inc"
