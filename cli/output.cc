// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fcntl.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "disasm/error.h"

namespace trapline {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

// A reader that went away is an error of that output, not the end of this process.
class IgnorePipeSignal {
 public:
  IgnorePipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~IgnorePipeSignal() { std::signal(SIGPIPE, before_); }
  IgnorePipeSignal(const IgnorePipeSignal&) = delete;
  IgnorePipeSignal& operator=(const IgnorePipeSignal&) = delete;

 private:
  void (*before_)(int);
};

void write_directly(const std::string& file, std::string_view text) {
  const IgnorePipeSignal guard;
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) throw Error(file, "cannot be written: " + reason(errno));
  try {
    write_descriptor(descriptor, text, file);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  if (::close(descriptor) != 0) throw Error(file, "cannot be written: " + reason(errno));
}

[[noreturn]] void throw_failed(const std::string& file, llvm::Error error) {
  throw Error(file, "cannot be written: " + llvm::toString(std::move(error)));
}

// `target` is where the file really is: a symbolic link stays one.
void write_and_rename(const std::string& file, const std::string& target, std::string_view text, unsigned mode) {
  llvm::Expected<llvm::sys::fs::TempFile> temporary = llvm::sys::fs::TempFile::create(target + ".%%%%%%%%", mode);
  if (!temporary) throw_failed(file, temporary.takeError());
  try {
    write_descriptor(temporary->FD, text, file);
  } catch (...) {
    llvm::consumeError(temporary->discard());
    throw;
  }
  if (llvm::Error error = temporary->keep(target)) throw_failed(file, std::move(error));
}

}  // namespace

void write_descriptor(int descriptor, std::string_view text, const std::string& name) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written < 0 && errno != EINTR) {
      throw Error(name, "cannot be written: " + reason(errno));
    }
  }
}

void check_output(const std::string& file, std::span<const std::string> inputs) {
  struct stat status = {};
  if (::stat(file.c_str(), &status) == 0) {
    for (const std::string& input : inputs) {
      struct stat read = {};
      if (::stat(input.c_str(), &read) == 0 && read.st_dev == status.st_dev && read.st_ino == status.st_ino)
        throw Error(file, "is the image itself; name another file for the report");
    }
    if (S_ISDIR(status.st_mode)) throw Error(file, "cannot be written: it is a folder; name a file");
    // The rename would replace a file that its owner has made read-only.
    if (::access(file.c_str(), W_OK) != 0) throw Error(file, "cannot be written: " + reason(errno));
    if (!S_ISREG(status.st_mode)) return;
  }
  const llvm::StringRef parent = llvm::sys::path::parent_path(file);
  const std::string folder = parent.empty() ? "." : parent.str();
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw Error(file, "cannot be written: " + reason(errno));
}

void write_output(const std::string& file, std::string_view text) {
  check_output(file);
  struct stat status = {};
  const bool exists = ::stat(file.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return write_directly(file, text);

  llvm::SmallString<256> target(file);
  if (exists) {
    if (const std::error_code code = llvm::sys::fs::real_path(file, target)) {
      throw Error(file, "cannot be written: " + code.message());
    }
  }
  constexpr unsigned permission_bits = 07777;
  write_and_rename(file, target.str().str(), text, exists ? status.st_mode & permission_bits : 0666U);
}

}  // namespace trapline
