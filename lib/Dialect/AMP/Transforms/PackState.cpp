//===- PackState.cpp - Flat buffers of training state ---------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each step function:
//
// 1. Put the buffers in front of the old state arguments, and remember which
//    slice of which flat value an old value is.
// 2. Rewrite ops over all gradients to one operand per buffer. A list of values
//    becomes flat where it is already a buffer's slices, by making elementwise
//    ops on such slices flat, or by `amprt.concat`.
// 3. Do the same to the returned state, slice the buffers for what still reads
//    single parameters, and drop the old arguments.
//
//===----------------------------------------------------------------------===//

#include "amp/Dialect/AMP/IR/AMPDialect.h"
#include "amp/Dialect/AMP/Transforms/Passes.h"
#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::amp {
#define GEN_PASS_DEF_PACKSTATEPASS
#include "amp/Dialect/AMP/Transforms/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Buffers and the states in them start at multiples of this.
static constexpr int64_t alignmentBytes = 64;

namespace {
/// One buffer of the new layout. A rank-0 state is a buffer of its own.
struct Buffer {
  std::string name;
  Role role;
  RankedTensorType type;
  SmallVector<unsigned> states; // indices of the old states, in order
  SmallVector<int64_t> offsets; // of each state, in elements
  SmallVector<RankedTensorType> types;

  bool isFlat() const { return !types.empty() && types.front().getRank() > 0; }
  int64_t getNumElements() const {
    int64_t total = 0;
    for (RankedTensorType pieceType : types)
      total += pieceType.getNumElements();
    return total;
  }
};

/// The new layout of a module's state.
class Layout {
public:
  LogicalResult compute(ModuleOp module);
  void attach(ModuleOp module) const;
  ArrayRef<StateAttr> getStates() const { return states; }
  ArrayRef<Buffer> getBuffers() const { return buffers; }
  /// The buffers that hold parameters, in order.
  ArrayRef<unsigned> getParameterBuffers() const { return parameterBuffers; }
  unsigned getNumParameters() const { return numParameters; }

private:
  std::string makeKey(StateAttr state) const;
  SmallVector<StateAttr> states;
  SmallVector<Buffer> buffers;
  SmallVector<unsigned> parameterBuffers;
  unsigned numParameters = 0;
};

/// A value that is piece `piece` of a flat value.
struct Slice {
  Value flat;
  unsigned piece;
};

/// Rewrites one step function.
class Packer {
public:
  Packer(func::FuncOp function, const Layout &layout)
      : function(function), layout(layout), builder(function.getContext()) {}
  void run();

private:
  void insertBuffers();
  void rewriteOps();
  void rewriteReturn();
  void materializeSlices();
  void eraseOldState();

  void rewriteList(Operation *op, OperandRange gradients, bool hasResults);
  void rewriteUpdate(GuardedUpdateOp op);
  std::optional<SmallVector<Value>> flattenList(ValueRange values);
  Value flatten(const Buffer &buffer, ValueRange values);
  Value findFlat(ValueRange values) const;
  Value flattenElementwise(const Buffer &buffer, ValueRange values);
  void replaceResults(Operation *op, ValueRange flats, unsigned firstResult);
  Value buildSlice(const Buffer &buffer, unsigned piece, Value flat);

  func::FuncOp function;
  const Layout &layout;
  OpBuilder builder;
  DenseMap<Value, Slice> slices;
  SmallVector<std::pair<Value, unsigned>> replaced; // old value, its buffer
  SmallVector<Operation *> dead;
};
} // namespace

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

/// `<role>[.<slot>].<element type>[.<group>]`: states with one key share a
/// buffer.
std::string Layout::makeKey(StateAttr state) const {
  std::string key = stringifyRole(state.getRole()).str();
  StringRef slot = state.getName();
  if (state.getRole() == Role::optimizer_state && state.getOf() &&
      slot.consume_front(state.getOf().getValue()))
    key += slot;
  llvm::raw_string_ostream os(key);
  os << "." << state.getType().getElementType();
  if (state.getGroup() != "default")
    os << "." << state.getGroup().getValue();
  return key;
}

