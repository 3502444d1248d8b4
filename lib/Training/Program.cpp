//===- Program.cpp - A model compiled into training steps -----------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Training/Program.h"
#include "amp/Interfaces/WindowedLossOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::amp;

/// The last stage that does not depend on the batch size.
static constexpr StringLiteral frontStage = "optimize-casts";
/// The stage after which the reference interpreter runs, and the one that fixes
/// the layout of compiled state.
static constexpr StringLiteral shapesStage = "specialize";
static constexpr StringLiteral layoutStage = "pack";

std::vector<StepOutput> StepRun::takeOutputs() {
  if (!staging.empty())
    for (auto [output, offset] : llvm::zip_equal(outputs, offsets))
      llvm::copy(ArrayRef(staging).slice(offset, output.tensor.data.size()),
                 output.tensor.data.begin());
  return std::move(outputs);
}

double StepOutput::getNumber() const {
  switch (tensor.dtype) {
  case DType::F32: {
    float value;
    std::memcpy(&value, tensor.data.data(), sizeof(value));
    return value;
  }
  case DType::BOOL:
    return tensor.data.front() != 0;
  case DType::I64: {
    int64_t value;
    std::memcpy(&value, tensor.data.data(), sizeof(value));
    return static_cast<double>(value);
  }
  default:
    llvm_unreachable("metrics are f32, i64 or i1");
  }
}

//===----------------------------------------------------------------------===//
// Diagnostics as errors
//===----------------------------------------------------------------------===//

namespace {
/// Collects diagnostics of its scope: the first error and its notes become the
/// text of an llvm::Error.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() != DiagnosticSeverity::Error || hasError)
            return success();
          hasError = true;
          add(diagnostic);
          for (Diagnostic &note : diagnostic.getNotes())
            add(note);
          return success();
        }) {}

  llvm::Error take(const Twine &otherwise) {
    return makeError(hasError ? Twine(text) : otherwise);
  }

private:
  void add(Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(text);
    if (!text.empty())
      os << "\n  note: ";
    if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
      os << place.getFilename().getValue() << ":" << place.getLine() << ":"
         << place.getColumn() << ": ";
    os << diagnostic.str();
  }

  std::string text;
  bool hasError = false;
  ScopedDiagnosticHandler handler;
};
} // namespace

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

Program::~Program() = default;

/// Runs the stages after `after` up to `options.stopAfter`.
static llvm::Error runStages(ModuleOp module, const CompileOptions &options,
                             StringRef after) {
  DiagnosticCollector diagnostics(*module.getContext());
  PassManager passes(module.getContext());
  std::string message;
  auto onError = [&](const Twine &text) -> LogicalResult {
    message = text.str();
    return failure();
  };
  if (failed(buildCompilePipeline(passes, options, onError, after)))
    return diagnostics.take(message.empty() ? "cannot build the pipeline"
                                            : message);
  if (failed(passes.run(module)))
    return diagnostics.take("compilation failed");
  return llvm::Error::success();
}

/// The arguments of the model that are not state.
static SmallVector<ModelInput> findInputs(ModuleOp module) {
  SmallVector<ModelInput> inputs;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kind = function->getAttrOfType<StepKindAttr>(kStepKindAttrName);
    if (!kind || kind.getValue() != StepKind::count)
      continue;
    for (BlockArgument argument : function.getArguments()) {
      unsigned index = argument.getArgNumber();
      auto role = function.getArgAttrOfType<RoleAttr>(index, kRoleAttrName);
      auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
      inputs.push_back({name ? name.str() : std::to_string(index),
                        role ? role.getValue() : Role::input,
                        cast<RankedTensorType>(argument.getType())});
    }
  }
  return inputs;
}

/// The classes of the model's targets, from the loss in the forward function.
static std::optional<ClassInfo> findClasses(ModuleOp module) {
  std::optional<ClassInfo> classes;
  for (auto function : module.getOps<func::FuncOp>()) {
    auto kind = function->getAttrOfType<StepKindAttr>(kStepKindAttrName);
    if (!kind || kind.getValue() != StepKind::forward)
      continue;
    RankedTensorType logits;
    for (unsigned index = 0; index < function.getNumResults(); ++index) {
      auto role = function.getResultAttrOfType<RoleAttr>(index, kRoleAttrName);
      if (role && role.getValue() == Role::logits)
        logits = cast<RankedTensorType>(function.getResultTypes()[index]);
    }
    if (!logits || logits.getRank() == 0 ||
        logits.isDynamicDim(logits.getRank() - 1))
      continue;
    function.walk([&](WindowedLossOpInterface loss) {
      LossCount count = loss.getLossCount();
      auto target = dyn_cast<BlockArgument>(count.counted);
      if (!target || !count.ignored)
        return;
      auto name = function.getArgAttrOfType<StringAttr>(target.getArgNumber(),
                                                        kNameAttrName);
      classes = ClassInfo{name ? name.str() : "", logits.getShape().back(),
                          count.ignored};
    });
  }
  return classes;
}

