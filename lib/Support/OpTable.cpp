//===- OpTable.cpp - What each nn op has, and what it lacks -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cells, column by column:
//   shape      InferShapedTypeOpInterface
//   verifier   `rules` for an op with a verifier of its own, `types` where the
//              declared constraints and the shape trait say all there is
//   class      NumericOpInterface
//   vjp        VJPOpInterface
//   reference  ReferenceOpInterface
//   lowering   the passes with a pattern rooted at the op
//   golden     a golden file; for a derivative op the gradients in the golden
//   file
//              of the op it belongs to
//
//===----------------------------------------------------------------------===//

#include "amp/Support/OpTable.h"

#include "amp/Dialect/NN/IR/NNDialect.h"
#include "amp/Interfaces/NumericOpInterface.h"
#include "amp/Interfaces/ReferenceOpInterface.h"
#include "amp/Interfaces/VJPOpInterface.h"
#include "amp/Support/Safetensors.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::amp;

//===----------------------------------------------------------------------===//
// Exemptions
//===----------------------------------------------------------------------===//

namespace {
enum Column { Shape, Verifier, Class, VJP, Reference, Lowering, Golden };

/// A cell that may be empty, and why.
struct Exemption {
  StringRef op;
  Column column;
  StringRef reason;
};
} // namespace

static constexpr StringRef columnNames[] = {
    "shape", "verifier", "class", "vjp", "reference", "lowering", "golden"};

/// An op that autodiff makes; second derivatives are not offered.
static bool isDerivative(StringRef op) { return op.ends_with("_grad"); }

/// The one list of allowed holes. An entry that is not needed is an error.
static constexpr Exemption exemptions[] = {
    {"*_grad", VJP, "none (derivative op)"},
};

