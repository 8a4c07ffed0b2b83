// SPDX-License-Identifier: Apache-2.0
//
// Opens damaged images, decodes and analyses them: nothing but trapline::Error may come of it.
//   mutate_images [--count N] [--seed N] [--only N] [--dump FILE] [--vdsos] SEED...
// SEED is an ELF file or YAML for yaml2obj. --vdsos adds the files in $TRAPLINE_KERNELS/vdso; those of a machine that
// is not supported are read by the vDSO reader alone. TRAPLINE_MUTATIONS in the environment replaces the default count
// of 5,000.
// --only runs one mutation again, --dump writes its file. Exit status 1: something else than an Error, or no image
// opened, or none was refused (then this program tests nothing). A mutation that takes more than a minute ends the
// program by SIGALRM, after a line that names it.
#include <llvm/ObjectYAML/yaml2obj.h>
#include <llvm/Support/YAMLTraits.h>
#include <llvm/Support/raw_ostream.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/analyze.h"
#include "disasm/arch/arch.h"
#include "disasm/decode/decoder.h"
#include "disasm/error.h"
#include "disasm/image/elf_view.h"
#include "disasm/image/image.h"
#include "disasm/image/vdso_check.h"
#include "disasm/image/vdso_embedded.h"
#include "disasm/image/vdso_lief.h"
#include "mutate.h"

namespace trapline::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

struct Options {
  std::uint64_t count = 5000;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> only;
  std::string dump;
  std::vector<std::string> seeds;
  std::size_t foreign = 0;  // the last so many seeds may be of any machine
};

struct Counts {
  std::uint64_t opened = 0;
  std::uint64_t refused = 0;
  std::uint64_t analysed = 0;
  std::uint64_t not_analysed = 0;
};

Bytes load(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in) throw std::runtime_error(name + ": cannot read it");
  if (name.ends_with(".yaml")) {
    std::string file;
    std::string message;
    llvm::raw_string_ostream out(file);
    llvm::yaml::Input input(content);
    if (!llvm::yaml::convertYAML(
            input, out, [&](const llvm::Twine& what) { message = what.str(); }, 1,
            std::numeric_limits<std::uint64_t>::max()))
      throw std::runtime_error(name + ": " + message);
    content = file;
  }
  return {content.begin(), content.end()};
}

// Asks an image everything, and decodes from its first symbols.
void exercise(const Image& image) {
  constexpr std::size_t symbols = 40;
  constexpr int instructions = 20;
  const Decoder decoder(image);
  std::size_t seen = 0;
  for (const Symbol& symbol : image.symbols()) {
    if (++seen > symbols) break;
    (void)image.find_symbol(symbol.name);
    (void)image.arch().code_address(image, symbol);
    std::uint64_t at = symbol.address;
    for (int i = 0; i < instructions; ++i) {
      const Insn insn = decoder.decode(at);
      if (insn.size == 0) break;
      if (i % 4 == 0) (void)decoder.text(at);
      (void)image.describe(at);
      (void)image.next_symbol_address(at);
      (void)image.relocations_at(at, insn.size);
      if (insn.target) (void)image.describe(*insn.target);
      at += insn.size;
    }
  }
  try {
    (void)open_embedded_vdsos(image);
  } catch (const Error&) {
    // What lies between the symbols is damaged.
  }
  for (const Section& section : image.sections()) {
    (void)image.describe(section.address);
    (void)image.read(section.address + section.size - 1, 8);
  }
}

// Ends the program when one mutation hangs.
volatile std::sig_atomic_t current = 0;
constexpr unsigned patience = 60;  // seconds

extern "C" void hangs(int) {
  std::array<char, 64> line{};
  const int size = std::snprintf(line.data(), line.size(), "mutation %ld hangs\n", static_cast<long>(current));
  if (write(STDERR_FILENO, line.data(), static_cast<std::size_t>(size)) < 0) std::abort();
  std::signal(SIGALRM, SIG_DFL);
  std::raise(SIGALRM);
}

