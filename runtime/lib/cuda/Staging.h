//===- Staging.h - Copies between host and device ---------------*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pinned host memory that stands between the caller's and the device's, so that
// no copy waits: an upload's source is free at once, and a download is
// delivered when the host waits anyway.
//
//===----------------------------------------------------------------------===//

#ifndef AMP_RT_LIB_CUDA_STAGING_H
#define AMP_RT_LIB_CUDA_STAGING_H

#include "Driver.h"

#include <deque>
#include <vector>

namespace amp_rt::cuda {

class CudaBackend;

class Staging {
public:
  explicit Staging(CudaBackend &backend) : backend(backend) {}
  /// Gives up on downloads that were not delivered. The stream is idle then.
  ~Staging();

  int32_t upload(void *destination, const void *source, size_t bytes);
  int32_t download(void *destination, const void *source, size_t bytes);

  /// Downloads asked for so far.
  uint64_t numDownloads() const { return issued; }
  /// Delivers the downloads before number `end`. The device is done with them.
  void deliver(uint64_t end);
  /// Forgets the downloads that were not delivered.
  void forget();
  /// The stream is idle: every block that is not a download's may be used.
  void reclaimAll();

private:
  struct Block {
    void *host = nullptr;
    size_t bytes = 0;
    /// Of the last copy from this block.
    CUevent event = nullptr;
  };
  struct Download {
    Block block;
    void *destination;
    size_t bytes;
  };

  int32_t acquire(size_t bytes, bool isUpload, Block &block);
  bool takeFree(size_t bytes, Block &block);
  int32_t reclaimUploads(bool wait);
  int32_t makeBlock(size_t bytes, Block &block);
  void destroyBlock(Block &block);
  void release(Block block);

  CudaBackend &backend;
  std::vector<Block> freeBlocks;
  /// In the order of the stream.
  std::deque<Block> uploads;
  std::deque<Download> downloads;
  /// The device may still use them, without an event that tells when.
  std::vector<Block> unknown;
  uint64_t issued = 0;
  uint64_t delivered = 0;
};

} // namespace amp_rt::cuda

#endif // AMP_RT_LIB_CUDA_STAGING_H