static const Exemption *findExemption(StringRef op, Column column) {
  for (const Exemption &exemption : exemptions) {
    bool matches =
        exemption.op == op || (exemption.op == "*_grad" && isDerivative(op));
    if (matches && exemption.column == column)
      return &exemption;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

/// Whether `OpTy` declares a verifier itself, rather than inheriting the empty
/// one.
template <typename OpTy> static void addIfVerified(llvm::StringSet<> &names) {
  if (std::is_same_v<decltype(&OpTy::verify), LogicalResult (OpTy::*)()>)
    names.insert(OpTy::getOperationName());
}

template <typename... OpTys> static llvm::StringSet<> getOpsWithRules() {
  llvm::StringSet<> names;
  (addIfVerified<OpTys>(names), ...);
  return names;
}

/// The class is a fact of the op's definition, but the interface asks an op: so
/// one without operands is made, and never verified or inserted.
static std::string getClassName(RegisteredOperationName name,
                                MLIRContext &context) {
  if (!name.hasInterface<NumericOpInterface>())
    return "";
  OperationState state(UnknownLoc::get(&context), name);
  Operation *op = Operation::create(state);
  std::string text =
      stringifyNumericClass(cast<NumericOpInterface>(op).getNumericClass())
          .str();
  op->destroy();
  return text;
}

/// Op name to the passes with a pattern rooted at it.
static llvm::StringMap<std::string>
collectLowerings(MLIRContext &context, ArrayRef<OpLowering> lowerings) {
  llvm::StringMap<std::string> table;
  for (const OpLowering &lowering : lowerings) {
    RewritePatternSet patterns(&context);
    lowering.populate(patterns);
    for (const auto &pattern : patterns.getNativePatterns()) {
      std::optional<OperationName> root = pattern->getRootKind();
      if (!root)
        continue;
      std::string &cell = table[root->getStringRef()];
      if (StringRef(cell).ends_with(lowering.pass))
        continue;
      if (!cell.empty())
        cell += ", ";
      cell += lowering.pass;
    }
  }
  return table;
}

/// The golden files that can prove `op`: its own, or, for a derivative, the one
/// of the op it belongs to.
static SmallVector<std::string> getGoldenNames(StringRef op) {
  if (isDerivative(op)) {
    op.consume_back("_grad");
    // Derivatives of one operand carry its name.
    for (StringRef operand : {"_input", "_weight", "_rhs"})
      op.consume_back(operand);
  }
  if (op == "gelu")
    return {"gelu_erf", "gelu_tanh"};
  return {op.str()};
}

/// The name of the golden file of `op`, empty where it is missing. Derivatives
/// need gradients in it.
static std::string findGolden(StringRef op, StringRef directory) {
  SmallVector<std::string> found;
  for (const std::string &name : getGoldenNames(op)) {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, name + ".safetensors");
    if (!llvm::sys::fs::exists(path))
      return "";
    found.push_back(name);
    if (!isDerivative(op))
      continue;
    llvm::Expected<SafetensorsFile> file = readSafetensors(path);
    if (!file) {
      llvm::consumeError(file.takeError());
      return "";
    }
    if (llvm::none_of(file->tensors, [](const auto &entry) {
          return StringRef(entry.name).contains(".grad");
        }))
      return "";
  }
  return llvm::join(found, ", ");
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static void printRow(raw_ostream &os, ArrayRef<std::string> cells,
                     ArrayRef<size_t> widths) {
  for (auto [cell, width] : llvm::zip_equal(cells, widths))
    os << "| " << llvm::left_justify(cell, width) << ' ';
  os << "|\n";
}

static void printTable(raw_ostream &os,
                       ArrayRef<SmallVector<std::string>> rows) {
  SmallVector<size_t> widths(rows.front().size(), 0);
  for (const SmallVector<std::string> &row : rows)
    for (auto [width, cell] : llvm::zip_equal(widths, row))
      width = std::max(width, cell.size());
  printRow(os, rows.front(), widths);
  SmallVector<std::string> rule;
  for (size_t width : widths)
    rule.push_back(std::string(width, '-'));
  printRow(os, rule, widths);
  for (const SmallVector<std::string> &row : rows.drop_front())
    printRow(os, row, widths);
}

unsigned amp::printOpTable(MLIRContext &context, ArrayRef<OpLowering> lowerings,
                           StringRef goldens, raw_ostream &os) {
  // External models are attached when their dialects are loaded.
  context.loadAllAvailableDialects();
  llvm::StringSet<> withRules = getOpsWithRules<
#define GET_OP_LIST
#include "amp/Dialect/NN/IR/NNOps.cpp.inc"
      >();
  llvm::StringMap<std::string> lowered = collectLowerings(context, lowerings);

  SmallVector<RegisteredOperationName> names(context.getRegisteredOperations());
  llvm::sort(names, [](OperationName a, OperationName b) {
    return a.getStringRef() < b.getStringRef();
  });

  SmallVector<SmallVector<std::string>> rows;
  rows.emplace_back().push_back("op");
  llvm::append_range(rows.back(), columnNames);
  SmallVector<std::string> problems;
  unsigned numOps = 0;
  for (RegisteredOperationName name : names) {
    StringRef op = name.getStringRef();
    if (!op.consume_front("nn."))
      continue;
    ++numOps;
    SmallVector<std::string> cells(std::size(columnNames));
    if (name.hasInterface<InferShapedTypeOpInterface>())
      cells[Shape] = "yes";
    if (withRules.contains(name.getStringRef()))
      cells[Verifier] = "rules";
    else if (name.hasTrait<nn::HasInferredResultShapes>())
      cells[Verifier] = "types";
    cells[Class] = getClassName(name, context);
    if (name.hasInterface<VJPOpInterface>())
      cells[VJP] = "yes";
    if (name.hasInterface<ReferenceOpInterface>())
      cells[Reference] = "yes";
    cells[Lowering] = lowered.lookup(name.getStringRef());
    cells[Golden] = goldens.empty() ? "not checked" : findGolden(op, goldens);

    for (auto [index, cell] : llvm::enumerate(cells)) {
      const Exemption *exemption =
          findExemption(op, static_cast<Column>(index));
      if (exemption && !cell.empty()) {
        problems.push_back(llvm::formatv(
            "'{0}' has a {1}, but is exempt from it", op, columnNames[index]));
      } else if (exemption) {
        cell = exemption->reason;
      } else if (cell.empty()) {
        cell = "MISSING";
        problems.push_back(
            llvm::formatv("'{0}' has no {1}", op, columnNames[index]));
      }
    }
    rows.emplace_back().push_back(op.str());
    llvm::append_range(rows.back(), cells);
  }
  printTable(os, rows);
  if (numOps == 0)
    problems.push_back("no op of 'nn' is registered");
  os << '\n' << numOps << " ops, " << problems.size() << " holes\n";
  for (const std::string &problem : problems)
    os << "hole: " << problem << '\n';
  return problems.size();
}

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

namespace {
struct Options {
  llvm::cl::OptionCategory category{"Op table options"};
  llvm::cl::opt<bool> print{
      "amp-op-table",
      llvm::cl::desc(
          "Print what each nn op has (shape rule, verifier, class, "
          "derivative, reference, lowering, golden values); the exit "
          "code is 1 if something is missing"),
      llvm::cl::init(false), llvm::cl::cat(category)};
  llvm::cl::opt<std::string> goldens{
      "amp-op-table-goldens",
      llvm::cl::desc("Folder of the golden files, test/Numerics/goldens in the "
                     "source tree; not checked if absent"),
      llvm::cl::value_desc("dir"), llvm::cl::cat(category)};
};
} // namespace

static llvm::ManagedStatic<Options> options;

void amp::registerOpTableOptions() { *options; }

std::optional<int> amp::runOpTable(const DialectRegistry &registry,
                                   ArrayRef<OpLowering> lowerings) {
  if (!options->print)
    return std::nullopt;
  if (!options->goldens.empty() &&
      !llvm::sys::fs::is_directory(options->goldens)) {
    llvm::errs() << "amp-opt: error: expects a folder in "
                    "'--amp-op-table-goldens', but got '"
                 << options->goldens << "'\n";
    return 1;
  }
  MLIRContext context(registry);
  return printOpTable(context, lowerings, options->goldens, llvm::outs()) != 0;
}
