//===- ToolSetup.cpp - What every tool does first -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Support/ToolSetup.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <csignal>

void mlir::amp::setUpTool() {
  llvm::setBugReportMsg(
      "PLEASE report this crash to the AMP-MLIR project, with "
      "the command, the input and the stack dump.\n");
  std::signal(SIGXFSZ, SIG_IGN);
}

void mlir::amp::freeOptionNames(ArrayRef<StringRef> names) {
  auto &registered = llvm::cl::getRegisteredOptions();
  for (StringRef name : names) {
    auto option = registered.find(name);
    if (option != registered.end())
      option->second->removeArgument();
  }
}
