//===- CudaGemm.cpp - GEMMs on cuBLASLt -----------------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Owns the library's handle, the plans by product and alignment, and the one
// workspace that all products of a context share (the stream orders them). The
// workspace never moves: recorded graphs hold its address.
//
//===----------------------------------------------------------------------===//

#include "CudaGemm.h"
#include "CudaBackend.h"
#include "GemmPlan.h"
#include "PlanFile.h"

#include <cstdlib>
#include <cstring>
#include <unordered_map>

namespace amp_rt::cuda {

namespace {

/// What the library asks for on sm_90 and newer, and is enough before that.
constexpr size_t kWorkspaceBytes = size_t(32) << 20;
/// Proposals that are measured for a plan file, and runs of each.
constexpr size_t kMeasured = 8;
constexpr int kRuns = 5;

struct KeyHash {
  size_t operator()(const PlanKey &key) const {
    static_assert(sizeof(PlanKey) % sizeof(uint64_t) == 0);
    const auto *bytes = reinterpret_cast<const char *>(&key);
    uint64_t hash = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < sizeof(key); i += sizeof(uint64_t)) {
      uint64_t word;
      std::memcpy(&word, bytes + i, sizeof(word));
      hash = (hash ^ word) * 0xff51afd7ed558ccdu;
      hash ^= hash >> 32;
    }
    return size_t(hash);
  }
};
struct KeyEqual {
  bool operator()(const PlanKey &a, const PlanKey &b) const {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  }
};

class LtGemm final : public CudaGemm {
public:
  explicit LtGemm(CudaBackend &backend) : backend(backend), ctx(backend.ctx) {}
  ~LtGemm() override;

  int32_t initialize() override;
  int32_t prepareGemm(const amp_rt_gemm_desc &desc) override {
    const GemmPlan *plan = nullptr;
    return findOrMakePlan({desc, Alignments()}, plan);
  }
  int32_t runGemm(const amp_rt_gemm_desc &desc,
                  const amp_rt_gemm_args &args) override;
  const char *gemmPath(const amp_rt_gemm_desc &desc) override {
    const GemmPlan *plan = nullptr;
    return findOrMakePlan({desc, Alignments()}, plan) ? nullptr
                                                      : plan->path.c_str();
  }
  std::string describe() const override {
    return "cuBLASLt " + lt.version() + " (" + lt.path() + ")";
  }

private:
  LtTarget target() const {
    return {ctx,
            [](void *backend) {
              auto &device = *static_cast<CudaBackend *>(backend);
              return device.isRecording() ? int32_t(AMP_RT_OK)
                                          : device.synchronize();
            },
            &backend,
            lt,
            handle.get(),
            backend.arch(),
            workspace ? kWorkspaceBytes : 0};
  }
  int32_t findOrMakePlan(const PlanKey &key, const GemmPlan *&plan);
  int32_t makePlan(const PlanKey &key, GemmPlan &plan);
  int32_t ensureWorkspace();
  int32_t makeZeros(GemmPlan &plan);
  int32_t chooseMeasured(GemmPlan &plan, Algorithm &chosen);
  int32_t measure(const GemmPlan &plan, const amp_rt_gemm_args &args,
                  const Algorithm &algorithm, double &microseconds);

  CudaBackend &backend;
  amp_rt_context &ctx;
  CublasLt lt;
  LtHandle handle;
  PlanFile file;
  std::unordered_map<PlanKey, GemmPlan, KeyHash, KeyEqual> plans;
  void *workspace = nullptr;
};

} // namespace

LtGemm::~LtGemm() {
  for (auto &entry : plans)
    if (entry.second.zeros)
      backend.deallocate(entry.second.zeros);
  if (workspace)
    backend.deallocate(workspace);
}

