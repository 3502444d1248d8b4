//===- EntryPoints.cpp - What a compiled module offers ----------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CPU/CompiledModule.h"

#include "amp/Dialect/AMPRT/IR/AMPRTDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::amp;

int64_t EntryArgument::getByteSize() const { return amprt::getByteSize(type); }

static EntryArgument describe(DictionaryAttr description) {
  using Kind = EntryArgument::Kind;
  EntryArgument argument;
  argument.kind =
      llvm::StringSwitch<Kind>(description.getAs<StringAttr>("kind").getValue())
          .Case("state", Kind::State)
          .Case("result", Kind::Result)
          .Case("arena", Kind::Arena)
          .Default(Kind::Input);
  argument.type =
      cast<RankedTensorType>(description.getAs<TypeAttr>("type").getValue());
  if (auto name = description.getAs<StringAttr>("name"))
    argument.name = name.str();
  if (auto role = description.getAs<RoleAttr>("role"))
    argument.role = role.getValue();
  if (auto result = description.getAs<IntegerAttr>("result"))
    argument.result = result.getInt();
  return argument;
}

SmallVector<EntryPoint> amp::getEntryPoints(ModuleOp module) {
  SmallVector<EntryPoint> entryPoints;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
    auto arguments = function->getAttrOfType<ArrayAttr>("amprt.arguments");
    if (!arguments)
      continue;
    EntryPoint entry;
    entry.name = function.getName().str();
    if (auto kind = function->getAttrOfType<StepKindAttr>("amp.step_kind"))
      entry.kind = kind.getValue();
    for (auto description : arguments.getAsRange<DictionaryAttr>())
      entry.arguments.push_back(describe(description));
    entryPoints.push_back(std::move(entry));
  }
  return entryPoints;
}