// Reads exports as Image does, of any machine.
void read_as_vdso(const Bytes& bytes) {
  try {
    (void)ElfView::open("mutation", bytes);
    if (fit_for_lief("mutation", bytes)) (void)read_vdso("mutation", bytes);
  } catch (const Error&) {
    // What is damaged is refused.
  }
}

using Analysis = std::function<void(const Image&)>;

void run_one(const Bytes& bytes, const Analysis& analysis, Counts& counts) {
  std::unique_ptr<Image> image;
  try {
    image = Image::from_bytes("mutation", bytes);
  } catch (const Error&) {
    ++counts.refused;
    read_as_vdso(bytes);
    return;
  }
  ++counts.opened;
  exercise(*image);
  try {
    analysis(*image);
    ++counts.analysed;
  } catch (const Error&) {
    ++counts.not_analysed;
  }
}

int run(const Options& options, const Analysis& analysis) {
  std::vector<Bytes> seeds;
  for (const std::string& name : options.seeds) {
    seeds.push_back(load(name));
    Counts whole;
    run_one(seeds.back(), analysis, whole);
    if (whole.opened == 0 && seeds.size() + options.foreign <= options.seeds.size())
      throw std::runtime_error(name + ": is refused undamaged");
  }
  std::signal(SIGALRM, hangs);
  Mutator mutator(options.seed);
  Counts counts;
  for (std::uint64_t i = 0; i < options.count; ++i) {
    const Bytes bytes = mutator.mutate(seeds[i % seeds.size()]);
    if (options.only && i != *options.only) continue;
    if (!options.dump.empty())
      std::ofstream(options.dump, std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    current = static_cast<std::sig_atomic_t>(i);
    alarm(patience);
    try {
      run_one(bytes, analysis, counts);
    } catch (const std::exception& error) {
      std::printf("mutation %llu of seed %llu (%s): %s\n", static_cast<unsigned long long>(i),
                  static_cast<unsigned long long>(options.seed), options.seeds[i % seeds.size()].c_str(), error.what());
      return 1;
    }
  }
  std::printf("%llu images opened, %llu refused; %llu analysed, %llu with nothing to analyse\n",
              static_cast<unsigned long long>(counts.opened), static_cast<unsigned long long>(counts.refused),
              static_cast<unsigned long long>(counts.analysed), static_cast<unsigned long long>(counts.not_analysed));
  return options.only || (counts.opened != 0 && counts.refused != 0 && counts.analysed != 0) ? 0 : 1;
}

Options parse(int argc, char** argv) {
  Options options;
  bool vdsos = false;
  if (const char* count = std::getenv("TRAPLINE_MUTATIONS")) options.count = std::stoull(count);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--vdsos") {
      vdsos = true;
      continue;
    }
    if (!word.starts_with("--")) {
      options.seeds.push_back(word);
      continue;
    }
    if (++i == argc) throw std::runtime_error(word + ": a value is missing");
    if (word == "--count")
      options.count = std::stoull(argv[i]);
    else if (word == "--seed")
      options.seed = std::stoull(argv[i]);
    else if (word == "--only")
      options.only = std::stoull(argv[i]);
    else if (word == "--dump")
      options.dump = argv[i];
    else
      throw std::runtime_error(word + ": unknown option");
  }
  if (const char* folder = std::getenv("TRAPLINE_KERNELS"); vdsos && folder != nullptr) {
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(folder) / "vdso")) {
      options.seeds.push_back(entry.path().string());
      ++options.foreign;
    }
    std::sort(options.seeds.end() - static_cast<std::ptrdiff_t>(options.foreign), options.seeds.end());
  }
  if (options.seeds.empty()) throw std::runtime_error("no seed file was given");
  return options;
}

// A damaged image may well have thousands of paths: few are enough here.
void analyse(const Image& image) {
  AnalyzeOptions options;
  options.max_paths = 16;
  options.listing = true;
  (void)analyze_sweep(image, options, {});  // needs no entry routine
  (void)analyze_paths(image, options);
}

}  // namespace
}  // namespace trapline::test

int main(int argc, char** argv) {
  try {
    return trapline::test::run(trapline::test::parse(argc, argv), trapline::test::analyse);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mutate_images: %s\n", error.what());
    return 2;
  }
}
