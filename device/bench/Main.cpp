//===- Main.cpp - Programs for a machine with a device --------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `device-bench SECTION [--backend=cpu|cuda] [--quick] [--data=DIR]`: runs one
// section and prints one JSON object per line. Exit codes: 0, 1 when something
// failed, 77 when it cannot run here.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "DirectLt.h"
#include "ProgramRun.h"

#include <cstdio>
#include <cstring>
#include <map>

using namespace device;

void device::runInfo(const Options &options) {
  Session session(options);
  Json row = Json::object({{"runtime", session.info()}});
  std::string reason;
  if (auto direct = DirectLt::create(reason)) {
    row.set("device", direct->getDeviceName());
    row.set("cublaslt", uint64_t(direct->getVersion()));
  }
  std::string programs;
  for (const amp_rt_program_info *program : getPrograms())
    programs += (programs.empty() ? "" : " ") + std::string(program->name);
  row.set("programs", programs);
  emit("machine", std::move(row));
}

static int usage() {
  std::fprintf(stderr,
               "usage: device-bench SECTION [--backend=cpu|cuda] [--quick] "
               "[--data=DIR] [ARGS]\n"
               "sections: info, gemm, kernels, steps [MODEL], reference, "
               "report LINES.jsonl OUT\n");
  return 2;
}

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 2; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--backend=cpu")
      options.backend = AMP_RT_BACKEND_CPU;
    else if (argument == "--backend=cuda")
      options.backend = AMP_RT_BACKEND_CUDA;
    else if (argument == "--quick")
      options.quick = true;
    else if (argument.rfind("--data=", 0) == 0)
      options.data = argument.substr(7);
    else if (argument.rfind("--", 0) == 0)
      return false;
    else
      options.rest.push_back(argument);
  }
  return true;
}

int main(int argc, char **argv) {
  static const std::map<std::string, void (*)(const Options &)> sections = {
      {"info", runInfo},
      {"gemm", runGemm},
      {"kernels", runKernels},
      {"steps", runSteps},
      {"reference", writeReference}};
  Options options;
  if (argc < 2 || !parse(argc, argv, options))
    return usage();
  std::string name = argv[1];
  auto section = sections.find(name);
  if (name != "report" && section == sections.end())
    return usage();
  try {
    if (name == "report")
      return writeReport(options);
    section->second(options);
  } catch (const Skip &skip) {
    std::fprintf(stderr, "skipped: %s\n", skip.what());
    return kSkipped;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
  return getNumFailedRows() ? 1 : 0;
}