LogicalResult Layout::compute(ModuleOp module) {
  auto manifest = module->getAttrOfType<ArrayAttr>(kStateAttrName);
  if (!manifest)
    return module.emitError() << "expects the attribute '" << kStateAttrName
                              << "': run -amp-build-train-step first";
  states = llvm::to_vector(manifest.getAsRange<StateAttr>());
  int64_t smallest = alignmentBytes;
  for (auto [index, state] : llvm::enumerate(states)) {
    if (state.getBuffer() != static_cast<int64_t>(index) ||
        state.getOffset() != 0)
      return module.emitError()
             << "expects unpacked state, but '" << state.getName().getValue()
             << "' lies in buffer " << state.getBuffer() << " at "
             << state.getOffset();
    numParameters += state.getRole() == Role::parameter;
    if (state.getType().getRank() > 0)
      smallest = std::min<int64_t>(
          smallest,
          llvm::divideCeil(state.getType().getElementTypeBitWidth(), 8));
  }
  // One alignment in elements for all buffers: parameters, gradients and slots
  // then have equal offsets whatever their element types.
  int64_t alignment = alignmentBytes / smallest;
  llvm::StringMap<unsigned> known;
  for (auto [index, state] : llvm::enumerate(states)) {
    bool flat = state.getType().getRank() > 0;
    std::string key = flat ? makeKey(state) : state.getName().str();
    auto [entry, isNew] = known.try_emplace(key, buffers.size());
    if (isNew) {
      buffers.push_back({key, state.getRole(), state.getType(), {}, {}, {}});
      if (flat && state.getRole() == Role::parameter)
        parameterBuffers.push_back(entry->second);
    }
    Buffer &buffer = buffers[entry->second];
    int64_t offset = 0;
    if (!buffer.states.empty())
      offset = llvm::alignTo(buffer.offsets.back() +
                                 buffer.types.back().getNumElements(),
                             alignment);
    buffer.states.push_back(index);
    buffer.offsets.push_back(offset);
    buffer.types.push_back(state.getType());
  }
  for (Buffer &buffer : buffers) {
    if (!buffer.isFlat())
      continue;
    int64_t size = llvm::alignTo(buffer.offsets.back() +
                                     buffer.types.back().getNumElements(),
                                 alignment);
    buffer.type = RankedTensorType::get({size}, buffer.type.getElementType());
  }
  return success();
}

void Layout::attach(ModuleOp module) const {
  MLIRContext *context = module.getContext();
  SmallVector<Attribute> newStates(states.begin(), states.end()), newBuffers;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    newBuffers.push_back(BufferAttr::get(context,
                                         StringAttr::get(context, buffer.name),
                                         buffer.role, buffer.type));
    for (auto [piece, stateIndex] : llvm::enumerate(buffer.states)) {
      StateAttr state = states[stateIndex];
      newStates[stateIndex] =
          StateAttr::get(context, state.getName(), state.getRole(),
                         state.getType(), state.getInit(), state.getGroup(),
                         state.getOf(), index, buffer.offsets[piece]);
    }
  }
  module->setAttr(kStateAttrName, ArrayAttr::get(context, newStates));
  module->setAttr(kBuffersAttrName, ArrayAttr::get(context, newBuffers));
}

//===----------------------------------------------------------------------===//
// Lists of values as flat values
//===----------------------------------------------------------------------===//

/// `type` with the element type of `value`.
static RankedTensorType withElementOf(RankedTensorType type, Value value) {
  return RankedTensorType::get(type.getShape(), getElementTypeOrSelf(value));
}

/// The flat value whose pieces, in order, `values` are; null if there is none.
Value Packer::findFlat(ValueRange values) const {
  Value flat;
  for (auto [index, value] : llvm::enumerate(values)) {
    auto slice = slices.find(value);
    if (slice == slices.end() || slice->second.piece != index ||
        (flat && flat != slice->second.flat))
      return Value();
    flat = slice->second.flat;
  }
  return flat;
}

