//===- VerifyGPUKernels.cpp - What cannot be lowered ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over kernels before they become NVVM: each op must be of a kind that
// the lowering handles, on types that it handles, and each conversion one that
// the architecture has. All else is an error with a place, which later would be
// a failure without one, or the end of the process.
//
//===----------------------------------------------------------------------===//

#include "amp/Conversion/Passes.h"

#include "Capabilities.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::amp {
#define GEN_PASS_DEF_VERIFYGPUKERNELSPASS
#include "amp/Conversion/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

/// Dialects all of whose ops have a lowering.
static constexpr StringLiteral kDialects[] = {"affine", "arith", "cf", "scf",
                                              "vector"};

/// Other ops with a lowering.
static constexpr StringLiteral kOps[] = {
    "gpu.barrier",    "gpu.block_dim",
    "gpu.block_id",   "gpu.func",
    "gpu.grid_dim",   "gpu.lane_id",
    "gpu.return",     "gpu.shuffle",
    "gpu.thread_id",  "memref.get_global",
    "memref.global",  "memref.load",
    "memref.store",   "memref.reinterpret_cast",
    "memref.subview",
};

/// Functions of math that libdevice has in f32 and f64, or LLVM as such.
static constexpr StringLiteral kFunctions[] = {
    "math.absf",  "math.absi",     "math.acos",      "math.acosh", "math.asin",
    "math.asinh", "math.atan",     "math.atan2",     "math.atanh", "math.cbrt",
    "math.ceil",  "math.copysign", "math.cos",       "math.cosh",  "math.erf",
    "math.erfc",  "math.exp",      "math.exp2",      "math.expm1", "math.floor",
    "math.fma",   "math.log",      "math.log10",     "math.log1p", "math.log2",
    "math.powf",  "math.round",    "math.roundeven", "math.rsqrt", "math.sin",
    "math.sinh",  "math.tan",      "math.tanh",
};

namespace {
class KernelVerifier {
public:
  explicit KernelVerifier(StringRef arch, unsigned number)
      : arch(arch), number(number) {
    ops.insert_range(kOps);
    ops.insert_range(kFunctions);
    dialects.insert_range(kDialects);
  }

  LogicalResult verify(Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (!op->isRegistered())
      return op->emitError("expects registered ops in a kernel, but got '")
             << name << "'";
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "llvm" || dialect == "nvvm")
      return verifyCapability(op);
    if (name == "math.sqrt")
      return op->emitOpError("is approximate on the device: run "
                             "'-amprt-lower-gpu-conversions' first");
    if (!dialects.contains(dialect) && !ops.contains(name))
      return op->emitOpError(dialect == "math" ? "has no function in libdevice"
                                               : "has no lowering in a kernel");
    return verifyTypes(op);
  }

private:
  LogicalResult verifyTypes(Operation *op) {
    auto check = [&](Type type) -> LogicalResult {
      Type element = getElementTypeOrSelf(type);
      if (isa<MemRefType>(type) || !isa<FloatType>(element))
        return success();
      bool isWide = element.isF32() || element.isF64();
      if (isWide)
        return success();
      bool isHalf = element.isF16() || element.isBF16();
      if (isHalf && op->getName().getDialectNamespace() != "math")
        return success();
      if (element.getIntOrFloatBitWidth() == 8 && movesBits(op))
        return success();
      return op->emitOpError("expects to compute on types that the device has "
                             "arithmetic for, but got ")
             << element;
    };
    for (Type type : op->getOperandTypes())
      if (failed(check(type)))
        return failure();
    for (Type type : op->getResultTypes())
      if (failed(check(type)))
        return failure();
    return success();
  }

  /// Whether an op only moves values, or takes them for integers.
  static bool movesBits(Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    return dialect == "memref" || dialect == "vector" || dialect == "scf" ||
           dialect == "cf" || isa<arith::BitcastOp, arith::SelectOp>(op);
  }

  LogicalResult verifyCapability(Operation *op) {
    StringRef used = op->getName().getStringRef();
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
      used = call.getIntrin();
    for (const Capability &row : getCapabilities()) {
      if ((row.intrinsic != used && row.op != used) || isAvailable(row, number))
        continue;
      return op->emitError("'")
             << used << "' converts " << row.from << " to " << row.to
             << ", which " << arch << " has no instruction for"
             << (row.isSpecific
                     ? ""
                     : "; the first is sm_" + std::to_string(row.firstArch));
    }
    return success();
  }

  StringRef arch;
  unsigned number;
  llvm::StringSet<> ops, dialects;
};

struct VerifyGPUKernelsPass
    : amp::impl::VerifyGPUKernelsPassBase<VerifyGPUKernelsPass> {
  using VerifyGPUKernelsPassBase::VerifyGPUKernelsPassBase;

  void runOnOperation() override {
    std::optional<unsigned> number = parseArchNumber(arch);
    if (!number) {
      emitError(getOperation()->getLoc(),
                "expects an architecture like 'sm_90', but got '")
          << arch << "'";
      return signalPassFailure();
    }
    KernelVerifier verifier(arch, *number);
    bool isBad = false;
    getOperation()->walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      if (name == "gpu.module" || op->getParentOp() == nullptr)
        return;
      // Only what stands inside a module of kernels.
      for (Operation *parent = op->getParentOp(); parent;
           parent = parent->getParentOp())
        if (parent->getName().getStringRef() == "gpu.module") {
          isBad |= failed(verifier.verify(op));
          return;
        }
    });
    if (isBad)
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
