//===- LowerGPUConversions.cpp - Scalars that NVVM lacks --------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 8-bit floats by the hardware's conversions of pairs, where the architecture
// has them, else by integers; both give the bits of the runtime's numerics.
// Square roots that IEEE asks for.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"

#include "Capabilities.h"
#include "amp/Conversion/Utils/ExactCasts.h"
#include "amp/Conversion/Utils/LaneBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::amp {
#define GEN_PASS_DEF_LOWERGPUCONVERSIONSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;
using arith::CmpIPredicate;

namespace {
/// An 8-bit float, next to f32.
struct Format8 {
  /// Fraction bits, and the exponent's bias.
  int fraction, bias;
  int64_t maxFinite;
  /// Encodings of infinity (NaN where there is none) and of NaN, which takes
  /// the payload's leading bits.
  int64_t infinity, nan;
  /// The least f32, as bits, that rounds beyond the largest finite value.
  int64_t firstOverflow;

  bool hasInfinity() const { return infinity != nan; }
  int shift() const { return 23 - fraction; }
};
} // namespace

/// 464 is the tie between 448 and what would be 480, and goes to 448, which is
/// even; 61440 that between 57344 and 65536, and goes up.
static constexpr Format8 kE4M3 = {3, 7, 0x7e, 0x7f, 0x7f, 0x43e80001};
static constexpr Format8 kE5M2 = {2, 15, 0x7b, 0x7c, 0x7e, 0x47700000};

static constexpr int64_t kInfinity = 0x7f800000;
static constexpr int64_t kQuietNaN = 0x7fc00000;
static constexpr int64_t kMagnitude = 0x7fffffff;

static const Format8 *getFormat(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<Float8E4M3FNType>(type))
    return &kE4M3;
  return isa<Float8E5M2Type>(type) ? &kE5M2 : nullptr;
}

static std::string getName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
  return text;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

static SmallVector<Value> split(LaneBuilder &b, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return {value};
  SmallVector<Value> lanes;
  for (int64_t i = 0; i < type.getNumElements(); ++i)
    lanes.push_back(vector::ExtractOp::create(b.builder, b.loc, value, i));
  return lanes;
}

static Value join(LaneBuilder &b, ArrayRef<Value> lanes) {
  Type element = lanes.front().getType(), type = b.type(element);
  if (type == element)
    return lanes.front();
  return vector::FromElementsOp::create(b.builder, b.loc, type, lanes);
}

static Value callIntrinsic(LaneBuilder &b, StringRef name, Type type,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b.builder, b.loc, type,
                                       b.builder.getStringAttr(name), operands)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// To 8 bits
//===----------------------------------------------------------------------===//

/// The encodings (i32 lanes, without sign) of finite magnitudes, rounded to
/// nearest, ties to even: the significand loses what the format cannot hold,
/// more where the result is subnormal; a carry runs into the exponent.
static Value narrowByIntegers(LaneBuilder &b, Value magnitude,
                              const Format8 &format) {
  Value field = b.shiftRight(magnitude, 23);
  Value isNormal = b.compare(CmpIPredicate::ne, field, 0);
  Value fraction = b.bitAnd(magnitude, 0x7fffff);
  Value significand = b.select(isNormal, b.bitOr(fraction, 0x800000), fraction);
  // Subnormals have the exponent of field 1, in both formats.
  Value one = b.constantLike(field, 1);
  Value exponent = arith::MaxSIOp::create(b.builder, b.loc, field, one);
  exponent = b.add(exponent, b.constantLike(field, format.bias - 127));
  Value least = arith::MaxSIOp::create(b.builder, b.loc, exponent, one);
  Value deficit = arith::SubIOp::create(b.builder, b.loc, least, exponent);
  Value amount = b.add(deficit, b.constantLike(field, format.shift()));
  // From 25 on every significand is below half of the last place.
  Value most = b.constantLike(field, 25);
  amount = arith::MinSIOp::create(b.builder, b.loc, amount, most);
  Value rank = arith::SubIOp::create(b.builder, b.loc, least, one);
  Value exponentBits = b.shiftLeft(rank, format.fraction);
  // Just under half, plus the last kept bit.
  Value unit = arith::ShLIOp::create(b.builder, b.loc, one, amount);
  Value half = b.shiftRight(unit, 1);
  Value underHalf = arith::SubIOp::create(b.builder, b.loc, half, one);
  Value lastKept = b.bitAnd(b.shiftRight(significand, amount), 1);
  Value sum = b.add(b.add(significand, underHalf), lastKept);
  return b.add(b.shiftRight(sum, amount), exponentBits);
}