/// Makes one flat op of equal elementwise ops on the pieces of a buffer; null
/// if `values` are something else.
Value Packer::flattenElementwise(const Buffer &buffer, ValueRange values) {
  Operation *first = values.front().getDefiningOp();
  if (!first || !first->hasTrait<OpTrait::Elementwise>() ||
      first->getNumResults() != 1 || first->getNumRegions() != 0)
    return Value();
  for (Value value : values) {
    Operation *op = value.getDefiningOp();
    if (!op || !value.hasOneUse() || op->getName() != first->getName() ||
        op->getAttrDictionary() != first->getAttrDictionary() ||
        op->getNumOperands() != first->getNumOperands())
      return Value();
  }
  auto getOperands = [&](unsigned index) {
    return llvm::map_to_vector(values, [&](Value value) {
      return value.getDefiningOp()->getOperand(index);
    });
  };
  bool readsFlat = false;
  for (unsigned index = 0; index < first->getNumOperands(); ++index)
    readsFlat |= static_cast<bool>(findFlat(getOperands(index)));
  if (!readsFlat)
    return Value();
  SmallVector<Value> operands;
  for (unsigned index = 0; index < first->getNumOperands(); ++index)
    operands.push_back(flatten(buffer, getOperands(index)));
  Operation *flatOp = builder.clone(*first);
  flatOp->setOperands(operands);
  flatOp->getResult(0).setType(withElementOf(buffer.type, values.front()));
  for (Value value : values)
    dead.push_back(value.getDefiningOp());
  return flatOp->getResult(0);
}

Value Packer::flatten(const Buffer &buffer, ValueRange values) {
  if (Value flat = findFlat(values))
    return flat;
  Value flat = flattenElementwise(buffer, values);
  if (!flat) {
    RankedTensorType type = withElementOf(buffer.type, values.front());
    flat = amprt::ConcatOp::create(builder, values.front().getLoc(), type,
                                   values, buffer.offsets);
  }
  for (auto [index, value] : llvm::enumerate(values))
    slices.try_emplace(value, Slice{flat, static_cast<unsigned>(index)});
  return flat;
}

