//===- PlanFile.cpp - Measured choices of algorithms ----------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line is "<problem> sm_<arch> <version> = <words of the algorithm> <bytes of
// workspace>". The problem is every field of the descriptor and the alignments,
// so that no two products share a line.
//
//===----------------------------------------------------------------------===//

#include "PlanFile.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace amp_rt::cuda {

/// What the files of every version begin with, and those of this one.
static constexpr char kMagic[] = "amp-rt plans";
static constexpr char kHeader[] = "amp-rt plans 1";
static constexpr size_t kWords =
    sizeof(cublasLtMatmulAlgo_t::data) / sizeof(uint64_t);
static_assert(sizeof(cublasLtMatmulAlgo_t) == kWords * sizeof(uint64_t));

static std::string keyOf(const PlanKey &key, int32_t arch, size_t version) {
  const amp_rt_gemm_desc &d = key.desc;
  std::ostringstream text;
  text << typeName(d.lhs_type) << (d.transpose_lhs ? "^T" : "") << ','
       << typeName(d.rhs_type) << (d.transpose_rhs ? "^T" : "") << ','
       << typeName(d.out_type) << ',' << epilogueName(d.epilogue);
  // Beside the names every field counts, in the order of the struct.
  const auto *bytes = reinterpret_cast<const char *>(&d);
  for (size_t at = offsetof(amp_rt_gemm_desc, bias_type);
       at < offsetof(amp_rt_gemm_desc, batch); at += sizeof(int32_t)) {
    int32_t value;
    std::memcpy(&value, bytes + at, sizeof(value));
    text << ',' << value;
  }
  for (size_t at = offsetof(amp_rt_gemm_desc, batch);
       at < offsetof(amp_rt_gemm_desc, alpha); at += sizeof(int64_t)) {
    int64_t value;
    std::memcpy(&value, bytes + at, sizeof(value));
    text << ',' << value;
  }
  text << ',' << std::hexfloat << d.alpha << ',' << d.beta << std::dec;
  for (int align : {key.alignments.lhs, key.alignments.rhs, key.alignments.out,
                    key.alignments.bias, key.alignments.aux})
    text << ',' << align;
  text << " sm_" << arch << ' ' << version;
  return text.str();
}

static bool parseAlgorithm(const std::string &text, Algorithm &algorithm) {
  std::istringstream in(text);
  in >> std::hex;
  for (uint64_t &word : algorithm.value.data)
    in >> word;
  in >> std::dec >> algorithm.workspaceBytes;
  std::string rest;
  return in && !(in >> rest);
}

bool PlanFile::read(Lines &result, std::string &reason) const {
  std::ifstream in(path);
  if (!in) {
    reason = std::strerror(errno);
    return errno == ENOENT;
  }
  std::string line;
  if (!std::getline(in, line) || line != kHeader) {
    reason = "line 1 expects '" + std::string(kHeader) + "', but got '" +
             line.substr(0, 40) + "'";
    return false;
  }
  for (int number = 2; std::getline(in, line); ++number) {
    size_t equals = line.find(" = ");
    Algorithm algorithm;
    if (equals == std::string::npos ||
        !parseAlgorithm(line.substr(equals + 3), algorithm)) {
      reason = "line " + std::to_string(number) +
               " expects '<problem> = <algorithm>', but got '" +
               line.substr(0, 40) + "'";
      return false;
    }
    result[line.substr(0, equals)] = algorithm;
  }
  return true;
}

bool PlanFile::holdsSomethingElse() const {
  std::ifstream in(path);
  std::string line;
  return in && std::getline(in, line) && line.rfind(kMagic, 0) != 0;
}

void PlanFile::warn(const std::string &what) {
  if (!warned)
    std::fprintf(stderr,
                 "amp-rt warning: the plan file '%s' %s; products are measured "
                 "again\n",
                 path.c_str(), what.c_str());
  warned = true;
}

void PlanFile::open(const std::string &newPath) {
  path = newPath;
  lines.clear();
  if (path.empty())
    return;
  std::string reason;
  if (!read(lines, reason)) {
    lines.clear();
    warn((holdsSomethingElse() ? "is ignored and not written: "
                               : "is ignored: ") +
         reason);
  }
}

const Algorithm *PlanFile::find(const PlanKey &key, int32_t arch,
                                size_t version) const {
  if (lines.empty())
    return nullptr;
  auto found = lines.find(keyOf(key, arch, version));
  return found == lines.end() ? nullptr : &found->second;
}

void PlanFile::store(const PlanKey &key, int32_t arch, size_t version,
                     const Algorithm &algorithm) {
  if (path.empty())
    return;
  Lines others;
  std::string reason;
  if (read(others, reason))
    lines.insert(others.begin(), others.end());
  lines[keyOf(key, arch, version)] = algorithm;
  if (holdsSomethingElse())
    return warn("is ignored and not written: " + reason);
  std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  {
    std::ofstream out(temporary, std::ios::trunc);
    out << kHeader << '\n';
    for (const auto &[problem, choice] : lines) {
      out << problem << " =" << std::hex;
      for (uint64_t word : choice.value.data)
        out << ' ' << word;
      out << std::dec << ' ' << choice.workspaceBytes << '\n';
    }
    out.close();
    if (!out) {
      reason = std::strerror(errno);
      std::remove(temporary.c_str());
      return warn("cannot be written: " + reason);
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    reason = std::strerror(errno);
    std::remove(temporary.c_str());
    warn("cannot be written: " + reason);
  }
}

} // namespace amp_rt::cuda
