//===- Steps.h - Recorded steps ---------------------------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs of steps, one for each record function and set of pointers; the ones
// used least recently go first.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_STEPS_H
#define AMP_RT_LIB_CUDA_STEPS_H

#include "Driver.h"

#include <list>
#include <unordered_map>
#include <vector>

namespace amp_rt::cuda {

class CudaBackend;

class Steps {
public:
  explicit Steps(CudaBackend &backend);
  ~Steps() { forget(); }

  int32_t run(const amp_rt_step_desc &desc, void **args);
  /// Drops every graph.
  void forget();

private:
  using Record = int32_t (*)(amp_rt_context *, void **);
  struct Graph {
    uint64_t hash;
    Record record;
    std::vector<void *> args;
    CUgraphExec exec;
    /// Whether the step has a commit: each run then is one.
    bool commits;
  };
  using Position = std::list<Graph>::iterator;

  bool find(uint64_t hash, const amp_rt_step_desc &desc, void **args,
            Position &position);
  int32_t record(const amp_rt_step_desc &desc, void **args, CUgraphExec &exec);
  int32_t capture(const amp_rt_step_desc &desc, void **args, CUgraph &graph);
  void drop(Position position);

  CudaBackend &backend;
  bool useGraphs;
  /// Used last comes first.
  std::list<Graph> graphs;
  std::unordered_multimap<uint64_t, Position> byHash;
};

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_STEPS_H