/// One flat value per parameter buffer from one value per parameter; none where
/// the list is not one of values shaped like the parameters.
std::optional<SmallVector<Value>> Packer::flattenList(ValueRange values) {
  if (values.size() != layout.getNumParameters())
    return std::nullopt;
  SmallVector<Value> flats;
  for (unsigned index : layout.getParameterBuffers()) {
    const Buffer &buffer = layout.getBuffers()[index];
    SmallVector<Value> pieces;
    for (auto [state, type] : llvm::zip_equal(buffer.states, buffer.types)) {
      // Parameters are the first states.
      pieces.push_back(values[state]);
      if (cast<RankedTensorType>(pieces.back().getType()).getShape() !=
          type.getShape())
        return std::nullopt;
    }
    flats.push_back(flatten(buffer, pieces));
  }
  return flats;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Records that results `firstResult...` of `op`, one per parameter, are the
/// pieces of `flats`.
void Packer::replaceResults(Operation *op, ValueRange flats,
                            unsigned firstResult) {
  for (auto [index, flat] :
       llvm::zip_equal(layout.getParameterBuffers(), flats)) {
    const Buffer &buffer = layout.getBuffers()[index];
    for (auto [piece, state] : llvm::enumerate(buffer.states)) {
      Value old = op->getResult(firstResult + state);
      slices[old] = Slice{flat, static_cast<unsigned>(piece)};
      replaced.push_back({old, index});
    }
  }
}

/// Rewrites an op over a list of gradients: its other operands stay, its
/// results, if it has one per gradient, become flat.
void Packer::rewriteList(Operation *op, OperandRange gradients,
                         bool hasResults) {
  builder.setInsertionPoint(op);
  std::optional<SmallVector<Value>> flats = flattenList(gradients);
  if (!flats)
    return;
  unsigned begin = gradients.getBeginOperandIndex();
  SmallVector<Value> operands(op->operand_begin(), op->operand_begin() + begin);
  llvm::append_range(operands, *flats);
  operands.append(op->operand_begin() + begin + gradients.size(),
                  op->operand_end());
  SmallVector<Type> types;
  if (hasResults)
    for (Value flat : *flats)
      types.push_back(RankedTensorType::get(
          cast<RankedTensorType>(flat.getType()).getShape(),
          builder.getF32Type()));
  else
    llvm::append_range(types, op->getResultTypes());
  OperationState state(op->getLoc(), op->getName(), operands, types, {});
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.attributes = op->getDiscardableAttrDictionary();
  // Ops with several operand groups state how long each one is.
  if (auto found = dyn_cast<FoundInfOp>(op)) {
    auto norm = found.getNorm();
    Operation *flatOp = FoundInfOp::create(builder, op->getLoc(),
                                           found.getType(), *flats, norm);
    found.replaceAllUsesWith(flatOp->getResult(0));
    dead.push_back(op);
    return;
  }
  Operation *flatOp = builder.create(state);
  if (hasResults)
    replaceResults(op, flatOp->getResults(), 0);
  else
    op->replaceAllUsesWith(flatOp);
  if (auto share = dyn_cast<ZeroShareOp>(flatOp)) {
    int64_t elements = 0;
    for (unsigned index : layout.getParameterBuffers())
      elements += layout.getBuffers()[index].getNumElements();
    if (!share.getElements())
      share.setElements(elements);
  }
  dead.push_back(op);
}

void Packer::rewriteUpdate(GuardedUpdateOp op) {
  builder.setInsertionPoint(op);
  unsigned numParameters = op.getNumParameters();
  if (numParameters != layout.getNumParameters())
    return;
  std::optional<SmallVector<Value>> gradients = flattenList(op.getGradients());
  if (!gradients)
    return;
  SmallVector<Value> flatStates;
  for (unsigned slot = 0; slot < op.getNumStates(); ++slot) {
    std::optional<SmallVector<Value>> flats =
        flattenList(op.getStates().slice(slot * numParameters, numParameters));
    if (!flats)
      return;
    llvm::append_range(flatStates, *flats);
  }
  auto update = GuardedUpdateOp::create(
      builder, op.getLoc(), ValueRange(flatStates).getTypes(), op.getSkip(),
      flatStates, *gradients, op.getScalars(), op.getGroupAttr());
  update.getUpdate().takeBody(op.getUpdate());
  unsigned numBuffers = layout.getParameterBuffers().size();
  for (unsigned slot = 0; slot < op.getNumStates(); ++slot)
    replaceResults(op, update.getResults().slice(slot * numBuffers, numBuffers),
                   slot * numParameters);
  dead.push_back(op);
}

void Packer::rewriteOps() {
  for (Operation &op : llvm::make_early_inc_range(function.front())) {
    if (auto unscale = dyn_cast<UnscaleGradsOp>(op))
      rewriteList(&op, unscale.getGradients(), /*hasResults=*/true);
    else if (auto clip = dyn_cast<ClipByGlobalNormOp>(op))
      rewriteList(&op, clip.getGradients(), /*hasResults=*/true);
    else if (auto norm = dyn_cast<GlobalNormOp>(op))
      rewriteList(&op, norm.getGradients(), /*hasResults=*/false);
    else if (auto found = dyn_cast<FoundInfOp>(op))
      rewriteList(&op, found.getGradients(), /*hasResults=*/false);
    else if (auto share = dyn_cast<ZeroShareOp>(op))
      rewriteList(&op, share.getGradients(), /*hasResults=*/false);
    else if (auto update = dyn_cast<GuardedUpdateOp>(op))
      rewriteUpdate(update);
  }
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

/// The attributes of a buffer's argument or result from those of its first
/// state.
static DictionaryAttr makeAttributes(MLIRContext *context, const Buffer &buffer,
                                     DictionaryAttr ofState, bool isArgument) {
  NamedAttrList attributes(ofState);
  attributes.set(kRoleAttrName, RoleAttr::get(context, buffer.role));
  attributes.set(kNameAttrName, StringAttr::get(context, buffer.name));
  if (isArgument)
    attributes.set("bufferization.writable", BoolAttr::get(context, true));
  return attributes.getDictionary(context);
}

void Packer::insertBuffers() {
  ArrayRef<Buffer> buffers = layout.getBuffers();
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    DictionaryAttr ofState =
        function.getArgAttrDict(index + buffer.states.front());
    (void)function.insertArgument(index, buffer.type,
                                  makeAttributes(function.getContext(), buffer,
                                                 ofState, /*isArgument=*/true),
                                  function.getLoc());
  }
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    Value flat = function.getArgument(index);
    for (auto [piece, state] : llvm::enumerate(buffer.states)) {
      Value old = function.getArgument(buffers.size() + state);
      if (!buffer.isFlat()) {
        old.replaceAllUsesWith(flat);
        continue;
      }
      slices[old] = Slice{flat, static_cast<unsigned>(piece)};
      replaced.push_back({old, static_cast<unsigned>(index)});
    }
  }
}

