//===- amp-opt.cpp - The optimiser driver -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/InitAll.h"
#include "amp/Support/GemmRules.h"
#include "amp/Support/OpTable.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/PrettyStackTrace.h"

#ifdef AMP_INCLUDE_TESTS
namespace mlir::amp::test {
void registerTestPasses();
} // namespace mlir::amp::test
#endif

int main(int argc, char **argv) {
  llvm::setBugReportMsg(
      "PLEASE report this crash to the AMP-MLIR project, with "
      "the command, the input and the stack dump.\n");
  mlir::DialectRegistry registry;
  mlir::amp::registerAllDialects(registry);
  mlir::amp::registerAllPasses();
#ifdef AMP_INCLUDE_TESTS
  mlir::amp::test::registerTestPasses();
#endif
  mlir::amp::registerGemmRulesOption();
  mlir::amp::registerOpTableOptions();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "AMP-MLIR mixed-precision optimiser\n", registry);
  if (mlir::amp::runGemmRules())
    return 0;
  if (std::optional<int> code =
          mlir::amp::runOpTable(registry, mlir::amp::getAllOpLowerings()))
    return *code;
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