int32_t LtGemm::initialize() {
  if (int32_t status = lt.open(ctx))
    return status;
  cublasStatus_t status = lt.cublasLtCreate(handle.out(lt));
  if (status != CUBLAS_STATUS_SUCCESS) {
    handle = LtHandle();
    return AMP_RT_FAIL(
        ctx,
        status == CUBLAS_STATUS_ALLOC_FAILED ? AMP_RT_OUT_OF_MEMORY
                                             : AMP_RT_UNSUPPORTED,
        "cublasLtCreate fails for cuBLASLt %s: %s%s; check that the driver is "
        "new enough for '%s'",
        lt.version().c_str(), statusText(status).c_str(),
        ctx.calls.lastWasInjected() ? ", an injected fault" : "",
        lt.path().c_str());
  }
  const char *path = std::getenv("AMP_RT_PLAN_FILE");
  file.open(path ? path : "");
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Memory of the context for `what`, or a failure that names it.
static int32_t allocate(CudaBackend &backend, size_t bytes, const char *what,
                        void *&result) {
  result = backend.allocate(bytes);
  if (result)
    return AMP_RT_OK;
  if (backend.ctx.status)
    return backend.ctx.status;
  return AMP_RT_FAIL(backend.ctx, AMP_RT_OUT_OF_MEMORY,
                     "no device memory for %zu bytes of %s; use a smaller "
                     "batch",
                     bytes, what);
}

int32_t LtGemm::ensureWorkspace() {
  // Nothing may be allocated in a recording; such a plan does without.
  if (workspace || backend.isRecording())
    return AMP_RT_OK;
  return allocate(backend, kWorkspaceBytes, "workspace for cuBLASLt",
                  workspace);
}

int32_t LtGemm::makeZeros(GemmPlan &plan) {
  if (plan.kind != GemmKind::Zeros)
    return AMP_RT_OK;
  if (backend.isRecording())
    return AMP_RT_FAIL(ctx, AMP_RT_INTERNAL,
                       "a product with k = 0 is met first while a step is "
                       "recorded; call amp_rt_gemm_prepare at load time");
  if (int32_t status = allocate(backend, plan.zeroBytes,
                                "zeros for a product with k = 0", plan.zeros))
    return status;
  return backend.fill(plan.zeros, 0, plan.zeroBytes);
}

int32_t LtGemm::makePlan(const PlanKey &key, GemmPlan &plan) {
  if (int32_t status = describeProblem(target(), key, plan))
    return status;
  if (plan.kind == GemmKind::Empty) {
    plan.path = "empty";
    return AMP_RT_OK;
  }
  if (int32_t status = makeZeros(plan))
    return status;
  Algorithm chosen;
  if (file.isOpen()) {
    const Algorithm *known = file.find(key, backend.arch(), lt.versionNumber());
    if (known)
      chosen = *known;
    if (known && acceptsAlgorithm(target(), plan, chosen)) {
      setAlgorithm(target(), plan, chosen);
      return AMP_RT_OK;
    }
    // An unaccepted choice is measured again, and replaced.
    if (!backend.isRecording()) {
      if (int32_t status = chooseMeasured(plan, chosen))
        return status;
      file.store(key, backend.arch(), lt.versionNumber(), chosen);
      setAlgorithm(target(), plan, chosen);
      return AMP_RT_OK;
    }
  }
  std::vector<Algorithm> found;
  if (int32_t status = findAlgorithms(target(), plan, 1, found))
    return status;
  setAlgorithm(target(), plan, found.front());
  return AMP_RT_OK;
}

int32_t LtGemm::findOrMakePlan(const PlanKey &key, const GemmPlan *&plan) {
  auto found = plans.find(key);
  if (found == plans.end()) {
    if (int32_t status = ensureWorkspace())
      return status;
    GemmPlan made;
    if (int32_t status = makePlan(key, made)) {
      if (made.zeros)
        backend.deallocate(made.zeros);
      return status;
    }
    found = plans.emplace(key, std::move(made)).first;
  }
  plan = &found->second;
  return AMP_RT_OK;
}

//===----------------------------------------------------------------------===//
// Measurement
//===----------------------------------------------------------------------===//

int32_t LtGemm::measure(const GemmPlan &plan, const amp_rt_gemm_args &args,
                        const Algorithm &algorithm, double &microseconds) {
  struct Event {
    CudaBackend &backend;
    amp_rt_event *event;
    explicit Event(CudaBackend &backend)
        : backend(backend), event(backend.createEvent()) {}
    ~Event() {
      if (event)
        backend.destroyEvent(event);
    }
  } begin(backend), end(backend);
  if (!begin.event || !end.event)
    return ctx.status;
  microseconds = 1e300;
  // The first run loads code.
  for (int run = 0; run <= kRuns; ++run) {
    double time = 0;
    int32_t status = backend.recordEvent(*begin.event);
    if (!status)
      status = runAlgorithm(target(), plan, args, algorithm, workspace,
                            reinterpret_cast<cudaStream_t>(backend.stream));
    if (!status)
      status = backend.recordEvent(*end.event);
    if (!status)
      status = backend.waitEvent(*end.event);
    if (!status)
      status = backend.elapsed(*begin.event, *end.event, time);
    if (status)
      return status;
    if (run > 0 && time < microseconds)
      microseconds = time;
  }
  return AMP_RT_OK;
}

/// Bytes from the first to the last element of strided matrices.
static size_t spanBytes(int64_t batch, int64_t rows, int64_t ld, int64_t stride,
                        size_t elementBytes) {
  return size_t((batch - 1) * stride + rows * ld) * elementBytes;
}

int32_t LtGemm::chooseMeasured(GemmPlan &plan, Algorithm &chosen) {
  std::vector<Algorithm> found;
  if (int32_t status = findAlgorithms(target(), plan, kMeasured, found))
    return status;
  chosen = found.front();
  if (found.size() == 1)
    return AMP_RT_OK;

  // One block for all operands, each 256-byte aligned. Half-way numbers in
  // every type: zeros would draw less power than data do.
  const amp_rt_gemm_desc &d = plan.desc;
  size_t total = 0;
  auto reserve = [&](size_t bytes) {
    size_t at = total;
    total += (bytes + 255) / 256 * 256;
    return at;
  };
  size_t lhs = reserve(spanBytes(d.batch, d.transpose_lhs ? d.k : d.m, d.lhs_ld,
                                 d.lhs_batch_stride, typeSize(d.lhs_type)));
  size_t rhs = reserve(spanBytes(d.batch, d.transpose_rhs ? d.n : d.k, d.rhs_ld,
                                 d.rhs_batch_stride, typeSize(d.rhs_type)));
  size_t out = reserve(spanBytes(d.batch, d.m, d.out_ld, d.out_batch_stride,
                                 typeSize(d.out_type)));
  size_t aux = reserve(spanBytes(d.batch, d.m, d.aux_ld, d.aux_batch_stride,
                                 hasGeluAux(d) ? typeSize(d.aux_type) : 1));
  // bias, bias gradient, scales and amax are at most f32 vectors.
  size_t vectors[5];
  for (size_t &vector : vectors)
    vector = reserve(size_t(d.m > d.n ? d.m : d.n) * sizeof(float));
  void *memory = nullptr;
  if (int32_t status =
          allocate(backend, total, "operands to measure a product", memory))
    return status;
  auto at = [&](size_t offset) { return static_cast<char *>(memory) + offset; };
  amp_rt_gemm_args args = {};
  args.struct_size = sizeof(args);
  args.lhs = at(lhs);
  args.rhs = at(rhs);
  args.out = at(out);
  args.aux = at(aux);
  args.bias = at(vectors[0]);
  args.bias_grad = at(vectors[0]);
  args.lhs_scale = at(vectors[1]);
  args.rhs_scale = at(vectors[2]);
  args.out_scale = at(vectors[3]);
  args.out_amax = reinterpret_cast<float *>(at(vectors[4]));

  int32_t status = backend.fill(memory, 0x2a, total);
  double best = 1e300;
  for (const Algorithm &algorithm : found) {
    double time = 0;
    if (!status)
      status = measure(plan, args, algorithm, time);
    if (!status && time < best) {
      best = time;
      chosen = algorithm;
    }
  }
  backend.deallocate(memory);
  return status;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

int32_t LtGemm::runGemm(const amp_rt_gemm_desc &desc,
                        const amp_rt_gemm_args &args) {
  const GemmPlan *plan = nullptr;
  if (int32_t status = findOrMakePlan({desc, Alignments::of(args)}, plan))
    return status;
  if (plan->kind == GemmKind::Empty)
    return AMP_RT_OK;
  double start = ctx.verbose ? nowMicroseconds() : 0;
  int32_t status =
      runAlgorithm(target(), *plan, args, plan->algorithm, workspace,
                   reinterpret_cast<cudaStream_t>(backend.stream));
  if (!status && ctx.verbose)
    printGemm(desc, plan->path, nowMicroseconds() - start);
  return status;
}

std::unique_ptr<CudaGemm> createCudaGemm(CudaBackend &backend) {
  return std::make_unique<LtGemm>(backend);
}

} // namespace amp_rt::cuda
