//===- AMPRTToLLVM.cpp - Step functions and kernels to LLVM -----*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels go through upstream's patterns with bare pointers; the step functions
// that call them are converted by hand (HostConverter.h), since all that they
// hold are pointers and runtime calls.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"

#include "HostConverter.h"

#include "amp/Dialect/AMP/IR/AMPDialect.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::amp {
#define GEN_PASS_DEF_CONVERTAMPRTTOLLVMPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static bool isKernelFunction(Operation *op) {
  return op->hasAttr("amprt.kernel_function");
}

namespace {
struct ConvertAMPRTToLLVMPass
    : amp::impl::ConvertAMPRTToLLVMPassBase<ConvertAMPRTToLLVMPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // What a scaler starts from is in the state's manifest; what it does is in
    // the functions.
    for (auto scaler : llvm::make_early_inc_range(module.getOps<ScalerOp>()))
      scaler.erase();
    // Autocast has applied the policies.
    for (auto policy : llvm::make_early_inc_range(module.getOps<PolicyOp>()))
      policy.erase();
    for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
      emitError(kernels.getLoc(), "expects kernels as a gpu.binary, but got "
                                  "the gpu.module '@")
          << kernels.getName() << "'; -amprt-assemble-kernels makes it";
      return signalPassFailure();
    }
    if (failed(convertKernels(module)))
      return signalPassFailure();
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (!isKernelFunction(function))
        continue;
      function->removeAttr("amprt.kernel_function");
      function.setLinkage(LLVM::Linkage::Internal);
      // A kernel is compiled once: not copied into every step function.
      function.setNoInline(true);
    }
    GemmDescriptors descriptors(module);
    HostConverter converter(module, descriptors);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function.isDeclaration() && failed(converter.convert(function)))
        return signalPassFailure();
  }

  LogicalResult convertKernels(ModuleOp module) {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.useBarePtrCallConv = true;
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    SymbolTableCollection symbolTables;
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/false, 10);
    populateMathToLibmConversionPatterns(patterns, 1);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns,
                                                   &symbolTables);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns, &symbolTables);
    LLVMConversionTarget target(*context);
    target.addLegalOp<ModuleOp, gpu::BinaryOp>();
    target.addDynamicallyLegalOp<func::FuncOp>(
        [](func::FuncOp function) { return !isKernelFunction(function); });
    target.markOpRecursivelyLegal<func::FuncOp>(
        [](func::FuncOp function) { return !isKernelFunction(function); });
    return applyFullConversion(module, target, std::move(patterns));
  }
};
} // namespace
