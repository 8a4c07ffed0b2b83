// SPDX-License-Identifier: Apache-2.0
//
// A picture is the dot format run through Graphviz: laying out a graph is its trade.
#include <fmt/format.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Program.h>

#include <array>
#include <optional>

#include "cli/format/formats.h"
#include "cli/output.h"
#include "disasm/error.h"

namespace trapline {
namespace {

// A file in the system's folder for temporary files that goes away with this object.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view suffix) {
    llvm::SmallString<128> name;
    if (const std::error_code code = llvm::sys::fs::createTemporaryFile("trapline", suffix, name)) {
      throw Error("svg", "no temporary file: " + code.message());
    }
    name_ = name.str().str();
  }
  ~ScratchFile() { llvm::sys::fs::remove(name_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& name() const { return name_; }
  std::string content() const {
    const auto buffer = llvm::MemoryBuffer::getFile(name_);
    if (!buffer) throw Error(name_, buffer.getError().message());
    return (*buffer)->getBuffer().str();
  }

 private:
  std::string name_;
};

}  // namespace

std::string cfg_svg(const CfgReport& report) {
  const auto program = llvm::sys::findProgramByName("dot");
  if (!program) {
    throw Error("svg", "Graphviz's program 'dot' was not found; install graphviz, or use --format dot");
  }
  const ScratchFile input("dot");
  const ScratchFile output("svg");
  const ScratchFile messages("txt");
  write_output(input.name(), cfg_dot(report));

  const std::array<llvm::StringRef, 2> arguments = {"dot", "-Tsvg"};
  const std::array<std::optional<llvm::StringRef>, 3> redirects = {input.name(), output.name(), messages.name()};
  std::string reason;
  const int status = llvm::sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects, /*SecondsToWait=*/0,
                                               /*MemoryLimit=*/0, &reason);
  if (status != 0) {
    if (reason.empty()) reason = messages.content();
    if (reason.empty()) reason = fmt::format("status {}", status);
    throw Error("svg", fmt::format("Graphviz's program {} failed: {}", *program, one_line(reason)));
  }
  return output.content();
}

}  // namespace trapline