/// The same by the hardware, which saturates.
static Value narrowByHardware(LaneBuilder &b, Value magnitude,
                              const Capability &row) {
  OpBuilder &builder = b.builder;
  SmallVector<Value> lanes =
      split(b, b.bitcast(magnitude, builder.getF32Type()));
  SmallVector<Value> bytes;
  Type i16 = builder.getIntegerType(16), i8 = builder.getIntegerType(8);
  for (size_t i = 0; i < lanes.size(); i += 2) {
    // The first operand becomes the high byte.
    Value low = lanes[i], high = lanes[std::min(i + 1, lanes.size() - 1)];
    Value pair = callIntrinsic(b, row.intrinsic, i16, {high, low});
    bytes.push_back(arith::TruncIOp::create(builder, b.loc, i8, pair));
    if (i + 1 == lanes.size())
      break;
    Value eight = arith::ConstantOp::create(builder, b.loc,
                                            builder.getIntegerAttr(i16, 8));
    Value upper = arith::ShRUIOp::create(builder, b.loc, pair, eight);
    bytes.push_back(arith::TruncIOp::create(builder, b.loc, i8, upper));
  }
  return b.extend(join(b, bytes), 32);
}

namespace {
/// Pattern: truncf f32 -> f8 = sign | (overflows ? infinity : isNaN ? NaN :
/// narrow |x|)
struct TruncateToF8 : OpRewritePattern<arith::TruncFOp> {
  TruncateToF8(MLIRContext *context, unsigned arch)
      : OpRewritePattern(context), arch(arch) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    const Format8 *format = getFormat(op.getType());
    Type from = getElementTypeOrSelf(op.getIn().getType());
    if (!format || from.isF64())
      return rewriter.notifyMatchFailure(op, "expects a float to E4M3 or E5M2");
    Location loc = op.getLoc();
    LaneBuilder b(rewriter, loc, op.getType());
    Value value = op.getIn();
    Type f32 = rewriter.getF32Type();
    if (from != f32) // exact
      value = arith::ExtFOp::create(rewriter, loc, b.type(f32), value);
    Value bits = b.bitcast(value, rewriter.getI32Type());
    Value magnitude = b.bitAnd(bits, kMagnitude);
    Value sign = b.bitAnd(b.shiftRight(bits, 24), 0x80);
    const Capability *row = getConversion("f32", getName(op.getType()));
    Value result = row && isAvailable(*row, arch)
                       ? narrowByHardware(b, magnitude, *row)
                       : narrowByIntegers(b, magnitude, *format);
    Value overflows =
        b.compare(CmpIPredicate::uge, magnitude, format->firstOverflow);
    result = b.select(overflows, format->infinity, result);
    if (format->hasInfinity()) {
      Value isNaN = b.compare(CmpIPredicate::ugt, magnitude, kInfinity);
      Value payload =
          b.shiftRight(b.bitAnd(magnitude, 0x7fffff), format->shift());
      result = b.select(isNaN, b.bitOr(payload, format->nan), result);
    }
    Value byte = b.truncate(b.bitOr(result, sign), 8);
    rewriter.replaceOp(op, b.bitcast(byte, getElementTypeOrSelf(op.getType())));
    return success();
  }

  unsigned arch;
};

//===----------------------------------------------------------------------===//
// From 8 bits
//===----------------------------------------------------------------------===//