llvm::Expected<std::unique_ptr<Program>>
Program::create(MLIRContext &context, const ProgramOptions &options) {
  std::unique_ptr<Program> program(new Program(options));
  llvm::Expected<std::string> text = readFileBytes(options.modelPath);
  if (!text)
    return text.takeError();
  {
    DiagnosticCollector diagnostics(context);
    ParserConfig config(&context);
    program->module =
        parseSourceString<ModuleOp>(*text, config, options.modelPath);
    if (!program->module)
      return diagnostics.take("cannot parse '" + options.modelPath + "'");
  }
  if (options.parity != Parity::none)
    program->module.get()->setAttr(kParityAttrName,
                                   ParityAttr::get(&context, options.parity));
  CompileOptions front = options.compile;
  front.stopAfter = frontStage.str();
  if (llvm::Error error = runStages(*program->module, front, ""))
    return std::move(error);
  program->inputs = findInputs(*program->module);
  program->classes = findClasses(*program->module);
  program->configuration =
      computeConfiguration(*program->module, options.compile.trainStep, *text);
  if (options.execution == ExecutionKind::compiled) {
    llvm::Expected<std::shared_ptr<Device>> device =
        Device::create(options.compile.target);
    if (!device)
      return device.takeError();
    program->device = *device;
    if (program->options.compile.arch.empty())
      program->options.compile.arch = (*device)->getArch();
  }
  return program;
}

/// Lowers a copy of the module, with the step function `kind` alone if it is
/// given.
llvm::Expected<OwningOpRef<ModuleOp>>
Program::lower(int64_t batch, StringRef stopAfter,
               std::optional<StepKind> kind) {
  OwningOpRef<ModuleOp> clone = module->clone();
  if (kind)
    for (auto function :
         llvm::make_early_inc_range(clone->getOps<func::FuncOp>())) {
      auto attribute = function->getAttrOfType<StepKindAttr>(kStepKindAttrName);
      if (attribute && attribute.getValue() != *kind)
        function.erase();
    }
  CompileOptions rest = options.compile;
  rest.batch = batch;
  rest.stopAfter = stopAfter.str();
  if (llvm::Error error = runStages(*clone, rest, frontStage))
    return std::move(error);
  return clone;
}

llvm::Expected<std::unique_ptr<StateStore>> Program::createState() {
  if (options.execution == ExecutionKind::reference)
    return StateStore::create(*module, nullptr);
  // The layout is the same for every batch size and function.
  llvm::Expected<OwningOpRef<ModuleOp>> packed =
      lower(/*batch=*/1, layoutStage, StepKind::count);
  if (!packed)
    return packed.takeError();
  return StateStore::create(**packed, device);
}

bool Program::hasStep(StepKind kind) {
  return llvm::any_of(
      module->getOps<func::FuncOp>(), [&](func::FuncOp function) {
        auto attribute =
            function->getAttrOfType<StepKindAttr>(kStepKindAttrName);
        return attribute && attribute.getValue() == kind;
      });
}

llvm::Expected<StepExecutor *> Program::getExecutor(StepKind kind,
                                                    int64_t batch) {
  std::unique_ptr<StepExecutor> &executor = executors[{kind, batch}];
  if (executor)
    return executor.get();
  bool isReference = options.execution == ExecutionKind::reference;
  llvm::Expected<OwningOpRef<ModuleOp>> layout =
      lower(batch, isReference ? shapesStage : layoutStage, kind);
  if (!layout)
    return layout.takeError();
  llvm::Expected<std::unique_ptr<StepExecutor>> created = nullptr;
  if (isReference) {
    created = createReferenceStepExecutor(std::move(*layout));
  } else {
    OwningOpRef<ModuleOp> lowered = (*layout)->clone();
    CompileOptions rest = options.compile;
    rest.batch = batch;
    rest.stopAfter.clear();
    bool isOnHost = kind == StepKind::count;
    if (isOnHost)
      rest.target = "cpu";
    if (llvm::Error error = runStages(*lowered, rest, layoutStage))
      return std::move(error);
    created =
        isOnHost
            ? createHostStepExecutor(std::move(lowered), **layout, device)
            : createCompiledStepExecutor(std::move(lowered), **layout, device);
  }
  if (!created)
    return created.takeError();
  executor = std::move(*created);
  return executor.get();
}

/// The number of rows that a step function is compiled for: the update does not
/// depend on it and is compiled once.
static int64_t getCompiledRows(StepKind kind, int64_t rows) {
  return kind == StepKind::apply ? 1 : rows;
}

llvm::Error Program::prepare(StepKind kind, int64_t rows) {
  return getExecutor(kind, getCompiledRows(kind, rows)).takeError();
}

llvm::Expected<StepRun> Program::submit(StepKind kind, StateStore &store,
                                        int64_t rows,
                                        ArrayRef<HostTensor> arguments,
                                        OutputSet wanted) {
  llvm::Expected<StepExecutor *> executor =
      getExecutor(kind, getCompiledRows(kind, rows));
  if (!executor)
    return executor.takeError();
  return (*executor)->submit(store, arguments, wanted);
}

llvm::Expected<std::vector<StepOutput>>
Program::run(StepKind kind, StateStore &store, int64_t rows,
             ArrayRef<HostTensor> arguments) {
  llvm::Expected<StepRun> started =
      submit(kind, store, rows, arguments, OutputSet::all);
  if (!started)
    return started.takeError();
  llvm::Expected<StepExecutor *> executor =
      getExecutor(kind, getCompiledRows(kind, rows));
  if (!executor)
    return executor.takeError();
  if (llvm::Error error = (*executor)->wait())
    return std::move(error);
  return started->takeOutputs();
}
