//===- LowerGPUKernels.cpp - Kernels to NVVM, per architecture -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps: clone the module for an architecture; attach its target; run one list
// of passes on the clone.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"
#include "amp/Target/CUDA/Arch.h"
#include "amp/Target/CUDA/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace mlir::amp {
#define GEN_PASS_DEF_LOWERGPUKERNELSPASS
#include "amp/Target/CUDA/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// All that happens to the `gpu.module` of one architecture.
static void buildKernelPipeline(OpPassManager &pm, const Arch &arch) {
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  LowerGPUConversionsPassOptions conversions;
  conversions.arch = arch.name.str();
  pm.addPass(createLowerGPUConversionsPass(conversions));
  VerifyGPUKernelsPassOptions verification;
  verification.arch = arch.name.str();
  pm.addPass(createVerifyGPUKernelsPass(verification));
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createSCFToControlFlowPass());
  ConvertGpuOpsToNVVMOpsOptions options;
  options.indexBitwidth = 64;
  options.useBarePtrCallConv = true;
  pm.addPass(createConvertGpuOpsToNVVMOps(options));
  // After it: only that pass knows the address spaces of `gpu`.
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
}

static Attribute getTarget(MLIRContext *context, const Arch &arch) {
  std::string text = ("#nvvm.target<O = 3, chip = \"" + arch.name +
                      "\", features = \"" + arch.features + "\">")
                         .str();
  return parseAttribute(text, context);
}

/// What is still of another dialect would be a failure without a place later.
static LogicalResult verifyLowered(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (op == module || dialect == "llvm" || dialect == "nvvm")
      return WalkResult::advance();
    op->emitError("expects kernels of the LLVM and NVVM dialects after "
                  "lowering, but got '")
        << op->getName() << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct LowerGPUKernelsPass
    : amp::impl::LowerGPUKernelsPassBase<LowerGPUKernelsPass> {
  using LowerGPUKernelsPassBase::LowerGPUKernelsPassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    OpPassManager pipeline(gpu::GPUModuleOp::getOperationName());
    buildKernelPipeline(pipeline, getArchs().front());
    pipeline.getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<SmallVector<Arch>> archs = parseArchs(arch);
    if (!archs) {
      emitError(module.getLoc(), llvm::toString(archs.takeError()));
      return signalPassFailure();
    }
    for (auto source :
         llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>())) {
      for (const Arch &arch : *archs)
        if (failed(lower(source, arch)))
          return signalPassFailure();
      source.erase();
    }
  }

  LogicalResult lower(gpu::GPUModuleOp source, const Arch &arch) {
    OpBuilder builder(source);
    auto clone = cast<gpu::GPUModuleOp>(builder.clone(*source));
    clone.setName((source.getName() + "." + arch.name).str());
    clone.setTargetsAttr(builder.getArrayAttr(getTarget(&getContext(), arch)));
    OpPassManager pipeline(gpu::GPUModuleOp::getOperationName());
    buildKernelPipeline(pipeline, arch);
    if (failed(runPipeline(pipeline, clone)))
      return failure();
    return verifyLowered(clone);
  }
};
} // namespace
