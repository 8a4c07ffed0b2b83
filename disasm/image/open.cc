// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <llvm/Support/FileSystem.h>

#include <cstdio>
#include <system_error>
#include <utility>

#include "disasm/error.h"
#include "disasm/image/elf_reader.h"
#include "disasm/image/image.h"

namespace trapline {
namespace {

namespace fs = llvm::sys::fs;

// Closes a native file handle.
class File {
 public:
  explicit File(fs::file_t handle) : handle_(handle) {}
  ~File() { fs::closeFile(handle_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  fs::file_t handle() const { return handle_; }

 private:
  fs::file_t handle_;
};

// Everything that a stream (standard input, a pipe) gives.
std::vector<std::uint8_t> read_stream(const std::string& name, fs::file_t handle) {
  std::vector<std::uint8_t> bytes;
  std::size_t filled = 0;
  for (;;) {
    if (filled == bytes.size()) bytes.resize(bytes.empty() ? 1U << 20 : bytes.size() * 2);
    llvm::Expected<std::size_t> got = fs::readNativeFile(
        handle, llvm::MutableArrayRef<char>(reinterpret_cast<char*>(bytes.data()) + filled, bytes.size() - filled));
    if (!got) throw Error(name, fmt::format("cannot read it: {}", llvm::toString(got.takeError())));
    if (*got == 0) break;
    filled += *got;
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace

std::unique_ptr<Image> Image::open(const std::string& path) {
  if (path == "-") {
    std::unique_ptr<Storage> storage = std::make_unique<Storage>();
    storage->buffer = read_stream("standard input", fs::getStdinHandle());
    storage->bytes = storage->buffer;
    return ElfReader::read("standard input", std::move(storage));
  }
  llvm::Expected<fs::file_t> handle = fs::openNativeFileForRead(path);
  if (!handle)
    throw Error(path, fmt::format("cannot open it: {}; pass a vmlinux, vDSO, object or module",
                                  llvm::toString(handle.takeError())));
  const File file(*handle);
  fs::file_status status;
  if (const std::error_code error = fs::status(file.handle(), status))
    throw Error(path, fmt::format("cannot read it: {}", error.message()));
  if (status.type() == fs::file_type::directory_file)
    throw Error(path, "is a directory; pass a vmlinux, vDSO, object or module in it");
  std::unique_ptr<Storage> storage = std::make_unique<Storage>();
  // Pipes, and the files of /proc and /sys that claim to be empty, are read.
  if (status.type() != fs::file_type::regular_file || status.getSize() == 0) {
    storage->buffer = read_stream(path, file.handle());
    storage->bytes = storage->buffer;
  } else {
    std::error_code error;
    storage->mapping = fs::mapped_file_region(file.handle(), fs::mapped_file_region::priv, status.getSize(), 0, error);
    if (error) throw Error(path, fmt::format("cannot map it: {}", error.message()));
    storage->bytes = {reinterpret_cast<std::uint8_t*>(storage->mapping.data()), storage->mapping.size()};
  }
  return ElfReader::read(path, std::move(storage));
}

std::unique_ptr<Image> Image::from_bytes(std::string name, std::span<const std::uint8_t> bytes) {
  std::unique_ptr<Storage> storage = std::make_unique<Storage>();
  storage->buffer.assign(bytes.begin(), bytes.end());
  storage->bytes = storage->buffer;
  return ElfReader::read(std::move(name), std::move(storage));
}

}  // namespace trapline
