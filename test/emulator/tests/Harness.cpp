//===- Harness.cpp - A device, and kernels from LLVM assembly -------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Harness.h.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>

using namespace emulator_test;

const char *const emulator_test::kPrelude = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
declare float @llvm.nvvm.shfl.sync.bfly.f32(i32, float, i32, i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)
declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i32 @llvm.nvvm.redux.sync.add(i32, i32)
declare i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32, i1)
)";

/// A folder for bitcode, removed at the end.
static const std::string &folder() {
  static struct Folder {
    std::string path;
    Folder() {
      llvm::SmallString<128> made;
      llvm::sys::fs::createUniqueDirectory("amp-emulator-tests", made);
      path = made.str().str();
      setenv("AMP_CUDA_BITCODE_DIR", path.c_str(), 1);
    }
    ~Folder() { llvm::sys::fs::remove_directories(path); }
  } made;
  return made.path;
}

std::string emulator_test::keyOf(const std::string &ptx) {
  std::string kept;
  for (size_t i = 0; i < ptx.size(); ++i) {
    if (ptx.compare(i, 2, "//") == 0)
      i = std::min(ptx.find('\n', i), ptx.size());
    if (i < ptx.size() && !isspace(static_cast<unsigned char>(ptx[i])))
      kept += ptx[i];
  }
  llvm::SHA256 hash;
  hash.update(kept);
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32);
}

std::string emulator_test::compilePtx(const std::string &assembly) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module =
      llvm::parseAssemblyString(kPrelude + assembly, diagnostic, context);
  if (!module) {
    ADD_FAILURE() << diagnostic.getMessage().str() << " at line "
                  << diagnostic.getLineNo();
    return "";
  }
  std::string error;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, "sm_90", "+ptx80", llvm::TargetOptions(), std::nullopt));
  module->setDataLayout(machine->createDataLayout());
  std::string bitcode;
  llvm::raw_string_ostream bitcodeStream(bitcode);
  llvm::WriteBitcodeToFile(*module, bitcodeStream);

  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream ptxStream(ptx);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, ptxStream, nullptr,
                               llvm::CodeGenFileType::AssemblyFile);
  passes.run(*module);

  std::string text = ptx.str().str();
  std::error_code code;
  llvm::raw_fd_ostream file(folder() + "/" + keyOf(text) + ".bc", code);
  file << bitcode;
  return text;
}

void EmulatorTest::SetUp() {
  folder();
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
}

void EmulatorTest::TearDown() {
  cuStreamDestroy(stream);
  for (CUmodule module : modules)
    cuModuleUnload(module);
  cuDevicePrimaryCtxRelease(0);
}

CUdeviceptr EmulatorTest::allocate(size_t bytes) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cuMemAlloc(&pointer, bytes), CUDA_SUCCESS);
  return pointer;
}

CUfunction EmulatorTest::load(const std::string &assembly) {
  std::string ptx = compilePtx(assembly);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleLoadData(&module, ptx.c_str()), CUDA_SUCCESS);
  modules.push_back(module);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
  return function;
}

CUresult EmulatorTest::run(CUfunction kernel, unsigned blocks, unsigned threads,
                           std::vector<CUdeviceptr> parameters) {
  std::vector<void *> pointers;
  for (CUdeviceptr &parameter : parameters)
    pointers.push_back(&parameter);
  CUresult status = cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0,
                                   stream, pointers.data(), nullptr);
  return status == CUDA_SUCCESS ? cuStreamSynchronize(stream) : status;
}

void EmulatorTest::expectFault(CUfunction kernel, unsigned blocks,
                               unsigned threads,
                               std::vector<CUdeviceptr> parameters,
                               CUresult status, const std::string &text) {
  testing::internal::CaptureStderr();
  CUresult got = run(kernel, blocks, threads, std::move(parameters));
  std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(got, status);
  EXPECT_NE(printed.find(text), std::string::npos)
      << "expects '" << text << "' in:\n"
      << printed;
  // The error stays.
  EXPECT_EQ(cuStreamSynchronize(stream), status);
}
