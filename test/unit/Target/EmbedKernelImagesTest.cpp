//===- EmbedKernelImagesTest.cpp - The image as data of the host ----------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "amp/Target/CUDA/EmbedKernelImages.h"
#include "amp/InitAll.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::amp;

static const char *const kDeclaration = R"(
  llvm.mlir.global external constant @kernels.image.desc()
      : !llvm.struct<(i64, ptr, i64, ptr)>
)";
static const char *const kBinary = R"(
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_90">,
    properties = {contents = "sm_90 ptx"}, assembly = "a\00b">]
)";

namespace {
struct EmbedKernelImagesTest : testing::Test {
  EmbedKernelImagesTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  OwningOpRef<ModuleOp> parse(const std::string &text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }

  /// The message of the error that embedding ends with.
  std::string getError(const std::string &text) {
    OwningOpRef<ModuleOp> module = parse(text);
    std::string message;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message = diagnostic.str();
      return success();
    });
    EXPECT_TRUE(failed(embedKernelImages(*module)));
    return message;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};
} // namespace

TEST_F(EmbedKernelImagesTest, MakesBytesAndDescriptor) {
  OwningOpRef<ModuleOp> module = parse(std::string(kDeclaration) + kBinary);
  ASSERT_TRUE(module);
  ASSERT_TRUE(succeeded(embedKernelImages(*module)));
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_FALSE(module->lookupSymbol("kernels"));
  auto data = module->lookupSymbol<LLVM::GlobalOp>("kernels.image");
  ASSERT_TRUE(data);
  // A driver reads PTX up to a zero byte, which the size does not count.
  EXPECT_EQ(cast<StringAttr>(data.getValueAttr()).getValue(),
            StringRef("a\0b\0", 4));
  EXPECT_EQ(data.getAlignment(), 16);
  auto desc = module->lookupSymbol<LLVM::GlobalOp>("kernels.image.desc");
  ASSERT_TRUE(desc);
  EXPECT_EQ(desc.getLinkage(), LLVM::Linkage::Internal);
  SmallVector<int64_t> integers;
  SmallVector<StringRef> addresses;
  for (Operation &op : *desc.getInitializerBlock()) {
    if (auto constant = dyn_cast<LLVM::ConstantOp>(op))
      integers.push_back(cast<IntegerAttr>(constant.getValue()).getInt());
    if (auto address = dyn_cast<LLVM::AddressOfOp>(op))
      addresses.push_back(address.getGlobalName());
  }
  // struct_size, data, bytes, description.
  EXPECT_EQ(integers, (SmallVector<int64_t>{32, 3}));
  EXPECT_EQ(addresses, (SmallVector<StringRef>{"kernels.image",
                                               "kernels.image.contents"}));
}

TEST_F(EmbedKernelImagesTest, LeavesModulesWithoutKernels) {
  OwningOpRef<ModuleOp> module = parse("llvm.func @f()");
  ASSERT_TRUE(succeeded(embedKernelImages(*module)));
  EXPECT_EQ(module->getBody()->getOperations().size(), 1u);
}

TEST_F(EmbedKernelImagesTest, RefusesDescriptorWithoutBinary) {
  EXPECT_NE(getError(kDeclaration)
                .find("expects a gpu.binary to give it its "
                      "value, but the module has none"),
            std::string::npos);
}

TEST_F(EmbedKernelImagesTest, RefusesForeignBinary) {
  EXPECT_NE(getError(R"(gpu.binary @kernels
      [#gpu.object<#nvvm.target<chip = "sm_90">, "x">])")
                .find("expects one object with 'contents'"),
            std::string::npos);
}
