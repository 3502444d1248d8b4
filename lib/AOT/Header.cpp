//===- Header.cpp - C header of a compiled module ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text, in the order: declarations and indices of each function, indices of the
// states, tables. All tables are constant expressions of C and C++.
//
//===----------------------------------------------------------------------===//

#include "amp/AOT/Program.h"
#include "amp/Support/HostTensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace mlir;
using namespace mlir::amp;
using namespace mlir::amp::aot;

//===----------------------------------------------------------------------===//
// Pieces of C
//===----------------------------------------------------------------------===//

/// `text` as a string literal.
static std::string quote(StringRef text) {
  std::string literal = "\"";
  llvm::raw_string_ostream os(literal);
  for (unsigned char c : text) {
    if (c == '"' || c == '\\' || c == '?')
      os << '\\' << char(c);
    else if (llvm::isPrint(c))
      os << char(c);
    else
      os << llvm::format("\\%03o", unsigned(c));
  }
  return literal + "\"";
}

/// `text` for a line of comment: it ends neither the line nor the comment.
static std::string comment(StringRef text) {
  std::string line = text.str();
  for (char &c : line)
    if (!llvm::isPrint(c) || c == '\\')
      c = '_';
  return line;
}

static std::string makeNumber(double value) {
  if (std::isnan(value))
    return "__builtin_nan(\"\")";
  if (std::isinf(value))
    return value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
  return text;
}

/// -2^63 has no literal.
static std::string makeNumber(int64_t value) {
  if (value == std::numeric_limits<int64_t>::min())
    return "-9223372036854775807 - 1";
  return std::to_string(value);
}

/// The enumerator of amp_rt_dtype; empty for a type without one.
static StringRef getDTypeEnumerator(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case<Float32Type>([](Type) { return "AMP_RT_DTYPE_F32"; })
      .Case<Float16Type>([](Type) { return "AMP_RT_DTYPE_F16"; })
      .Case<BFloat16Type>([](Type) { return "AMP_RT_DTYPE_BF16"; })
      .Case<Float64Type>([](Type) { return "AMP_RT_DTYPE_F64"; })
      .Case<Float8E4M3FNType>([](Type) { return "AMP_RT_DTYPE_E4M3FN"; })
      .Case<Float8E5M2Type>([](Type) { return "AMP_RT_DTYPE_E5M2"; })
      .Case<IntegerType>([](IntegerType integer) -> StringRef {
        switch (integer.getWidth()) {
        case 1:
          return "AMP_RT_DTYPE_I1";
        case 8:
          return "AMP_RT_DTYPE_I8";
        case 32:
          return "AMP_RT_DTYPE_I32";
        case 64:
          return "AMP_RT_DTYPE_I64";
        default:
          return "";
        }
      })
      .Default([](Type) { return ""; });
}

static StringRef getKindEnumerator(EntryArgument::Kind kind) {
  switch (kind) {
  case EntryArgument::Kind::State:
    return "AMP_RT_ARGUMENT_STATE";
  case EntryArgument::Kind::Input:
    return "AMP_RT_ARGUMENT_INPUT";
  case EntryArgument::Kind::Result:
    return "AMP_RT_ARGUMENT_RESULT";
  case EntryArgument::Kind::Arena:
    return "AMP_RT_ARGUMENT_ARENA";
  }
  llvm_unreachable("unknown kind");
}

static std::string getRole(std::optional<Role> role) {
  return role ? stringifyRole(*role).str() : "";
}

/// Enumerators of one list: names made unique by their position.
namespace {
class Enumerators {
public:
  explicit Enumerators(std::string prefix) : prefix(std::move(prefix)) {}

  std::string add(StringRef name) {
    std::string base = prefix + StringRef(makeIdentifier(name)).upper();
    std::string unique = base;
    for (unsigned number = 2; !used.insert(unique).second; ++number)
      unique = base + "_" + std::to_string(number);
    return unique;
  }

private:
  std::string prefix;
  llvm::StringSet<> used;
};
} // namespace

//===----------------------------------------------------------------------===//
// HeaderWriter
//===----------------------------------------------------------------------===//

namespace {
class HeaderWriter {
public:
  HeaderWriter(ModuleOp module, llvm::ArrayRef<ProgramFunction> functions,
               const ProgramOptions &options)
      : module(module), functions(functions), options(options), os(text),
        upper(StringRef(options.name).upper()) {}

