//===- OldLibc.cpp - What a C library older than the compiler's lacks -----===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs contain libstdc++ and libgcc, and these ask for two functions of
// glibc 2.35 and 2.36. With these here the programs start where glibc is 2.34.
// They are hidden, so that no library of the machine takes them.
//
//===----------------------------------------------------------------------===//

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cstdint>
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#define AMP_HIDDEN extern "C" __attribute__((visibility("hidden")))

/// For std::random_device, which nothing here uses.
AMP_HIDDEN uint32_t arc4random() noexcept {
  uint32_t value = 0;
  while (getrandom(&value, sizeof(value), 0) != ssize_t(sizeof(value)))
    ;
  return value;
}

#ifdef DLFO_STRUCT_HAS_EH_DBASE

namespace {
struct Search {
  ElfW(Addr) address;
  dl_find_object *result;
};
} // namespace

/// Whether this object contains the address; notes where its unwind table is.
static int visit(dl_phdr_info *object, size_t, void *data) {
  Search &search = *static_cast<Search *>(data);
  bool isInside = false;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = object->dlpi_phdr[i];
    ElfW(Addr) start = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_GNU_EH_FRAME)
      search.result->dlfo_eh_frame = reinterpret_cast<void *>(start);
    if (segment.p_type != PT_LOAD || search.address < start ||
        search.address >= start + segment.p_memsz)
      continue;
    isInside = true;
    search.result->dlfo_map_start = reinterpret_cast<void *>(start);
    search.result->dlfo_map_end =
        reinterpret_cast<void *>(start + segment.p_memsz);
  }
  return isInside && search.result->dlfo_eh_frame;
}

/// For libgcc's unwinder: the object that holds an address.
AMP_HIDDEN int _dl_find_object(void *address, dl_find_object *result) noexcept {
  *result = {};
  Search search = {reinterpret_cast<ElfW(Addr)>(address), result};
  auto each = [](dl_phdr_info *object, size_t size, void *data) {
    static_cast<Search *>(data)->result->dlfo_eh_frame = nullptr;
    return visit(object, size, data);
  };
  return dl_iterate_phdr(each, &search) ? 0 : -1;
}

#endif
