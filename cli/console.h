// SPDX-License-Identifier: Apache-2.0
//
// Where the process reads its surroundings: descriptors, terminals, environment. Tests hand in their own.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "cli/layout.h"
#include "cli/options.h"

namespace trapline {

struct Console {
  int out = 1;
  int err = 2;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t columns = 0;  // of the terminal at `out`; 0: not known
  // An environment variable, or nothing where it is not set.
  std::function<std::optional<std::string>(const char* name)> environment;

  static Console of_process();
};

// Whether text for `to_terminal` is coloured. --color beats NO_COLOR, that beats CLICOLOR_FORCE and FORCE_COLOR, those
// beat TERM=dumb and the absence of a terminal.
bool use_color(const Console& console, ColorChoice choice, bool to_terminal);

// How text for one output is to look.
TextOptions text_options(const Console& console, const Options& options, const OutputRequest& output);

// One line on a terminal's standard error that says what is being done; erased at the end. Silent where that is no
// terminal, with --quiet, and where the variable CI is set.
class Progress {
 public:
  Progress(const Console& console, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(const std::string& what);

 private:
  int descriptor_ = -1;  // -1: silent
};

}  // namespace trapline
