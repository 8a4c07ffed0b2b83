// SPDX-License-Identifier: Apache-2.0
//
// Decodes all code of real kernels twice, with trapline's decoder and with Capstone, and lists where they differ.
//   cross_check_kernels [KERNEL|FOLDER...]
// Takes every vmlinux-* of a folder; the folder TRAPLINE_KERNELS is always one. Exit status 1: a difference that
// doc/cross-check.md does not explain, or a kernel without instructions; 2: a kernel cannot be read; 77: nothing to
// check.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/decode/cross_check.h"
#include "disasm/error.h"
#include "disasm/image/image.h"

namespace trapline::test {
namespace {

constexpr std::size_t shown = 40;  // unexplained differences of a kernel

unsigned long long number(std::uint64_t n) { return n; }

// Null for a kernel of an architecture that trapline has not.
std::unique_ptr<Image> open(const std::string& name) {
  try {
    return Image::open(name);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find("is not supported") != std::string_view::npos) return nullptr;
    throw;
  }
}

// The difference as one line: address, both opinions.
void print(const Image& image, const Difference& d) {
  const auto view = [](const InsnView& v, const std::string& text) {
    if (v.size == 0) return std::string("does not decode it");
    std::string words = "'" + text + "', " + std::to_string(v.size) + " bytes, ";
    if (v.conditional) words += "conditional ";
    return words + std::string(flow_kind_name(v.flow));
  };
  std::printf("  %#llx %s: %s: trapline %s; Capstone %s\n", number(image.shown(d.address)),
              image.describe(d.address).c_str(), std::string(difference_kind_name(d.kind)).c_str(),
              view(d.ours, d.our_text).c_str(), view(d.theirs, d.their_text).c_str());
}

// False when something is wrong; counts the kernels that were compared.
bool check(const std::string& name, unsigned& compared) {
  const std::unique_ptr<Image> image = open(name);
  if (image == nullptr) return true;
  const Decoder decoder(*image);
  const std::vector<CodeRange> ranges = code_ranges(*image);
  const CrossReport report = cross_check(*image, decoder, ranges);
  if (!report.asked) return true;
  ++compared;
  std::map<std::string_view, std::uint64_t> classes;
  std::size_t unexplained = 0;
  for (const Difference& d : report.differences) {
    if (d.explained != nullptr) {
      ++classes[d.explained->name];
    } else if (++unexplained <= shown) {
      print(*image, d);
    }
  }
  std::printf("%s: %s: %llu instructions, %llu agree, %zu differ, %zu of these not explained\n", name.c_str(),
              report.decoder.c_str(), number(report.instructions), number(report.agreed), report.differences.size(),
              unexplained);
  for (const auto& [row, count] : classes) std::printf("  %s: %llu\n", std::string(row).c_str(), number(count));
  return unexplained == 0 && report.instructions != 0;
}

void add_folder(const std::filesystem::path& folder, std::map<std::string, std::string>& kernels) {
  if (!std::filesystem::is_directory(folder)) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool kernel = name.starts_with("vmlinux-") && !name.ends_with(".xz") && !name.ends_with(".json") &&
                        name.find(".part") == std::string::npos;
    if (kernel) kernels.emplace(name, entry.path().string());
  }
}

int run(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> kernels;
  for (const std::string& argument : arguments) {
    if (std::filesystem::is_regular_file(argument)) {
      kernels.emplace(argument, argument);
    } else {
      add_folder(argument, kernels);
    }
  }
  if (const char* folder = std::getenv("TRAPLINE_KERNELS")) add_folder(folder, kernels);
  bool good = true;
  unsigned compared = 0;
  for (const auto& [name, path] : kernels) good = check(path, compared) && good;
  if (good && compared == 0) {
    std::printf("TRAPLINE_KERNELS names no folder with a kernel that both decoders know\n");
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
    std::fprintf(stderr, "cross_check_kernels: %s\n", error.what());
    return 2;
  }
}
