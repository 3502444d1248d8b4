//===- Image.cpp - Finds the code of an image -----------------------------===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fatbin container: a header of 16 bytes (magic, version, header size,
// bytes that follow), then entries, each with a header (kind, version, header
// size, payload bytes, ..., architecture at byte 28, flags at byte 40) and its
// payload. Found out by comparing files that fatbinary makes.
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "Fault.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

#include <cstdlib>
#include <cstring>

using namespace amp::emulator;

static constexpr uint32_t kFatbinMagic = 0xba55ed50;
static constexpr uint32_t kWrapperMagic = 0x466243b1;
static constexpr uint16_t kPtxEntry = 1, kCubinEntry = 2;
static constexpr uint64_t kCompressed = 0x2000, kCompressedZstd = 0x8000;

namespace {

struct FatbinHeader {
  uint32_t magic;
  uint16_t version;
  uint16_t headerBytes;
  uint64_t bytes;
};

struct EntryHeader {
  uint16_t kind;
  uint16_t version;
  uint32_t headerBytes;
  uint64_t payloadBytes;
  uint32_t compressedBytes;
  uint32_t unknown[2];
  uint32_t arch;
  uint32_t nameOffset, nameBytes;
  uint64_t flags;
};

/// What the fat binary object of a compiler driver points to.
struct Wrapper {
  uint32_t magic, version;
  const void *data;
  const void *unused;
};

} // namespace

std::string amp::emulator::ptxKey(const char *text, size_t size) {
  llvm::SHA256 hash;
  std::string kept;
  for (size_t i = 0; i != size; ++i) {
    char c = text[i];
    if (c == '/' && i + 1 != size && text[i + 1] == '/') {
      while (i != size && text[i] != '\n')
        ++i;
      if (i == size)
        break;
      continue;
    }
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\0')
      kept += c;
  }
  hash.update(kept);
  return llvm::toHex(hash.final(), /*LowerCase=*/true).substr(0, 32);
}

/// Finds the PTX of a fatbin, and whether the device can run the image.
static CUresult readFatbin(const char *data, unsigned arch, const char *&ptx,
                           size_t &ptxBytes) {
  FatbinHeader header;
  memcpy(&header, data, sizeof(header));
  const char *at = data + header.headerBytes, *end = at + header.bytes;
  bool runs = false, compressed = false;
  std::string contents;
  while (end - at > ptrdiff_t(sizeof(EntryHeader))) {
    EntryHeader entry;
    memcpy(&entry, at, sizeof(entry));
    const char *payload = at + entry.headerBytes;
    if (entry.kind == kPtxEntry) {
      contents += format(" sm_%u ptx", entry.arch);
      runs |= entry.arch <= arch;
      compressed = entry.flags & (kCompressed | kCompressedZstd);
      if (!compressed) {
        ptx = payload;
        ptxBytes = entry.payloadBytes;
      }
    } else if (entry.kind == kCubinEntry) {
      contents += format(" sm_%u cubin", entry.arch);
      runs |= entry.arch / 10 == arch / 10 && entry.arch <= arch;
    }
    at = payload + entry.payloadBytes;
  }
  if (!runs) {
    complain(format("the image holds nothing that a device of compute "
                    "capability %u.%u runs, but:%s",
                    arch / 10, arch % 10, contents.c_str()));
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  if (!ptx) {
    complain(compressed ? "the PTX of the image is compressed; fatbinary "
                          "expects --compress=false"
                        : "the image has no PTX, by which its bitcode is "
                          "found");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  return CUDA_SUCCESS;
}

CUresult amp::emulator::findImageCode(const void *image, unsigned arch,
                                      ImageCode &code) {
  const char *ptx = nullptr;
  size_t ptxBytes = 0;
  uint32_t magic;
  memcpy(&magic, image, sizeof(magic));
  if (magic == kWrapperMagic) {
    image = static_cast<const Wrapper *>(image)->data;
    memcpy(&magic, image, sizeof(magic));
  }
  if (magic == kFatbinMagic) {
    CUresult status =
        readFatbin(static_cast<const char *>(image), arch, ptx, ptxBytes);
    if (status != CUDA_SUCCESS)
      return status;
  } else if (memcmp(&magic,
                    "\x7f"
                    "ELF",
                    4) == 0) {
    complain("the image is a bare cubin, which the emulator cannot run");
    return CUDA_ERROR_INVALID_IMAGE;
  } else {
    ptx = static_cast<const char *>(image);
    ptxBytes = strlen(ptx);
    if (!strstr(ptx, ".version")) {
      complain("the image is neither a fatbin nor PTX");
      return CUDA_ERROR_INVALID_IMAGE;
    }
  }
  const char *folder = getenv("AMP_CUDA_BITCODE_DIR");
  if (!folder || !*folder) {
    complain("AMP_CUDA_BITCODE_DIR is not set: it names the folder with the "
             "bitcode of device code");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  code.key = ptxKey(ptx, ptxBytes);
  code.folder = folder;
  std::string path = code.folder + "/" + code.key + ".bc";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    complain("no bitcode for the PTX of the image: expects " + path +
             "; compile and run with the same AMP_CUDA_BITCODE_DIR");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  code.bitcode = (*buffer)->getBuffer().str();
  return CUDA_SUCCESS;
}