void Packer::rewriteReturn() {
  Operation *terminator = function.front().getTerminator();
  builder.setInsertionPoint(terminator);
  unsigned numStates = layout.getStates().size();
  SmallVector<Value> operands;
  for (const Buffer &buffer : layout.getBuffers()) {
    SmallVector<Value> values;
    for (unsigned state : buffer.states)
      values.push_back(terminator->getOperand(state));
    operands.push_back(buffer.isFlat() ? flatten(buffer, values)
                                       : values.front());
  }
  llvm::append_range(operands,
                     llvm::drop_begin(terminator->getOperands(), numStates));
  terminator->setOperands(operands);
  for (auto [index, buffer] : llvm::enumerate(layout.getBuffers())) {
    DictionaryAttr ofState =
        function.getResultAttrDict(index + buffer.states.front());
    (void)function.insertResult(index, buffer.type,
                                makeAttributes(function.getContext(), buffer,
                                               ofState, /*isArgument=*/false));
  }
  unsigned numBuffers = layout.getBuffers().size();
  BitVector old(function.getNumResults());
  old.set(numBuffers, numBuffers + numStates);
  (void)function.eraseResults(old);
}

Value Packer::buildSlice(const Buffer &buffer, unsigned piece, Value flat) {
  RankedTensorType type = withElementOf(buffer.types[piece], flat);
  int64_t size = type.getNumElements();
  auto line = RankedTensorType::get({size}, type.getElementType());
  Location loc = flat.getLoc();
  auto index = [&](int64_t value) { return builder.getIndexAttr(value); };
  Value slice = tensor::ExtractSliceOp::create(
      builder, loc, line, flat,
      ArrayRef<OpFoldResult>{index(buffer.offsets[piece])},
      ArrayRef<OpFoldResult>{index(size)}, ArrayRef<OpFoldResult>{index(1)});
  if (type.getRank() == 1)
    return slice;
  ReassociationIndices all =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  return tensor::ExpandShapeOp::create(builder, loc, type, slice,
                                       ArrayRef<ReassociationIndices>{all});
}

void Packer::materializeSlices() {
  for (auto [value, index] : replaced) {
    bool isRead = llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !llvm::is_contained(dead, user);
    });
    if (!isRead)
      continue;
    Slice slice = slices.lookup(value);
    if (isa<BlockArgument>(slice.flat))
      builder.setInsertionPointToStart(&function.front());
    else
      builder.setInsertionPointAfter(slice.flat.getDefiningOp());
    value.replaceAllUsesWith(
        buildSlice(layout.getBuffers()[index], slice.piece, slice.flat));
  }
}

void Packer::eraseOldState() {
  for (Operation *op : llvm::reverse(dead)) {
    op->dropAllUses();
    op->erase();
  }
  BitVector old(function.getNumArguments());
  unsigned numBuffers = layout.getBuffers().size();
  old.set(numBuffers, numBuffers + layout.getStates().size());
  (void)function.eraseArguments(old);
}

void Packer::run() {
  bool returnsState =
      function->getAttrOfType<StepKindAttr>(kStepKindAttrName).getValue() !=
      StepKind::forward;
  insertBuffers();
  rewriteOps();
  if (returnsState)
    rewriteReturn();
  materializeSlices();
  eraseOldState();
}

namespace {
struct PackStatePass : amp::impl::PackStatePassBase<PackStatePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    Layout layout;
    if (failed(layout.compute(module)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>()) {
      auto kind = function->getAttrOfType<StepKindAttr>(kStepKindAttrName);
      if (kind && kind.getValue() != StepKind::count)
        Packer(function, layout).run();
    }
    layout.attach(module);
  }
};
} // namespace
