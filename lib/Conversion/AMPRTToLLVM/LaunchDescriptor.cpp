//===- LaunchDescriptor.cpp - Launches and steps as LLVM constants --------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The assertions below fail when the layout of the runtime's structs moves away
// from the types used here.
//
//===----------------------------------------------------------------------===//

#include "LaunchDescriptor.h"

#include "amp-rt/device.h"

#include "mlir/IR/Builders.h"
#include <cstddef>

using namespace mlir;
using namespace mlir::amp;

static_assert(offsetof(amp_rt_launch_desc, image) == 8 &&
                  offsetof(amp_rt_launch_desc, kernel) == 16 &&
                  offsetof(amp_rt_launch_desc, blocks) == 24 &&
                  offsetof(amp_rt_launch_desc, threads) == 28 &&
                  offsetof(amp_rt_launch_desc, num_pointers) == 32 &&
                  sizeof(amp_rt_launch_desc) == 40,
              "the fields of amp_rt_launch_desc moved");
static_assert(offsetof(amp_rt_step_desc, name) == 8 &&
                  offsetof(amp_rt_step_desc, record) == 16 &&
                  offsetof(amp_rt_step_desc, num_args) == 24 &&
                  sizeof(amp_rt_step_desc) == 32,
              "the fields of amp_rt_step_desc moved");

/// A constant struct; `fill` returns its fields' values, made at the builder.
static LLVM::GlobalOp
createStruct(ModuleOp module, Location loc, StringRef name,
             ArrayRef<Type> types,
             function_ref<SmallVector<Value>(OpBuilder &)> fill) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto type = LLVM::LLVMStructType::getLiteral(module.getContext(), types);
  auto global =
      LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  b.createBlock(&global.getInitializerRegion());
  SmallVector<Value> fields = fill(b);
  Value value = LLVM::UndefOp::create(b, loc, type);
  for (auto [index, field] : llvm::enumerate(fields))
    value = LLVM::InsertValueOp::create(b, loc, value, field, index);
  LLVM::ReturnOp::create(b, loc, value);
  return global;
}

static Value createInteger(OpBuilder &b, Location loc, unsigned width,
                           int64_t value) {
  Type type = b.getIntegerType(width);
  return LLVM::ConstantOp::create(b, loc, type, b.getIntegerAttr(type, value));
}

LLVM::GlobalOp LaunchDescriptors::getString(Location loc, StringRef name,
                                            StringRef text) {
  std::string symbol = (name + ".name").str();
  if (auto known = symbols.lookup<LLVM::GlobalOp>(symbol))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  auto global = LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                                       LLVM::Linkage::Internal, symbol,
                                       b.getStringAttr(bytes));
  symbols.insert(global);
  return global;
}

LLVM::GlobalOp LaunchDescriptors::getImage(amprt::LaunchOp launch) {
  std::string name =
      (launch.getCallee().getRootReference().getValue() + ".image.desc").str();
  if (auto known = symbols.lookup<LLVM::GlobalOp>(name))
    return known;
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  Type i64 = b.getI64Type();
  Type ptr = LLVM::LLVMPointerType::get(b.getContext());
  auto type =
      LLVM::LLVMStructType::getLiteral(b.getContext(), {i64, ptr, i64, ptr});
  auto global =
      LLVM::GlobalOp::create(b, launch.getLoc(), type, /*isConstant=*/true,
                             LLVM::Linkage::External, name, Attribute());
  symbols.insert(global);
  return global;
}

LLVM::GlobalOp LaunchDescriptors::get(amprt::LaunchOp launch) {
  StringRef kernel = launch.getCallee().getLeafReference().getValue();
  LLVM::GlobalOp image = getImage(launch);
  std::string key =
      (image.getName() + " " + kernel + " " + Twine(launch.getBlocks()) + " " +
       Twine(launch.getThreads()) + " " + Twine(launch.getOperands().size()))
          .str();
  LLVM::GlobalOp &global = launches[key];
  if (global)
    return global;
  Location loc = launch.getLoc();
  LLVM::GlobalOp name = getString(loc, kernel, kernel);
  MLIRContext *context = module.getContext();
  Type i32 = IntegerType::get(context, 32), i64 = IntegerType::get(context, 64);
  Type ptr = LLVM::LLVMPointerType::get(context);
  std::string symbol = "launch_" + std::to_string(launches.size() - 1);
  global = createStruct(
      module, loc, symbol, {i64, ptr, ptr, i32, i32, i32, i32},
      [&](OpBuilder &b) {
        SmallVector<Value> fields;
        fields.push_back(createInteger(b, loc, 64, sizeof(amp_rt_launch_desc)));
        fields.push_back(LLVM::AddressOfOp::create(b, loc, image));
        fields.push_back(LLVM::AddressOfOp::create(b, loc, name));
        fields.push_back(createInteger(b, loc, 32, launch.getBlocks()));
        fields.push_back(createInteger(b, loc, 32, launch.getThreads()));
        fields.push_back(
            createInteger(b, loc, 32, launch.getOperands().size()));
        fields.push_back(createInteger(b, loc, 32, 0));
        return fields;
      });
  symbols.insert(global);
  return global;
}

LLVM::GlobalOp LaunchDescriptors::createStep(LLVM::LLVMFuncOp record,
                                             StringRef name, int64_t numArgs) {
  Location loc = record.getLoc();
  LLVM::GlobalOp text = getString(loc, name, name);
  MLIRContext *context = module.getContext();
  Type i64 = IntegerType::get(context, 64);
  Type ptr = LLVM::LLVMPointerType::get(context);
  LLVM::GlobalOp global = createStruct(
      module, loc, (name + ".step").str(), {i64, ptr, ptr, i64},
      [&](OpBuilder &b) {
        SmallVector<Value> fields;
        fields.push_back(createInteger(b, loc, 64, sizeof(amp_rt_step_desc)));
        fields.push_back(LLVM::AddressOfOp::create(b, loc, text));
        fields.push_back(LLVM::AddressOfOp::create(b, loc, record));
        fields.push_back(createInteger(b, loc, 64, numArgs));
        return fields;
      });
  symbols.insert(global);
  return global;
}
