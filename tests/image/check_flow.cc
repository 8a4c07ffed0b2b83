// SPDX-License-Identifier: Apache-2.0
//
// Decodes all code of real kernels and compares what LLVM MC and our lifters say about the flow of each instruction.
//   check_flow [KERNEL|FOLDER...]
// Checks every vmlinux-* of a folder; the folder TRAPLINE_KERNELS is always one. Exit status 1: contradictions (an
// instruction that may change control flow and that a lifter lets fall through); 2: a kernel cannot be read; 77:
// nothing to check.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/arch/arch.h"
#include "disasm/decode/decoder.h"
#include "disasm/error.h"
#include "disasm/image/image.h"

namespace trapline::test {
namespace {

struct Counts {
  std::uint64_t instructions = 0;
  std::uint64_t contradictions = 0;
  std::uint64_t not_lifted = 0;  // LLVM decodes it, the lifter does not
  std::map<std::string, std::uint64_t> messages;
};

// True when a mapping symbol says that data begins at or before `address`.
class DataMap {
 public:
  explicit DataMap(const Image& image) : symbols_(image.mapping_symbols()) {}
  // Addresses must come in ascending order.
  bool is_data(std::uint64_t address) {
    while (next_ < symbols_.size() && symbols_[next_].address <= address)
      data_ = symbols_[next_++].name.starts_with("$d");
    return data_;
  }

 private:
  std::span<const Symbol> symbols_;
  std::size_t next_ = 0;
  bool data_ = false;
};

void check(const Image& image, const Section& section, Counts& counts) {
  const Decoder decoder(image);
  DataMap data(image);
  const std::uint64_t end = section.address + section.bytes.size();
  for (std::uint64_t at = section.address; at < end;) {
    if (data.is_data(at)) {
      at += image.arch().unit(image, at);
      continue;
    }
    const Decoded decoded = decoder.raw(at);
    if (decoded.size == 0) break;
    Insn insn = image.arch().lift(image, decoded);
    ++counts.instructions;
    if (decoded.valid && insn.flow == Flow::unknown) {
      ++counts.not_lifted;
      ++counts.messages["not lifted: " + std::string(decoded.opcode)];
    }
    const std::string message = check_flow(decoded, insn);
    if (!message.empty()) {
      ++counts.contradictions;
      if (++counts.messages[std::string(decoded.opcode)] == 1)
        std::printf("  %s: %s\n", image.describe(at).c_str(), message.c_str());
    }
    at += decoded.size;
  }
}

bool check(const std::string& name) {
  const std::unique_ptr<Image> image = Image::open(name);
  Counts counts;
  for (const Section& section : image->sections())
    if (section.executable) check(*image, section, counts);
  std::printf("%s: %llu instructions, %llu contradictions, %llu that only LLVM decodes\n", name.c_str(),
              static_cast<unsigned long long>(counts.instructions),
              static_cast<unsigned long long>(counts.contradictions),
              static_cast<unsigned long long>(counts.not_lifted));
  for (const auto& [what, count] : counts.messages)
    std::printf("  %s: %llu\n", what.c_str(), static_cast<unsigned long long>(count));
  return counts.contradictions == 0 && counts.instructions != 0;
}

// Is the file of an architecture that has a lifter? (Other kernels may lie in the same folder.)
bool supported(const std::filesystem::path& kernel) {
  try {
    (void)Image::open(kernel.string());
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("is not supported") != std::string_view::npos) return false;
    throw;
  }
  return true;
}

// The unpacked kernels of a folder, by name; none when there is no such folder.
void add_folder(const std::filesystem::path& folder, std::map<std::string, std::string>& kernels) {
  if (!std::filesystem::is_directory(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool kernel = name.starts_with("vmlinux-") && !name.ends_with(".xz") && !name.ends_with(".json") &&
                        name.find(".part") == std::string::npos;
    if (kernel && supported(entry.path())) kernels.emplace(name, entry.path().string());
  }
}

int run(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> kernels;
  for (const std::string& argument : arguments) {
    if (std::filesystem::is_regular_file(argument))
      kernels.emplace(argument, argument);
    else
      add_folder(argument, kernels);
  }
  if (const char* folder = std::getenv("TRAPLINE_KERNELS")) add_folder(folder, kernels);
  bool good = true;
  for (const auto& [name, path] : kernels) good = check(path) && good;
  if (kernels.empty()) {
    std::printf("TRAPLINE_KERNELS names no folder with a kernel of a supported architecture\n");
    return 77;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace trapline::test

int main(int argc, char** argv) {
  try {
    return trapline::test::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "check_flow: %s\n", error.what());
    return 2;
  }
}