/// Pattern: extf f8 -> f32 = sign | (isNaN ? NaN : extf (hardware f8 -> f16))
///   or, without it, sign | (isNaN ? NaN : (magnitude << s) * 2^(127 - bias))
///
/// The product is exact: it only moves the exponent, out of the subnormals too.
struct ExtendFromF8 : OpRewritePattern<arith::ExtFOp> {
  ExtendFromF8(MLIRContext *context, unsigned arch)
      : OpRewritePattern(context), arch(arch) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    const Format8 *format = getFormat(op.getIn().getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "expects E4M3 or E5M2");
    Location loc = op.getLoc();
    LaneBuilder b(rewriter, loc, op.getType());
    Type f32 = rewriter.getF32Type();
    Value byte = b.bitcast(op.getIn(), rewriter.getIntegerType(8));
    Value wide = b.extend(byte, 32);
    Value sign = b.shiftLeft(b.bitAnd(wide, 0x80), 24);
    Value code = b.bitAnd(wide, 0x7f);
    Value moved = b.shiftLeft(code, format->shift());
    const Capability *row = getConversion(getName(op.getIn().getType()), "f16");
    Value bits = row && isAvailable(*row, arch)
                     ? widenByHardware(b, b.bitAnd(byte, 0x7f), *row)
                     : widenByProduct(b, moved, *format);
    Value isNaN =
        b.compare(CmpIPredicate::ugt, code,
                  format->hasInfinity() ? format->infinity : format->maxFinite);
    Value nan = b.constantLike(bits, kQuietNaN);
    if (format->hasInfinity()) {
      Value isInfinite = b.compare(CmpIPredicate::eq, code, format->infinity);
      bits = b.select(isInfinite, kInfinity, bits);
      nan = b.bitOr(b.bitAnd(moved, 0x7fffff), kQuietNaN);
    }
    bits = b.select(isNaN, nan, bits);
    Value result = b.bitcast(b.bitOr(bits, sign), f32);
    Type to = getElementTypeOrSelf(op.getType());
    if (to.isF64())
      result = arith::ExtFOp::create(rewriter, loc, op.getType(), result);
    else if (!to.isF32()) // exact
      result = arith::TruncFOp::create(rewriter, loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }

  static Value widenByProduct(LaneBuilder &b, Value moved,
                              const Format8 &format) {
    OpBuilder &builder = b.builder;
    Type f32 = builder.getF32Type();
    Value small = b.bitcast(moved, f32);
    Value factor = b.constant(
        builder.getF32FloatAttr(std::ldexp(1.0f, 127 - format.bias)));
    Value product = arith::MulFOp::create(builder, b.loc, small, factor);
    return b.bitcast(product, builder.getI32Type());
  }

  static Value widenByHardware(LaneBuilder &b, Value byte,
                               const Capability &row) {
    OpBuilder &builder = b.builder;
    Type i16 = builder.getIntegerType(16);
    auto pairType = VectorType::get({2}, builder.getF16Type());
    SmallVector<Value> lanes = split(b, b.extend(byte, 16)), values;
    for (size_t i = 0; i < lanes.size(); i += 2) {
      Value packed = lanes[i];
      if (i + 1 < lanes.size()) {
        Value eight = arith::ConstantOp::create(builder, b.loc,
                                                builder.getIntegerAttr(i16, 8));
        Value upper =
            arith::ShLIOp::create(builder, b.loc, lanes[i + 1], eight);
        packed = arith::OrIOp::create(builder, b.loc, packed, upper);
      }
      Value pair = callIntrinsic(b, row.intrinsic, pairType, packed);
      for (size_t half = 0; half < 2 && i + half < lanes.size(); ++half)
        values.push_back(
            vector::ExtractOp::create(builder, b.loc, pair, int64_t(half)));
    }
    Value wide = arith::ExtFOp::create(
        builder, b.loc, b.type(builder.getF32Type()), join(b, values));
    return b.bitcast(wide, builder.getI32Type());
  }

  unsigned arch;
};

//===----------------------------------------------------------------------===//
// Square roots
//===----------------------------------------------------------------------===//

/// Pattern: sqrt x = call_intrinsic "llvm.nvvm.sqrt.rn" x, lane by lane
///
/// The function of libdevice is approximate where division is.
struct RoundSquareRoot : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SqrtOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "expects f32 or f64");
    LaneBuilder b(rewriter, op.getLoc(), op.getType());
    SmallVector<Value> lanes = split(b, op.getOperand());
    for (Value &lane : lanes)
      lane = callIntrinsic(
          b, element.isF32() ? "llvm.nvvm.sqrt.rn.f" : "llvm.nvvm.sqrt.rn.d",
          element, lane);
    rewriter.replaceOp(op, join(b, lanes));
    return success();
  }
};

struct LowerGPUConversionsPass
    : amp::impl::LowerGPUConversionsPassBase<LowerGPUConversionsPass> {
  using LowerGPUConversionsPassBase::LowerGPUConversionsPassBase;

  void runOnOperation() override {
    std::optional<unsigned> number = parseArchNumber(arch);
    if (!number) {
      emitError(getOperation()->getLoc(),
                "expects an architecture like 'sm_90', but got '")
          << arch << "'";
      return signalPassFailure();
    }
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    populateExactCastPatterns(patterns);
    patterns.add<TruncateToF8, ExtendFromF8>(context, *number);
    patterns.add<RoundSquareRoot>(context);
    // What is emitted stays as it is: folding would merge casts again.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
