//===- AssembleKernels.cpp - Kernels to one image -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps, for each name `m` of modules `@m.<arch>`: generate bitcode and PTX of
// each architecture; publish the bitcode; assemble; put all into one object;
// write what was asked for beside it.
//
//===----------------------------------------------------------------------===//

#include "KernelReport.h"

#include "amp/Target/CUDA/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace mlir::amp {
#define GEN_PASS_DEF_ASSEMBLEKERNELSPASS
#include "amp/Target/CUDA/Passes.h.inc"
} // namespace mlir::amp

using namespace mlir;
using namespace mlir::amp;

static std::string joinPath(StringRef folder, const Twine &name) {
  SmallString<256> file(folder);
  llvm::sys::path::append(file, name);
  return std::string(file);
}

/// For whoever executes bitcode instead of PTX.
static llvm::Error publishBitcode(const DeviceCode &code) {
  const char *folder = std::getenv("AMP_CUDA_BITCODE_DIR");
  if (!folder || !*folder)
    return llvm::Error::success();
  return writeAtomically(joinPath(folder, code.getKey() + ".bc"), code.bitcode);
}

static llvm::Error dump(StringRef folder, StringRef name,
                        const DeviceCode &code, const Cubin &cubin) {
  std::string stem = joinPath(folder, name + "." + code.arch.name);
  if (llvm::Error error = writeAtomically(stem + ".bc", code.bitcode))
    return error;
  if (llvm::Error error = writeAtomically(stem + ".ptx", code.ptx))
    return error;
  if (cubin.bytes.empty())
    return llvm::Error::success();
  return writeAtomically(stem + ".cubin", cubin.bytes);
}

namespace {
struct AssembleKernelsPass
    : amp::impl::AssembleKernelsPassBase<AssembleKernelsPass> {
  using AssembleKernelsPassBase::AssembleKernelsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto fail = [&](llvm::Error error) {
      std::string text;
      llvm::handleAllErrors(
          std::move(error), [&](const llvm::ErrorInfoBase &info) {
            text += (text.empty() ? "" : "; ") + info.message();
          });
      emitError(module.getLoc(), "cannot assemble the kernels: ") << text;
      signalPassFailure();
    };
    llvm::Expected<SmallVector<Arch>> archs = parseArchs(arch);
    if (!archs) {
      emitError(module.getLoc(), llvm::toString(archs.takeError()));
      return signalPassFailure();
    }
    // `@kernels.sm_90` belongs to `@kernels`.
    SmallVector<std::string> names;
    for (auto kernels : module.getOps<gpu::GPUModuleOp>())
      for (const Arch &arch : *archs)
        if (StringRef name = kernels.getName();
            name.consume_back(("." + arch.name).str()) &&
            !llvm::is_contained(names, name))
          names.push_back(name.str());
    if (names.empty()) {
      auto modules = module.getOps<gpu::GPUModuleOp>();
      if (!modules.empty())
        fail(llvm::createStringError(
            "expects modules that -amprt-lower-gpu-kernels made for '" + arch +
            "', but got '@" + (*modules.begin()).getName() + "'"));
      return;
    }
    Toolkit toolkit = Toolkit::find(cudaPath);
    llvm::Expected<AssemblerKind> kind = chooseAssembler(assembler, toolkit);
    if (!kind)
      return fail(kind.takeError());
    llvm::json::Array rows;
    for (StringRef name : names)
      if (llvm::Error error =
              assembleModule(name, *archs, *kind, toolkit, rows))
        return fail(std::move(error));
    if (report.empty())
      return;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(rows)));
    if (llvm::Error error = writeAtomically(report, text))
      return fail(std::move(error));
  }

  llvm::Error assembleModule(StringRef name, ArrayRef<Arch> archs,
                             AssemblerKind kind, const Toolkit &toolkit,
                             llvm::json::Array &rows) {
    SmallVector<gpu::GPUModuleOp> modules;
    std::vector<DeviceCode> codes;
    for (const Arch &arch : archs) {
      auto kernels =
          dyn_cast_or_null<gpu::GPUModuleOp>(SymbolTable::lookupSymbolIn(
              getOperation(), (name + "." + arch.name).str()));
      if (!kernels)
        return llvm::createStringError("there is no module '@" + name + "." +
                                       arch.name + "'");
      modules.push_back(kernels);
      llvm::Expected<DeviceCode> code =
          generateDeviceCode(kernels, arch, toolkit);
      if (!code)
        return code.takeError();
      if (llvm::Error error = publishBitcode(*code))
        return error;
      codes.push_back(std::move(*code));
    }
    std::vector<Cubin> cubins(codes.size());
    std::string image = codes.back().ptx, contents;
    auto format = gpu::CompilationTarget::Assembly;
    if (kind != AssemblerKind::Driver) {
      llvm::Expected<std::vector<Cubin>> made = assemble(codes, kind, toolkit);
      if (!made)
        return made.takeError();
      cubins = std::move(*made);
      llvm::Expected<std::string> fatbin = makeFatbin(codes, cubins, toolkit);
      if (!fatbin)
        return fatbin.takeError();
      image = std::move(*fatbin);
      format = gpu::CompilationTarget::Fatbin;
      for (const Arch &arch : archs)
        contents += arch.name.str() + " cubin, ";
    }
    contents += archs.back().name.str() + " ptx";
    for (auto [code, cubin] : llvm::zip_equal(codes, cubins)) {
      for (llvm::json::Value &row : reportKernels(code, cubin))
        rows.push_back(std::move(row));
      if (!dumpDir.empty())
        if (llvm::Error error = dump(dumpDir, name, code, cubin))
          return error;
    }
    createBinary(name, modules, image, format, contents);
    return llvm::Error::success();
  }

  /// Replaces the modules by one binary.
  void createBinary(StringRef name, ArrayRef<gpu::GPUModuleOp> modules,
                    StringRef image, gpu::CompilationTarget format,
                    StringRef contents) {
    OpBuilder builder(modules.front());
    auto properties = builder.getDictionaryAttr(
        builder.getNamedAttr("contents", builder.getStringAttr(contents)));
    gpu::GPUModuleOp newest = modules.back();
    Attribute object = gpu::ObjectAttr::get(
        &getContext(), newest.getTargetsAttr()[0], format,
        builder.getStringAttr(image), properties, gpu::KernelTableAttr());
    gpu::BinaryOp::create(builder, newest.getLoc(), name,
                          /*offloadingHandler=*/Attribute(),
                          ArrayRef<Attribute>{object});
    for (gpu::GPUModuleOp kernels : modules)
      kernels.erase();
  }
};
} // namespace
