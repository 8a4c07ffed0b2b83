// SPDX-License-Identifier: Apache-2.0
#include "analyzer/text_file.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "disasm/error.h"

namespace trapline {

std::string read_text_file(const std::string& path) {
  if (std::error_code error; std::filesystem::is_directory(path, error))
    throw Error(path, "cannot be read: it is a folder; name a file");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  // An empty file sets failbit of `text`, and is no error.
  if (file) text << file.rdbuf();
  if (!file.is_open() || file.bad())
    throw Error(path, "cannot be read: " + std::generic_category().message(errno == 0 ? EIO : errno));
  return text.str();
}

}  // namespace trapline
