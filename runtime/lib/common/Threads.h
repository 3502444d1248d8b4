//===- Threads.h - The OpenMP entry points in use ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GNU runtime's functions, declared here because clang brings neither its
// omp.h nor code generation for it. The same pool as oneDNN's: a second one
// would make the two fight for the processors.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_COMMON_THREADS_H
#define AMP_RT_LIB_COMMON_THREADS_H

extern "C" {
void GOMP_parallel(void (*fn)(void *), void *data, unsigned numThreads,
                   unsigned flags);
int omp_get_max_threads(void);
void omp_set_num_threads(int numThreads);
int omp_get_num_threads(void);
int omp_get_thread_num(void);
int omp_in_parallel(void);
}

namespace amp_rt {

/// Threads that a context has by default; 1 in a build without the CPU back
/// end, which has no pool.
int defaultThreads();

/// Sets the calling thread's OpenMP thread count for a scope: what oneDNN
/// reads.
class ThreadCountScope {
public:
  explicit ThreadCountScope(int numThreads) : previous(omp_get_max_threads()) {
    if (previous != numThreads)
      omp_set_num_threads(numThreads);
    else
      previous = 0;
  }
  ~ThreadCountScope() {
    if (previous)
      omp_set_num_threads(previous);
  }
  ThreadCountScope(const ThreadCountScope &) = delete;
  ThreadCountScope &operator=(const ThreadCountScope &) = delete;

private:
  int previous;
};

} // namespace amp_rt

#endif // AMP_RT_LIB_COMMON_THREADS_H