  llvm::Expected<std::string> write();

private:
  void writeFunction(const ProgramFunction &function);
  void writeStateIndices();
  llvm::Error writeShapes();
  llvm::Error addShape(StringRef what, RankedTensorType type);
  void writeArguments(const ProgramFunction &function);
  void writeFunctionTable();
  llvm::Error writeStates();
  void writeProgram();

  std::string getShapeName(RankedTensorType type) const {
    if (type.getRank() == 0)
      return "0";
    std::string name = options.name + "_shape";
    for (int64_t size : type.getShape())
      name += "_" + std::to_string(size);
    return name;
  }
  SmallVector<StateAttr> getStates() const {
    auto states = module->getAttrOfType<ArrayAttr>(kStateAttrName);
    return states ? llvm::to_vector(states.getAsRange<StateAttr>())
                  : SmallVector<StateAttr>();
  }

  ModuleOp module;
  llvm::ArrayRef<ProgramFunction> functions;
  const ProgramOptions &options;
  std::string text;
  llvm::raw_string_ostream os;
  std::string upper;
  llvm::StringSet<> shapes;
};
} // namespace

void HeaderWriter::writeFunction(const ProgramFunction &function) {
  const EntryPoint &entry = function.entry;
  std::string prefix = StringRef(function.symbol).upper();
  os << "//===--- " << comment(entry.name) << " ---===//\n\n"
     << "/// Runs '" << comment(entry.name)
     << "'. `args` has one pointer per enumerator below.\n"
     << "int32_t " << function.symbol << "(amp_rt_context *ctx, void **args);\n"
     << "/// To be called once for a context, before the first run.\n"
     << "int32_t " << function.symbol << "_prepare(amp_rt_context *ctx);\n\n"
     << "/// Indices into `args`.\nenum " << function.symbol << "_argument {\n";
  Enumerators enumerators(prefix + "_ARG_");
  for (auto [index, argument] : llvm::enumerate(entry.arguments)) {
    bool isArena = argument.kind == EntryArgument::Kind::Arena;
    std::string name = isArena                  ? "arena"
                       : !argument.name.empty() ? argument.name
                                                : getRole(argument.role);
    if (name.empty())
      name = "result" + std::to_string(argument.result);
    os << "  /// ";
    if (isArena)
      os << "scratch memory";
    else
      os << argument.type.getElementType();
    if (!isArena && argument.type.getRank() > 0) {
      os << " [";
      llvm::interleaveComma(argument.type.getShape(), os);
      os << "]";
    }
    os << ", " << argument.getByteSize() << " bytes\n  "
       << enumerators.add(name) << " = " << index << ",\n";
  }
  os << "  " << prefix << "_NUM_ARGS = " << entry.arguments.size()
     << "\n};\n#define " << prefix << "_ARENA_BYTES " << entry.getArenaBytes()
     << "\n\n";
}

void HeaderWriter::writeStateIndices() {
  SmallVector<StateAttr> states = getStates();
  if (states.empty())
    return;
  os << "//===--- State ---===//\n\n/// Indices into " << options.name
     << "_states.\nenum " << options.name << "_state {\n";
  Enumerators enumerators(upper + "_STATE_");
  for (auto [index, state] : llvm::enumerate(states))
    os << "  " << enumerators.add(state.getName()) << " = " << index << ",\n";
  os << "  " << upper << "_NUM_STATES = " << states.size() << "\n};\n\n";
}

llvm::Error HeaderWriter::addShape(StringRef what, RankedTensorType type) {
  if (getDTypeEnumerator(type.getElementType()).empty()) {
    std::string name;
    llvm::raw_string_ostream(name) << type.getElementType();
    return makeError("'" + what + "' has the element type " + name +
                     ", which the runtime has no name for");
  }
  if (type.getRank() == 0 || !shapes.insert(getShapeName(type)).second)
    return llvm::Error::success();
  os << "static const int64_t " << getShapeName(type) << "[] = {";
  llvm::interleaveComma(type.getShape(), os);
  os << "};\n";
  return llvm::Error::success();
}

llvm::Error HeaderWriter::writeShapes() {
  os << "//===--- Tables ---===//\n\n";
  for (const ProgramFunction &function : functions)
    for (const EntryArgument &argument : function.entry.arguments)
      if (llvm::Error error = addShape(argument.name, argument.type))
        return error;
  for (StateAttr state : getStates())
    if (llvm::Error error =
            addShape(state.getName().getValue(), state.getType()))
      return error;
  os << "\n";
  return llvm::Error::success();
}

