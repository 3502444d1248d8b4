//===- CPUHarness.cpp - Compile and run IR in a test ------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPUHarness.h"

#include "amp/InitAll.h"
#include "amp/Target/CPU/Pipeline.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cstdlib>
#include <cstring>
#include <utility>

using namespace mlir::amp::test;

Memory::Memory(size_t bytes)
    : data(std::aligned_alloc(64, (bytes + 64) / 64 * 64)), bytes(bytes) {
  std::memset(data, 0, bytes);
}
Memory::~Memory() { std::free(data); }
Memory::Memory(Memory &&other) noexcept
    : data(std::exchange(other.data, nullptr)), bytes(other.bytes) {}

static void fail(const std::string &what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

Compiled::Compiled(const std::string &text, int threads)
    : mlirContext(MLIRContext::Threading::DISABLED) {
  DialectRegistry registry;
  amp::registerAllDialects(registry);
  mlirContext.appendDialectRegistry(registry);
  ir = parseSourceString<ModuleOp>(text, ParserConfig(&mlirContext));
  if (!ir)
    fail("the test's IR does not parse");
  PassManager pm(&mlirContext);
  buildCPULoweringPipeline(pm);
  if (failed(pm.run(*ir)))
    fail("the test's IR does not lower");
  JITOptions options;
  if (const char *path = std::getenv("AMP_TEST_DUMP")) {
    options.dumpIR = std::string(path) + ".ll";
    options.dumpAssembly = std::string(path) + ".s";
  }
  auto result = CompiledModule::create(*ir, options);
  if (!result)
    fail(llvm::toString(result.takeError()));
  compiled = std::move(*result);
  amp_rt_context_options contextOptions;
  std::memset(&contextOptions, 0, sizeof contextOptions);
  contextOptions.struct_size = sizeof contextOptions;
  contextOptions.num_threads = threads;
  if (amp_rt_context_create(&contextOptions, &ctx))
    fail("no runtime context");
  for (const EntryPoint &entry : compiled->getEntryPoints())
    if (llvm::Error error = compiled->prepare(entry.name, ctx))
      fail(llvm::toString(std::move(error)));
}

Compiled::~Compiled() { amp_rt_context_destroy(ctx); }

std::vector<Memory> Compiled::allocate(const std::string &function) {
  const EntryPoint *entry = compiled->getEntryPoint(function);
  if (!entry)
    fail("no function " + function);
  std::vector<Memory> memory;
  for (const EntryArgument &argument : entry->arguments) {
    memory.emplace_back(argument.getByteSize());
    if (argument.kind == EntryArgument::Kind::Result ||
        argument.kind == EntryArgument::Kind::Arena)
      std::memset(memory.back().as<char>(), 0xA5, memory.back().size());
  }
  return memory;
}

void Compiled::run(const std::string &function,
                   const std::vector<Memory> &memory) {
  std::vector<void *> pointers;
  for (const Memory &block : memory)
    pointers.push_back(block.as<void>());
  if (llvm::Error error = compiled->run(function, ctx, pointers))
    fail(llvm::toString(std::move(error)));
}

int32_t Compiled::tryRun(const std::string &function,
                         const std::vector<Memory> &memory) {
  std::vector<void *> pointers;
  for (const Memory &block : memory)
    pointers.push_back(block.as<void>());
  llvm::consumeError(compiled->run(function, ctx, pointers));
  return amp_rt_last_status(ctx);
}
