//===- KernelReport.cpp - What the assembler made of kernels -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelReport.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <map>

using namespace mlir;
using namespace mlir::amp;

/// The number before `what` in `line`: "28" of "Used 28 registers, ...".
static std::optional<int64_t> getCount(StringRef line, StringRef what) {
  SmallVector<StringRef> groups;
  if (!llvm::Regex(("([0-9]+) " + what).str()).match(line, &groups))
    return std::nullopt;
  int64_t count = 0;
  if (groups[1].getAsInteger(10, count))
    return std::nullopt;
  return count;
}

/// What `ptxas -v` says of `kernel`: the lines after "Compiling entry
/// function".
static void addUsage(StringRef log, StringRef kernel,
                     llvm::json::Object &object) {
  auto [before, after] =
      log.split(("Compiling entry function '" + kernel + "'").str());
  StringRef lines = after.split("Compiling entry function").first;
  if (lines.empty())
    return;
  struct {
    const char *text, *key;
  } columns[] = {{"registers", "registers"},
                 {"bytes smem", "shared_bytes"},
                 {"bytes stack frame", "stack_bytes"},
                 {"bytes spill stores", "spill_store_bytes"},
                 {"bytes spill loads", "spill_load_bytes"}};
  for (auto column : columns)
    object[column.key] = getCount(lines, column.text).value_or(0);
}

/// Counts instructions of one kernel's PTX.
static void addInstructions(StringRef body, llvm::json::Object &object) {
  int64_t accesses = 0, wide = 0;
  std::map<std::string, int64_t> conversions;
  for (StringRef line : llvm::split(body, '\n')) {
    SmallVector<StringRef> words;
    llvm::SplitString(line, words, " \t");
    // A predicate stands before the instruction.
    if (!words.empty() && words.front().starts_with("@"))
      words.erase(words.begin());
    if (words.empty())
      continue;
    StringRef mnemonic = words.front();
    if (mnemonic.starts_with("ld.global") ||
        mnemonic.starts_with("st.global")) {
      ++accesses;
      wide += mnemonic.contains(".v4.b32") || mnemonic.contains(".v2.b64");
    }
    if (mnemonic.starts_with("cvt.") && !mnemonic.starts_with("cvta"))
      ++conversions[mnemonic.str()];
  }
  object["accesses"] = accesses;
  object["accesses_16"] = wide;
  llvm::json::Object counts;
  for (auto &[mnemonic, count] : conversions)
    counts[mnemonic] = count;
  object["conversions"] = std::move(counts);
}

llvm::json::Array amp::reportKernels(const DeviceCode &code,
                                     const Cubin &cubin) {
  llvm::json::Array rows;
  StringRef rest = code.ptx;
  while (true) {
    rest = rest.split(".entry ").second;
    if (rest.empty())
      return rows;
    StringRef kernel = rest.take_until([](char c) { return c == '('; });
    StringRef body = rest.split("\n}").first;
    llvm::json::Object object{{"kernel", kernel.str()},
                              {"arch", code.arch.name.str()}};
    addUsage(cubin.log, kernel, object);
    addInstructions(body, object);
    rows.push_back(std::move(object));
  }
}
