//===- Assembler.cpp - PTX to cubins and fatbins -*- C++ -*-===//
//
// Part of the AMP-MLIR project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The toolkit's programs as child processes, and the cache in front of them.
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace mlir;
using namespace mlir::amp;
namespace path = llvm::sys::path;
namespace fs = llvm::sys::fs;

llvm::Expected<AssemblerKind> amp::chooseAssembler(StringRef option,
                                                   const Toolkit &toolkit) {
  bool isAuto = option == "auto";
  if (option == "driver")
    return AssemblerKind::Driver;
  if (!isAuto && option != "ptxas" && option != "nvjitlink")
    return llvm::createStringError("unknown assembler '" + option +
                                   "'; expects auto, ptxas, nvjitlink or "
                                   "driver");
  if (toolkit.fatbinary.empty())
    return toolkit.missing("fatbinary", "make an image of the kernels");
  if (option != "nvjitlink" && !toolkit.ptxas.empty())
    return AssemblerKind::Ptxas;
  if (option != "ptxas" && !toolkit.nvJitLink.empty())
    return AssemblerKind::NvJitLink;
  return toolkit.missing(isAuto              ? "ptxas or nvJitLink"
                         : option == "ptxas" ? "ptxas"
                                             : "nvJitLink",
                         "assemble kernels");
}

//===----------------------------------------------------------------------===//
// Files and processes
//===----------------------------------------------------------------------===//

namespace {
/// A folder for the files of child processes, gone when this is.
class Workspace {
public:
  static llvm::Expected<Workspace> create() {
    SmallString<128> folder;
    if (std::error_code error = fs::createUniqueDirectory("amp-cuda", folder))
      return llvm::createFileError("temporary folder", error);
    return Workspace(folder.str());
  }
  Workspace(Workspace &&other) : folder(std::exchange(other.folder, "")) {}
  ~Workspace() {
    if (!folder.empty())
      fs::remove_directories(folder);
  }
  std::string getFile(const Twine &name) const {
    SmallString<128> file(folder);
    path::append(file, name);
    return std::string(file);
  }

private:
  explicit Workspace(StringRef folder) : folder(folder) {}
  std::string folder;
};

/// A running program; both its outputs go to one file.
struct Process {
  std::string program, log;
  llvm::sys::ProcessInfo info;
};
} // namespace

static llvm::Expected<std::string> readFile(StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createFileError(file, buffer.getError());
  return (*buffer)->getBuffer().str();
}

static llvm::Expected<Process> start(const std::string &program,
                                     ArrayRef<std::string> arguments,
                                     const std::string &log) {
  SmallVector<StringRef> all{program};
  all.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log),
                                          StringRef(log)};
  std::string message;
  bool hasFailed = false;
  llvm::sys::ProcessInfo info = llvm::sys::ExecuteNoWait(
      program, all, std::nullopt, redirects, 0, &message, &hasFailed);
  if (hasFailed)
    return llvm::createStringError("cannot run '" + program + "': " + message);
  return Process{program, log, info};
}

/// Waits for the program; its output, or an error with the first line of it.
static llvm::Expected<std::string> finish(const Process &process) {
  std::string message;
  llvm::sys::ProcessInfo done =
      llvm::sys::Wait(process.info, std::nullopt, &message);
  llvm::Expected<std::string> log = readFile(process.log);
  if (!log)
    return log.takeError();
  if (done.ReturnCode == 0)
    return log;
  StringRef reason = StringRef(*log).trim().split('\n').first;
  return llvm::createStringError(
      "'" + process.program + "' failed with code " + Twine(done.ReturnCode) +
      ": " + (reason.empty() ? StringRef(message) : reason));
}

static llvm::Expected<std::string> run(const std::string &program,
                                       ArrayRef<std::string> arguments,
                                       const std::string &log) {
  llvm::Expected<Process> process = start(program, arguments, log);
  if (!process)
    return process.takeError();
  return finish(*process);
}

//===----------------------------------------------------------------------===//
// Cache
//===----------------------------------------------------------------------===//

/// Entry: "amp-cubin 1 <sha256 of the rest> <length of the log>\n", log, cubin.
static constexpr StringLiteral kCacheMagic = "amp-cubin 1 ";

static std::string getCacheFolder() {
  if (const char *folder = std::getenv("AMP_CUDA_CACHE_DIR"); folder && *folder)
    return folder;
  SmallString<128> folder;
  if (!path::cache_directory(folder))
    return "";
  path::append(folder, "amp-mlir", "cuda");
  return std::string(folder);
}

static std::string getCacheFile(StringRef folder, const DeviceCode &code,
                                StringRef version) {
  std::string identity =
      (code.arch.name + "\n" + version + "\n" + code.ptx).str();
  SmallString<128> file(folder);
  path::append(file, getSHA256(identity).substr(0, 32) + ".cubin");
  return std::string(file);
}

/// None when there is no entry, or one that is damaged.
static std::optional<Cubin> readCache(StringRef file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  StringRef text = (*buffer)->getBuffer();
  if (!text.consume_front(kCacheMagic))
    return std::nullopt;
  auto [header, rest] = text.split('\n');
  auto [hash, length] = header.split(' ');
  size_t logLength = 0;
  if (length.getAsInteger(10, logLength) || logLength >= rest.size() ||
      getSHA256(rest) != hash)
    return std::nullopt;
  return Cubin{rest.substr(logLength).str(), rest.take_front(logLength).str()};
}

