//===- FuseEpilogues.cpp - Activations and sums into gemms -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order, so that a forward activation is fused before its
// derivative asks for a mask, and a derivative before the sum of its result.
// Each op looks at its operands' producers and, for sums, at the gemms that
// read the same operand; nothing is looked at twice, so the pass is linear.
//
// An op is fused in three steps: conditions on the graph and on the stated
// numerics, the new gemm, and the rules of every architecture asked about it.
//
//===----------------------------------------------------------------------===//

#include "EpilogueRules.h"

#include "amp/Conversion/Passes.h"
#include "amp/Conversion/Utils/LinalgBuilder.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"
#include "amp/Dialect/NN/IR/NNDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include <functional>

namespace mlir::amp {
#define GEN_PASS_DEF_FUSEEPILOGUESPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;
using amprt::Epilogue;
using amprt::GemmOp;

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

static bool isReshape(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

/// What `value` is a reshape of.
static Value getReshaped(Value value) {
  while (isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The gemm of `op`'s block whose product the operand `value` of `op` is,
/// perhaps reshaped; null if it is not one.
static GemmOp getProducer(Operation *op, Value value) {
  Value product = getReshaped(value);
  auto gemm = product.getDefiningOp<GemmOp>();
  if (!gemm || gemm.getResult() != product ||
      gemm->getBlock() != op->getBlock())
    return {};
  return gemm;
}

/// Whether one op alone reads `value` and what it is a reshape of.
static bool isReadOnce(Value value) {
  while (value.hasOneUse() && isReshape(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.hasOneUse();
}

/// Removes `op` and the reshapes and the gemm that it alone read.
static void eraseWithProducers(Operation *op) {
  while (op && op->use_empty()) {
    Operation *producer =
        op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
    bool isGemm = isa<GemmOp>(op);
    op->erase();
    if (isGemm || !(isReshape(producer) || isa_and_nonnull<GemmOp>(producer)))
      return;
    op = producer;
  }
}

/// Removes a gemm that was not to be, and the tensor made for its second out.
static void eraseUnused(GemmOp gemm) {
  Value extra = gemm.getExtraOut();
  gemm->erase();
  if (extra)
    extra.getDefiningOp()->erase();
}

static bool isPlain(GemmOp gemm) {
  return gemm.getEpilogue() == Epilogue::none && gemm.getBeta().isZero();
}

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// `gemm` with another epilogue, at `builder`'s place. `extra`, where not null,
/// is the type of a second out.
static GemmOp createLike(OpBuilder &builder, GemmOp gemm, Operation *fused,
                         Epilogue epilogue, Value aux, Type extra) {
  Location loc = builder.getFusedLoc({gemm.getLoc(), fused->getLoc()});
  SmallVector<Value> outs{gemm.getOut()};
  SmallVector<Type> types{gemm.getResult().getType()};
  if (extra) {
    auto type = cast<RankedTensorType>(extra);
    outs.push_back(tensor::EmptyOp::create(builder, loc, type.getShape(),
                                           type.getElementType()));
    types.push_back(type);
  }
  auto result = GemmOp::create(
      builder, loc, types, gemm.getLhs(), gemm.getRhs(), gemm.getBias(), aux,
      outs, gemm.getTransposeLhs(), gemm.getTransposeRhs(), gemm.getAlpha(),
      gemm.getBeta(), epilogue, gemm.getNumerics(), gemm.getPhaseAttr());
  result->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  return result;
}

/// The runtime keeps gelu's input in rows of a multiple of 8 elements, and the
/// tensor that others read has no padding.
static bool hasRowsForGelu(GemmOp gemm) {
  return getShape(gemm.getResult()).back() % 8 == 0;
}

//===----------------------------------------------------------------------===//
// Numerics
//===----------------------------------------------------------------------===//

/// What a fused epilogue computes from is the accumulator instead of the
/// rounded product. That is the same where there is no rounding, and allowed
/// where the numerics say so.
static bool mayUseAccumulator(GemmOp gemm) {
  return gemm.getNumerics().getExcess() == Excess::allow ||
         getElementTypeOrSelf(gemm.getResult().getType()).isF32();
}

/// The mask tells whether the accumulator is above 0, the derivative asks for
/// the rounded result. They differ where the accumulator rounds to 0: for bf16,
/// only f32 subnormals do, and these may be flushed where subnormals are free.
static bool mayUseMask(GemmOp gemm) {
  return mayUseAccumulator(gemm) ||
         (getElementTypeOrSelf(gemm.getResult().getType()).isBF16() &&
          gemm.getNumerics().getSubnormals() == Subnormals::any);
}

/// Whether a sum may be left to the library: f32, in any order.
static bool isFreeSum(nn::ReduceSumOp op) {
  NumericsAttr numerics = op.getNumericsAttr();
  if (!numerics)
    return true;
  return numerics.getOrder().kind == AccumulationOrder::Kind::any &&
         numerics.getSubnormals() == Subnormals::any && !numerics.getLhs() &&
         numerics.getAccumulateOrF32().isF32();
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

namespace {
class EpilogueFuser {
public:
  EpilogueFuser(FunctionOpInterface function, const EpilogueRules &rules)
      : function(function), rules(rules), builder(function.getContext()) {}

  void run();

private:
  void detachRelu(GemmOp gemm);
  void fuseRelu(nn::ReluOp op);
  void fuseGelu(nn::GeluOp op);
  void fuseReluGrad(nn::ReluGradOp op);
  void fuseGeluGrad(nn::GeluGradOp op);
  void fuseSum(nn::ReduceSumOp op);
  bool replaceSum(nn::ReduceSumOp op, GemmOp gemm, Epilogue epilogue,
                  Operation *place);
  bool fuseSumOfResult(nn::ReduceSumOp op, GemmOp gemm);
  bool fuseSumOfOperand(nn::ReduceSumOp op, GemmOp gemm);

  /// Asks the rules; says why and erases `gemm` where they refuse it.
  bool keepIfLegal(GemmOp gemm, Operation *fused);
  /// Puts `gemm`'s product in the place of `op`, and removes what it replaces.
  void replace(Operation *op, GemmOp gemm);

  remark::RemarkOpts options(StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("amprt-fuse-epilogues")
        .function(function.getName());
  }
  void reportFused(Location loc, GemmOp gemm) {
    remark::passed(loc, options("Fused")) << remark::metric(
        "epilogue", amprt::stringifyEpilogue(gemm.getEpilogue()));
  }
  void reportMissed(Operation *op, const Twine &why) {
    remark::missed(op->getLoc(), options("NotFused"))
        << remark::metric("op", op->getName().getStringRef())
        << remark::reason("{0}", why.str());
  }

  FunctionOpInterface function;
  const EpilogueRules &rules;
  OpBuilder builder;
};
} // namespace

bool EpilogueFuser::keepIfLegal(GemmOp gemm, Operation *fused) {
  std::string why;
  if (rules.allow(gemm, why))
    return true;
  reportMissed(fused, why);
  eraseUnused(gemm);
  return false;
}

void EpilogueFuser::replace(Operation *op, GemmOp gemm) {
  builder.setInsertionPointAfter(gemm);
  Value result = op->getResult(0);
  result.replaceAllUsesWith(
      buildReshape(builder, op->getLoc(), gemm.getResult(), getShape(result)));
  reportFused(op->getLoc(), gemm);
  eraseWithProducers(op);
}

/// Pattern: relu(gemm) of an epilogue becomes a relu after it.
void EpilogueFuser::detachRelu(GemmOp gemm) {
  gemm.setEpilogue(gemm.getBias() ? Epilogue::bias : Epilogue::none);
  builder.setInsertionPointAfter(gemm);
  Value product = gemm.getResult();
  auto relu = nn::ReluOp::create(builder, gemm.getLoc(), product);
  product.replaceAllUsesExcept(relu, relu);
}

/// Pattern: relu(gemm(x, w) + b) = gemm[bias_relu](x, w, b)
void EpilogueFuser::fuseRelu(nn::ReluOp op) {
  GemmOp gemm = getProducer(op, op.getInput());
  if (!gemm)
    return;
  if (!rules.fuses(EpilogueFamily::relu))
    return;
  if (gemm.getEpilogue() != Epilogue::none &&
      gemm.getEpilogue() != Epilogue::bias)
    return reportMissed(op, "the product has an epilogue already");
  if (!rules.keepsNaN())
    return reportMissed(op, "whether the library's relu keeps NaN is assumed, "
                            "and an overflow must not be hidden: "
                            "nan-relu=assume-propagates takes it for granted");
  if (!isReadOnce(op.getInput()))
    return reportMissed(op, "the product has other readers");
  builder.setInsertionPoint(gemm);
  GemmOp fused = createLike(
      builder, gemm, op, gemm.getBias() ? Epilogue::bias_relu : Epilogue::relu,
      /*aux=*/Value(), /*extra=*/Type());
  if (keepIfLegal(fused, op))
    replace(op, fused);
}

/// Pattern: gelu(gemm(x, w) + b) = gemm[bias_gelu_tanh](x, w, b)
/// Pattern: y, gelu(y) = gemm[gelu_aux]#1, gemm[gelu_aux]#0
void EpilogueFuser::fuseGelu(nn::GeluOp op) {
  GemmOp gemm = getProducer(op, op.getInput());
  if (!gemm || !rules.fuses(EpilogueFamily::gelu))
    return;
  if (op.getApproximate() != nn::GeluKind::tanh)
    return reportMissed(op, "the library computes the tanh form of gelu, and "
                            "this is the erf form");
  if (gemm.getEpilogue() != Epilogue::none &&
      gemm.getEpilogue() != Epilogue::bias)
    return reportMissed(op, "the product has an epilogue already");
  if (!mayUseAccumulator(gemm))
    return reportMissed(op, "the product is rounded before gelu: fusing them "
                            "needs excess = allow or a result of f32");
  builder.setInsertionPoint(gemm);
  if (isReadOnce(op.getInput())) {
    GemmOp fused = createLike(builder, gemm, op,
                              gemm.getBias() ? Epilogue::bias_gelu_tanh
                                             : Epilogue::gelu_tanh,
                              /*aux=*/Value(), /*extra=*/Type());
    if (keepIfLegal(fused, op))
      replace(op, fused);
    return;
  }
  if (!hasRowsForGelu(gemm))
    return reportMissed(op, "gelu's input is kept in rows of a multiple of 8 "
                            "elements");
  GemmOp fused = createLike(builder, gemm, op, Epilogue::gelu_aux,
                            /*aux=*/Value(), gemm.getResult().getType());
  if (!keepIfLegal(fused, op))
    return;
  gemm.getResult().replaceAllUsesWith(fused.getResults()[1]);
  replace(op, fused);
  gemm->erase();
}

/// Pattern: relu_grad(gemm(c, w), relu(y)) = gemm[drelu](c, w, y > 0)
void EpilogueFuser::fuseReluGrad(nn::ReluGradOp op) {
  GemmOp gemm = getProducer(op, op.getCotangent());
  if (!gemm || !rules.fuses(EpilogueFamily::drelu))
    return;
  GemmOp forward = getProducer(op, op.getOutput());
  bool hasMask = forward && forward.getEpilogue() == Epilogue::relu_aux;
  if (!forward || (!hasMask && forward.getEpilogue() != Epilogue::relu &&
                   forward.getEpilogue() != Epilogue::bias_relu))
    return reportMissed(op, "its relu is not the epilogue of a product, which "
                            "could give a mask");
  if (!isPlain(gemm) || !isReadOnce(op.getCotangent()))
    return reportMissed(op, "its cotangent is no product that it alone reads");
  if (getShape(forward.getResult()) != getShape(gemm.getResult()))
    return reportMissed(op, "the two products differ in shape");
  if (!mayUseMask(forward))
    return reportMissed(op, "the mask is that of the values before rounding: "
                            "it needs excess = allow or a result of f32");
  GemmOp masked = forward;
  if (!hasMask) {
    SmallVector<int64_t> shape(getShape(forward.getResult()));
    shape.back() = amprt::getMaskRowBytes(shape.back());
    builder.setInsertionPoint(forward);
    masked = createLike(builder, forward, op, Epilogue::relu_aux,
                        /*aux=*/Value(),
                        RankedTensorType::get(shape, builder.getI8Type()));
    if (!keepIfLegal(masked, op))
      return;
  }
  builder.setInsertionPoint(op);
  GemmOp fused = createLike(builder, gemm, op, Epilogue::drelu,
                            masked.getResults()[1], /*extra=*/Type());
  if (!keepIfLegal(fused, op)) {
    if (!hasMask)
      eraseUnused(masked);
    return;
  }
  if (!hasMask) {
    forward.getResult().replaceAllUsesWith(masked.getResult());
    reportFused(forward.getLoc(), masked);
    forward->erase();
  }
  replace(op, fused);
}

/// Pattern: gelu_grad(gemm(c, w), y) = gemm[dgelu](c, w, y)
void EpilogueFuser::fuseGeluGrad(nn::GeluGradOp op) {
  GemmOp gemm = getProducer(op, op.getCotangent());
  if (!gemm || !rules.fuses(EpilogueFamily::dgelu))
    return;
  if (op.getApproximate() != nn::GeluKind::tanh)
    return reportMissed(op, "the library computes the tanh form of gelu, and "
                            "this is the erf form");
  if (!isPlain(gemm) || !isReadOnce(op.getCotangent()))
    return reportMissed(op, "its cotangent is no product that it alone reads");
  if (!mayUseAccumulator(gemm))
    return reportMissed(op, "the product is rounded before it meets gelu's "
                            "slope: fusing them needs excess = allow or a "
                            "result of f32");
  if (!hasRowsForGelu(gemm))
    return reportMissed(op, "gelu's input is kept in rows of a multiple of 8 "
                            "elements");
  builder.setInsertionPoint(op);
  Value input = buildReshape(builder, op.getLoc(), op.getInput(),
                             getShape(gemm.getResult()));
  GemmOp fused = createLike(builder, gemm, op, Epilogue::dgelu, input,
                            /*extra=*/Type());
  if (keepIfLegal(fused, op))
    replace(op, fused);
  else if (isReshape(input.getDefiningOp()) && input.use_empty())
    input.getDefiningOp()->erase();
}

/// Whether `op` sums the rows of a matrix [rows, columns], perhaps reshaped.
static bool isSumOfRows(nn::ReduceSumOp op) {
  int64_t rank = getShape(op.getInput()).size();
  return rank >= 2 && !op.getKeepdims() &&
         llvm::equal(op.getDims(), llvm::seq<int64_t>(0, rank - 1));
}

/// Makes the sum `op` the second result of `gemm` with `epilogue`, at `place`.
bool EpilogueFuser::replaceSum(nn::ReduceSumOp op, GemmOp gemm,
                               Epilogue epilogue, Operation *place) {
  builder.setInsertionPoint(place);
  GemmOp fused = createLike(builder, gemm, op, epilogue, gemm.getAux(),
                            op.getResult().getType());
  if (!keepIfLegal(fused, op))
    return false;
  op.getResult().replaceAllUsesWith(fused.getResults()[1]);
  gemm.getResult().replaceAllUsesWith(fused.getResult());
  reportFused(op.getLoc(), fused);
  op->erase();
  gemm->erase();
  return true;
}

/// Pattern: d = gemm[drelu](...), sum(d) over its rows = gemm[drelu_bgrad]
bool EpilogueFuser::fuseSumOfResult(nn::ReduceSumOp op, GemmOp gemm) {
  Epilogue epilogue;
  if (gemm.getEpilogue() == Epilogue::drelu)
    epilogue = Epilogue::drelu_bgrad;
  else if (gemm.getEpilogue() == Epilogue::dgelu)
    epilogue = Epilogue::dgelu_bgrad;
  else
    return false;
  if (getShape(gemm.getResult()).size() != 2 || !mayUseAccumulator(gemm))
    return false;
  return replaceSum(op, gemm, epilogue, /*place=*/gemm);
}

/// Pattern: gemm(c^T, x), sum(c) over its rows = gemm[bias_grad_lhs](c^T, x)
/// Pattern: gemm(x^T, c), sum(c) over its rows = gemm[bias_grad_rhs](x^T, c)
bool EpilogueFuser::fuseSumOfOperand(nn::ReduceSumOp op, GemmOp gemm) {
  bool isLhs = gemm.getTransposeLhs() &&
               getReshaped(gemm.getLhs()) == getReshaped(op.getInput());
  // The sum's readers must come after the gemm, or the gemm before the sum.
  Operation *place = gemm;
  if (op->isBeforeInBlock(gemm)) {
    auto isReady = [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return !producer || producer->isBeforeInBlock(op);
    };
    if (llvm::all_of(gemm->getOperands(), isReady))
      place = op;
    else if (llvm::any_of(op->getUsers(), [&](Operation *user) {
               return user->isBeforeInBlock(gemm);
             }))
      return false;
  }
  return replaceSum(op, gemm,
                    isLhs ? Epilogue::bias_grad_lhs : Epilogue::bias_grad_rhs,
                    place);
}

/// The products that contract what `op` sums, perhaps reshaped, over its rows,
/// in program order.
static SmallVector<GemmOp> findContractionsOverRows(nn::ReduceSumOp op,
                                                    int64_t columns) {
  llvm::SetVector<GemmOp> gemms;
  SmallVector<Value> worklist{getReshaped(op.getInput())};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      if (isReshape(use.getOwner()))
        worklist.push_back(use.getOwner()->getResult(0));
      auto gemm = dyn_cast<GemmOp>(use.getOwner());
      if (!gemm || gemm->getBlock() != op->getBlock() || !isPlain(gemm) ||
          getShape(gemm.getResult()).size() != 2 ||
          getShape(value).back() != columns)
        continue;
      if ((&use == &gemm.getLhsMutable() && gemm.getTransposeLhs()) ||
          (&use == &gemm.getRhsMutable() && !gemm.getTransposeRhs()))
        gemms.insert(gemm);
    }
  }
  SmallVector<GemmOp> sorted = gemms.takeVector();
  llvm::sort(sorted, [](GemmOp a, GemmOp b) { return a->isBeforeInBlock(b); });
  return sorted;
}

void EpilogueFuser::fuseSum(nn::ReduceSumOp op) {
  if (!rules.fuses(EpilogueFamily::biasGrad) || !isSumOfRows(op))
    return;
  int64_t columns = getShape(op.getInput()).back();
  GemmOp producer = getProducer(op, op.getInput());
  if (producer && getShape(producer.getResult()).back() != columns)
    producer = {};
  SmallVector<GemmOp> gemms = findContractionsOverRows(op, columns);
  if (!producer && gemms.empty())
    return; // A sum like any other.
  if (!isFreeSum(op)) {
    if (!gemms.empty())
      reportMissed(op, "the sum states how it is computed: the library "
                       "promises f32 in any order");
    return;
  }
  if (producer && fuseSumOfResult(op, producer))
    return;
  for (GemmOp gemm : gemms) {
    // The library may sum what enters the multiplier.
    NumericsAttr numerics = gemm.getNumerics();
    if (numerics.getLhs() || numerics.getRhs()) {
      reportMissed(op, "operands are narrowed when they enter the product");
      return;
    }
    if (fuseSumOfOperand(op, gemm))
      return;
  }
}

void EpilogueFuser::run() {
  SmallVector<GemmOp> relus;
  function->walk([&](GemmOp gemm) {
    if (gemm.getEpilogue() == Epilogue::relu ||
        gemm.getEpilogue() == Epilogue::bias_relu)
      relus.push_back(gemm);
  });
  if (!rules.keepsNaN())
    for (GemmOp gemm : relus)
      detachRelu(gemm);
  // Fusing changes what is walked over, so it comes after the walk.
  SmallVector<std::function<void()>> fusions;
  function->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](nn::ReluOp op) { fusions.push_back([=] { fuseRelu(op); }); })
        .Case([&](nn::GeluOp op) { fusions.push_back([=] { fuseGelu(op); }); })
        .Case([&](nn::ReluGradOp op) {
          fusions.push_back([=] { fuseReluGrad(op); });
        })
        .Case([&](nn::GeluGradOp op) {
          fusions.push_back([=] { fuseGeluGrad(op); });
        })
        .Case([&](nn::ReduceSumOp op) {
          fusions.push_back([=] { fuseSum(op); });
        });
  });
  for (const std::function<void()> &fuse : fusions)
    fuse();
}

namespace {
struct FuseEpiloguesPass : amp::impl::FuseEpiloguesPassBase<FuseEpiloguesPass> {
  using FuseEpiloguesPassBase::FuseEpiloguesPassBase;

  void runOnOperation() override {
    FailureOr<EpilogueRules> rules = EpilogueRules::create(
        epilogues, archs, nanRelu, [&](const Twine &message) {
          return getOperation()->emitError(message);
        });
    if (failed(rules))
      return signalPassFailure();
    getOperation()->walk([&](FunctionOpInterface function) {
      if (!function.isExternal())
        EpilogueFuser(function, *rules).run();
    });
  }
};
} // namespace
