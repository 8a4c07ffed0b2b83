// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace trapline {

// What the user must be told: where (file, and offset when there is one), what is wrong, what to do.
// Thrown anywhere in the library, caught once in main, which prints one line and exits with status 2.
class Error : public std::runtime_error {
 public:
  // `where` is a file name or an option; `what` says what is wrong and what to do about it.
  Error(std::string where, std::string what) : std::runtime_error(where.empty() ? what : where + ": " + what) {}
  explicit Error(const std::string& what) : std::runtime_error(what) {}
};

}  // namespace trapline