/// A folder that cannot be written only costs time.
static void writeCache(StringRef file, const Cubin &cubin) {
  std::string rest = cubin.log + cubin.bytes;
  std::string entry = kCacheMagic.str() + getSHA256(rest) + " " +
                      std::to_string(cubin.log.size()) + "\n" + rest;
  llvm::consumeError(writeAtomically(file, entry));
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

static llvm::Expected<std::string> getVersion(AssemblerKind kind,
                                              const Toolkit &toolkit,
                                              const Workspace &workspace) {
  if (kind == AssemblerKind::NvJitLink) {
    llvm::Expected<std::string> version =
        getNvJitLinkVersion(toolkit.nvJitLink);
    if (!version)
      return version.takeError();
    return "nvJitLink " + *version;
  }
  return run(toolkit.ptxas, {"--version"}, workspace.getFile("version"));
}

/// Without the lines that differ from run to run.
static std::string withoutTimes(StringRef log) {
  std::string text;
  for (StringRef line : llvm::split(log, '\n'))
    if (!line.empty() && !line.contains("Compile time"))
      text += line.str() + "\n";
  return text;
}

static llvm::Expected<std::vector<Cubin>>
assembleByPtxas(ArrayRef<const DeviceCode *> codes, const Toolkit &toolkit,
                const Workspace &workspace) {
  std::vector<Process> processes;
  llvm::Error errors = llvm::Error::success();
  for (const DeviceCode *code : codes) {
    std::string stem = workspace.getFile(code->arch.name);
    if (llvm::Error error = writeAtomically(stem + ".ptx", code->ptx)) {
      errors = llvm::joinErrors(std::move(errors), std::move(error));
      break;
    }
    llvm::Expected<Process> process =
        start(toolkit.ptxas,
              {"-v", "-arch=" + code->arch.name.str(), stem + ".ptx", "-o",
               stem + ".cubin"},
              stem + ".log");
    if (!process) {
      errors = llvm::joinErrors(std::move(errors), process.takeError());
      break;
    }
    processes.push_back(*process);
  }
  // Those that were started are waited for in any case.
  std::vector<Cubin> cubins;
  for (auto [process, code] : llvm::zip(processes, codes)) {
    llvm::Expected<std::string> log = finish(process);
    if (!log) {
      errors = llvm::joinErrors(std::move(errors), log.takeError());
      continue;
    }
    llvm::Expected<std::string> bytes =
        readFile(workspace.getFile(code->arch.name + ".cubin"));
    if (!bytes)
      errors = llvm::joinErrors(std::move(errors), bytes.takeError());
    else
      cubins.push_back({std::move(*bytes), withoutTimes(*log)});
  }
  if (errors)
    return std::move(errors);
  return cubins;
}

static llvm::Expected<std::vector<Cubin>>
assembleAll(ArrayRef<const DeviceCode *> codes, AssemblerKind kind,
            const Toolkit &toolkit, const Workspace &workspace) {
  if (kind == AssemblerKind::Ptxas)
    return assembleByPtxas(codes, toolkit, workspace);
  std::vector<Cubin> cubins;
  for (const DeviceCode *code : codes) {
    llvm::Expected<std::string> bytes =
        assembleByNvJitLink(toolkit.nvJitLink, code->ptx, code->arch.name);
    if (!bytes)
      return bytes.takeError();
    cubins.push_back({std::move(*bytes), ""});
  }
  return cubins;
}

llvm::Expected<std::vector<Cubin>> amp::assemble(ArrayRef<DeviceCode> codes,
                                                 AssemblerKind kind,
                                                 const Toolkit &toolkit) {
  llvm::Expected<Workspace> workspace = Workspace::create();
  if (!workspace)
    return workspace.takeError();
  llvm::Expected<std::string> version = getVersion(kind, toolkit, *workspace);
  if (!version)
    return version.takeError();
  std::string folder = getCacheFolder();
  std::vector<Cubin> cubins(codes.size());
  SmallVector<size_t> indices;
  SmallVector<const DeviceCode *> absent;
  for (auto [index, code] : llvm::enumerate(codes)) {
    std::optional<Cubin> cached;
    if (!folder.empty())
      cached = readCache(getCacheFile(folder, code, *version));
    if (cached) {
      cubins[index] = std::move(*cached);
    } else {
      indices.push_back(index);
      absent.push_back(&code);
    }
  }
  llvm::Expected<std::vector<Cubin>> made =
      assembleAll(absent, kind, toolkit, *workspace);
  if (!made)
    return made.takeError();
  for (auto [index, cubin] : llvm::zip_equal(indices, *made)) {
    if (!folder.empty())
      writeCache(getCacheFile(folder, codes[index], *version), cubin);
    cubins[index] = std::move(cubin);
  }
  return cubins;
}

llvm::Expected<std::string> amp::makeFatbin(ArrayRef<DeviceCode> codes,
                                            ArrayRef<Cubin> cubins,
                                            const Toolkit &toolkit) {
  llvm::Expected<Workspace> workspace = Workspace::create();
  if (!workspace)
    return workspace.takeError();
  std::string output = workspace->getFile("image");
  SmallVector<std::string> arguments{"--create=" + output, "-64",
                                     "--compress=false"};
  auto add = [&](StringRef kind, const Arch &arch,
                 StringRef bytes) -> llvm::Error {
    std::string file = workspace->getFile(arch.name + "." + kind);
    arguments.push_back("--image3=kind=" + kind.str() +
                        ",sm=" + std::to_string(arch.number) + ",file=" + file);
    return writeAtomically(file, bytes);
  };
  for (auto [code, cubin] : llvm::zip_equal(codes, cubins))
    if (llvm::Error error = add("elf", code.arch, cubin.bytes))
      return std::move(error);
  if (llvm::Error error = add("ptx", codes.back().arch, codes.back().ptx))
    return std::move(error);
  llvm::Expected<std::string> log =
      run(toolkit.fatbinary, arguments, workspace->getFile("log"));
  if (!log)
    return log.takeError();
  return readFile(output);
}
