//===- DriverGraph.cpp - Driver entries: captures and graphs --------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A capture collects work as nodes; nodes run in the order in which they were
// made, which is one of the orders that their dependencies allow.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Memory.h"
#include "Work.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace amp::emulator;

//===----------------------------------------------------------------------===//
// Capture
//===----------------------------------------------------------------------===//

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  call.note("stream=%u", stream->id);
  if (!handle || handle == CU_STREAM_LEGACY)
    return call.done(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (stream->capture)
    return call.done(CUDA_ERROR_ILLEGAL_STATE);
  auto capture = std::make_shared<Capture>();
  capture->graph = std::make_unique<CUgraph_st>();
  capture->origin = stream;
  capture->mode = mode;
  capture->streams = {stream};
  stream->capture = std::move(capture);
  return call.done(CUDA_SUCCESS);
}

/// Whether every node is followed by one in `tail`, or is in it.
static bool isJoined(const CUgraph_st &graph,
                     const std::vector<CUgraphNode_st *> &tail) {
  std::vector<bool> reached(graph.nodes.size());
  std::vector<CUgraphNode_st *> work = tail;
  while (!work.empty()) {
    CUgraphNode_st *node = work.back();
    work.pop_back();
    if (reached[node->id])
      continue;
    reached[node->id] = true;
    work.insert(work.end(), node->dependencies.begin(),
                node->dependencies.end());
  }
  return std::find(reached.begin(), reached.end(), false) == reached.end();
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *graph) {
  AMP_CALL(Release);
  static unsigned count = 0;
  CUstream_st *stream = streamOf(handle);
  call.note("stream=%u", stream->id);
  if (!stream->capture)
    return call.done(CUDA_ERROR_ILLEGAL_STATE);
  std::shared_ptr<Capture> capture = stream->capture;
  if (capture->origin != stream)
    return call.done(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  bool joined = isJoined(*capture->graph, stream->captureTail);
  for (CUstream_st *member : capture->streams) {
    member->capture = nullptr;
    member->captureTail.clear();
  }
  if (graph)
    *graph = nullptr;
  if (capture->invalid)
    return call.done(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  if (!joined)
    return call.done(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  if (!graph)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  capture->graph->id = ++count;
  call.note("graph=%u nodes=%zu", capture->graph->id,
            capture->graph->nodes.size());
  *graph = capture->graph.release();
  return call.done(CUDA_SUCCESS);
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  *status = !stream->capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                       : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return call.done(CUDA_SUCCESS);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status,
                                cuuint64_t *id, CUgraph *graph,
                                const CUgraphNode **dependencies,
                                const CUgraphEdgeData **edgeData,
                                size_t *count) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  Capture *capture = stream->capture.get();
  *status = !capture           ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                               : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (!capture)
    return call.done(CUDA_SUCCESS);
  if (id)
    *id = reinterpret_cast<cuuint64_t>(capture);
  if (graph)
    *graph = capture->graph.get();
  if (dependencies)
    *dependencies = stream->captureTail.data();
  if (edgeData)
    *edgeData = nullptr;
  if (count)
    *count = stream->captureTail.size();
  return call.done(CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

CUresult cuGraphDestroy(CUgraph graph) {
  AMP_CALL(Release);
  if (!graph)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  delete graph;
  return call.done(CUDA_SUCCESS);
}

CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  AMP_CALL(Context);
  if (!graph || !count)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  size_t present = graph->nodes.size();
  if (nodes) {
    for (size_t i = 0; i != *count; ++i)
      nodes[i] = i < present ? graph->nodes[i].get() : nullptr;
    *count = std::min(*count, present);
  } else {
    *count = present;
  }
  return call.done(CUDA_SUCCESS);
}

CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
  AMP_CALL(Context);
  if (!node || !type)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  switch (node->action->kind) {
  case ActionKind::Kernel:
    *type = CU_GRAPH_NODE_TYPE_KERNEL;
    break;
  case ActionKind::Copy:
    *type = CU_GRAPH_NODE_TYPE_MEMCPY;
    break;
  case ActionKind::Fill:
    *type = CU_GRAPH_NODE_TYPE_MEMSET;
    break;
  case ActionKind::Host:
    *type = CU_GRAPH_NODE_TYPE_HOST;
    break;
  default:
    *type = CU_GRAPH_NODE_TYPE_EMPTY;
    break;
  }
  return call.done(CUDA_SUCCESS);
}

CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
  AMP_CALL(Context);
  if (!graph || !path)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  FILE *file = fopen(path, "w");
  if (!file)
    return call.done(CUDA_ERROR_OPERATING_SYSTEM);
  fprintf(file, "digraph graph_%u {\n", graph->id);
  for (const auto &node : graph->nodes) {
    fprintf(file, "  n%u [label=\"%s\"]\n", node->id,
            node->action->describe().c_str());
    for (CUgraphNode_st *dependency : node->dependencies)
      fprintf(file, "  n%u -> n%u\n", dependency->id, node->id);
  }
  fprintf(file, "}\n");
  fclose(file);
  return call.done(CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// Executable graphs
//===----------------------------------------------------------------------===//

/// Copies the work of a graph: the graph may be destroyed.
static void fillExec(CUgraphExec exec, const CUgraph_st &graph) {
  exec->nodes = std::make_shared<std::vector<std::shared_ptr<Action>>>();
  for (const auto &node : graph.nodes)
    exec->nodes->push_back(node->action);
  exec->edges = edgesOf(graph);
}

static CUresult instantiate(Call &call, CUgraphExec *exec, CUgraph graph) {
  static unsigned count = 0;
  if (!exec || !graph)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  *exec = new CUgraphExec_st;
  (*exec)->id = ++count;
  fillExec(*exec, *graph);
  call.note("exec=%u nodes=%zu", (*exec)->id, graph->nodes.size());
  return call.done(CUDA_SUCCESS);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  AMP_CALL(Context);
  return instantiate(call, exec, graph);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  AMP_CALL(Context);
  CUresult status = instantiate(call, exec, graph);
  if (params) {
    params->hErrNode_out = nullptr;
    params->result_out = status == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                                                : CUDA_GRAPH_INSTANTIATE_ERROR;
  }
  return status;
}

CUresult cuGraphExecDestroy(CUgraphExec exec) {
  AMP_CALL(Release);
  if (!exec)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  delete exec;
  return call.done(CUDA_SUCCESS);
}

CUresult cuGraphUpload(CUgraphExec exec, CUstream handle) {
  AMP_CALL(Context);
  if (!exec)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  call.note("exec=%u stream=%u", exec->id, streamOf(handle)->id);
  return call.done(CUDA_SUCCESS);
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream handle) {
  AMP_CALL(Context);
  CUstream_st *stream = streamOf(handle);
  if (!exec)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  call.note("exec=%u nodes=%zu stream=%u", exec->id, exec->nodes->size(),
            stream->id);
  auto action = std::make_shared<Action>();
  action->kind = ActionKind::Graph;
  action->nodes = exec->nodes;
  return call.done(enqueue(stream, std::move(action)));
}

/// Whether one node may take the place of another in an executable graph.
static CUgraphExecUpdateResult compare(const Action &before,
                                       const Action &after) {
  if (before.kind != after.kind)
    return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  if (before.kind == ActionKind::Kernel && before.function != after.function)
    return CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                           CUgraphExecUpdateResultInfo *info) {
  AMP_CALL(Context);
  if (!exec || !graph || !info)
    return call.done(CUDA_ERROR_INVALID_VALUE);
  *info = {};
  info->result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
  if (edgesOf(*graph) != exec->edges)
    info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  else
    for (size_t i = 0; i != graph->nodes.size(); ++i) {
      info->result = compare(*(*exec->nodes)[i], *graph->nodes[i]->action);
      if (info->result == CU_GRAPH_EXEC_UPDATE_SUCCESS)
        continue;
      info->errorNode = graph->nodes[i].get();
      break;
    }
  if (info->result != CU_GRAPH_EXEC_UPDATE_SUCCESS)
    return call.done(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  // Launches that are queued keep the old nodes.
  fillExec(exec, *graph);
  return call.done(CUDA_SUCCESS);
}
