//===- Steps.cpp - Recorded steps -----------------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Steps.h.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"
#include "CudaBackend.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace amp_rt;
using namespace amp_rt::cuda;

/// Enough for the functions of a program on several sets of buffers.
static constexpr size_t kMaxGraphs = 64;

Steps::Steps(CudaBackend &backend) : backend(backend) {
  const char *value = std::getenv("AMP_RT_GRAPHS");
  useGraphs = !value || std::strcmp(value, "0") != 0;
}

static uint64_t hashOf(const amp_rt_step_desc &desc, void **args) {
  auto mix = [](uint64_t hash, const void *pointer) {
    hash = (hash ^ reinterpret_cast<uintptr_t>(pointer)) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
  };
  uint64_t hash = mix(desc.num_args, reinterpret_cast<void *>(desc.record));
  for (uint64_t i = 0; i < desc.num_args; ++i)
    hash = mix(hash, args[i]);
  return hash;
}

bool Steps::find(uint64_t hash, const amp_rt_step_desc &desc, void **args,
                 Position &position) {
  auto [begin, end] = byHash.equal_range(hash);
  for (auto entry = begin; entry != end; ++entry) {
    const Graph &graph = *entry->second;
    if (graph.record == desc.record && graph.args.size() == desc.num_args &&
        std::equal(graph.args.begin(), graph.args.end(), args)) {
      position = entry->second;
      return true;
    }
  }
  return false;
}

void Steps::drop(Position position) {
  auto [begin, end] = byHash.equal_range(position->hash);
  for (auto entry = begin; entry != end; ++entry) {
    if (entry->second == position) {
      byHash.erase(entry);
      break;
    }
  }
  // The driver waits by itself for a graph that is still running.
  backend.driver.cuGraphExecDestroy(position->exec);
  graphs.erase(position);
}

void Steps::forget() {
  while (!graphs.empty())
    drop(graphs.begin());
}

/// Records a step into a graph. Whatever fails in between, the capture ends and
/// the stream takes work again.
int32_t Steps::capture(const amp_rt_step_desc &desc, void **args,
                       CUgraph &graph) {
  // Relaxed: libraries may load code late, which is none of the step's work.
  if (int32_t status = AMP_CU(backend, cuStreamBeginCapture,
                              (backend.stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                              "beginning to record the step '%s'", desc.name))
    return status;
  backend.setRecording(true);
  int32_t status = backend.ctx.callRecord(desc, args, StepMode::Record);
  backend.setRecording(false);
  CUresult end = backend.driver.cuStreamEndCapture(backend.stream, &graph);
  // Of two errors the first one tells more.
  return status ? status
                : backend.check(end, "cuStreamEndCapture",
                                "recording the step '%s'", desc.name);
}

int32_t Steps::record(const amp_rt_step_desc &desc, void **args,
                      CUgraphExec &exec) {
  if (int32_t status = backend.ctx.callRecord(desc, args, StepMode::Resolve))
    return status;
  CUgraph graph = nullptr;
  int32_t status = capture(desc, args, graph);
  if (!status)
    status = AMP_CU(backend, cuGraphInstantiateWithFlags, (&exec, graph, 0),
                    "making the graph of the step '%s'", desc.name);
  else
    exec = nullptr;
  if (graph)
    backend.driver.cuGraphDestroy(graph);
  if (status) {
    exec = nullptr;
    return status;
  }
  status = AMP_CU(backend, cuGraphUpload, (exec, backend.stream),
                  "uploading the graph of the step '%s'", desc.name);
  if (status) {
    backend.driver.cuGraphExecDestroy(exec);
    exec = nullptr;
  }
  return status;
}

int32_t Steps::run(const amp_rt_step_desc &desc, void **args) {
  if (!useGraphs)
    return backend.ctx.callRecord(desc, args, StepMode::Record);
  uint64_t hash = hashOf(desc, args);
  Position position;
  if (find(hash, desc, args, position)) {
    graphs.splice(graphs.begin(), graphs, position);
    if (position->commits)
      if (int32_t status = amp_rt_commit(&backend.ctx))
        return status;
  } else {
    CUgraphExec exec = nullptr;
    if (int32_t status = record(desc, args, exec))
      return status;
    graphs.push_front({hash, desc.record,
                       std::vector<void *>(args, args + desc.num_args), exec,
                       backend.ctx.stepCommits});
    position = graphs.begin();
    byHash.emplace(hash, position);
    if (graphs.size() > kMaxGraphs)
      drop(std::prev(graphs.end()));
  }
  return AMP_CU(backend, cuGraphLaunch, (position->exec, backend.stream),
                "launching the step '%s'", desc.name);
}
