// SPDX-License-Identifier: Apache-2.0
#include "image_samples.h"

#include <llvm/ObjectYAML/yaml2obj.h>
#include <llvm/Support/YAMLTraits.h>
#include <llvm/Support/raw_ostream.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace trapline::test {

std::string read_text(const std::string& name) {
  std::ifstream in(std::string(TRAPLINE_SOURCE_DIR) + "/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error("cannot read " + name);
  return text.str();
}

std::vector<std::string> yaml_documents(const std::string& text) {
  std::vector<std::string> documents;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("--- ")) documents.emplace_back();
    if (!documents.empty()) documents.back() += line + "\n";
  }
  return documents;
}

Bytes elf_of(const std::string& yaml) {
  std::string file;
  std::string message;
  llvm::raw_string_ostream out(file);
  llvm::yaml::Input input(yaml);
  const bool done = llvm::yaml::convertYAML(
      input, out, [&](const llvm::Twine& what) { message = what.str(); }, 1, std::numeric_limits<std::uint64_t>::max());
  if (!done) throw std::runtime_error("yaml2obj: " + message);
  return {file.begin(), file.end()};
}

Bytes sample_bytes(const std::string& name) { return elf_of(read_text("tests/image/" + name + ".yaml")); }

std::unique_ptr<Image> sample(const std::string& name) { return Image::from_bytes(name, sample_bytes(name)); }

}  // namespace trapline::test