void HeaderWriter::writeArguments(const ProgramFunction &function) {
  os << "static const amp_rt_argument_info " << function.symbol
     << "_arguments[] = {\n";
  for (const EntryArgument &argument : function.entry.arguments)
    os << "    {" << quote(argument.name) << ", "
       << quote(getRole(argument.role)) << ", "
       << getKindEnumerator(argument.kind) << ", "
       << getDTypeEnumerator(argument.type.getElementType()) << ", "
       << getShapeName(argument.type) << ", " << argument.type.getRank() << ", "
       << argument.getByteSize() << ", " << argument.result << "},\n";
  os << "};\n\n";
}

void HeaderWriter::writeFunctionTable() {
  os << "static const amp_rt_function_info " << options.name
     << "_functions[] = {\n";
  for (const ProgramFunction &function : functions) {
    StringRef kind =
        function.entry.kind ? stringifyStepKind(*function.entry.kind) : "";
    os << "    {" << quote(function.entry.name) << ", " << quote(kind) << ", "
       << function.symbol << ", " << function.symbol << "_prepare, "
       << function.symbol << "_arguments, " << function.entry.arguments.size()
       << "},\n";
  }
  os << "};\n\n";
}

llvm::Error HeaderWriter::writeStates() {
  SmallVector<StateAttr> states = getStates();
  if (states.empty())
    return llvm::Error::success();
  os << "static const amp_rt_state_info " << options.name << "_states[] = {\n";
  for (StateAttr state : states) {
    bool isSupplied = isa<UnitAttr>(state.getInit());
    double number = 0;
    int64_t integer = 0;
    if (auto value = dyn_cast<FloatAttr>(state.getInit()))
      number = value.getValueAsDouble();
    else if (auto value = dyn_cast<IntegerAttr>(state.getInit()))
      integer = value.getValue().getSExtValue();
    else if (!isSupplied)
      return makeError("state '" + state.getName().getValue() +
                       "' has no initial value that can be stored");
    StringRef of = state.getOf() ? state.getOf().getValue() : "";
    os << "    {" << quote(state.getName()) << ", "
       << quote(stringifyRole(state.getRole())) << ", " << quote(of) << ", "
       << getDTypeEnumerator(state.getType().getElementType()) << ", "
       << isSupplied << ", " << makeNumber(number) << ", "
       << makeNumber(integer) << ", " << getShapeName(state.getType()) << ", "
       << state.getType().getRank() << ", " << state.getBuffer() << ", "
       << state.getOffset() << "},\n";
  }
  os << "};\n\n";
  return llvm::Error::success();
}

void HeaderWriter::writeProgram() {
  auto policy = module->getAttrOfType<StringAttr>(kPolicyAttrName);
  size_t numStates = getStates().size();
  os << "/// The whole program.\nstatic const amp_rt_program_info "
     << options.name << "_program = {\n    sizeof(amp_rt_program_info),\n    "
     << quote(options.name) << ",\n    " << quote(options.target) << ",\n    "
     << quote(policy ? policy.getValue() : "") << ",\n    " << options.name
     << "_functions,\n    " << functions.size() << ",\n    "
     << (numStates ? options.name + "_states" : "0") << ",\n    " << numStates
     << ",\n};\n\n";
}

llvm::Expected<std::string> HeaderWriter::write() {
  std::string guard = "AMP_PROGRAM_" + upper + "_H";
  os << "/// " << comment(llvm::sys::path::filename(options.model))
     << " compiled for " << comment(options.target) << " by amp-compile: what "
     << options.name << ".o defines. Link it with libamp-rt.\n\n#ifndef "
     << guard << "\n#define " << guard
     << "\n\n#include \"amp-rt/program.h\"\n\nAMP_RT_BEGIN_DECLS\n\n";
  for (const ProgramFunction &function : functions)
    writeFunction(function);
  os << "AMP_RT_END_DECLS\n\n";
  writeStateIndices();
  if (llvm::Error error = writeShapes())
    return std::move(error);
  for (const ProgramFunction &function : functions)
    writeArguments(function);
  writeFunctionTable();
  if (llvm::Error error = writeStates())
    return std::move(error);
  writeProgram();
  os << "#endif // " << guard << "\n";
  return text;
}

llvm::Expected<std::string>
aot::generateHeader(ModuleOp module, llvm::ArrayRef<ProgramFunction> functions,
                    const ProgramOptions &options) {
  return HeaderWriter(module, functions, options).write();
}
