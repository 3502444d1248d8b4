//===- GemmRules.cpp - The rules of GEMMs, listed ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Support/GemmRules.h"

#include "amp-rt/gemm_rules.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ManagedStatic.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

using namespace mlir;

namespace {
struct Options {
  llvm::cl::opt<bool> print{
      "amp-gemm-rules",
      llvm::cl::desc("Print the rules that GEMMs obey on cuBLASLt"),
      llvm::cl::init(false)};
};
} // namespace

static llvm::ManagedStatic<Options> options;

void amp::registerGemmRulesOption() { *options; }

bool amp::runGemmRules() {
  if (!options->print)
    return false;
  std::string page(amp_rt_gemm_rules_markdown(nullptr, 0) + 1, '\0');
  amp_rt_gemm_rules_markdown(page.data(), page.size());
  page.pop_back();
  llvm::outs() << page;
  return true;
}
