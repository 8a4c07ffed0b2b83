// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trapline {

// Writes `text` to `file` whole or not at all: a file beside it is written, then renamed. What is no regular file
// (a terminal, a FIFO, /dev/stdout) is written directly. Throws Error with the file and the reason.
void write_output(const std::string& file, std::string_view text);

// Throws the Error that write_output would throw for a file that cannot be made: known before an analysis of minutes. A
// file that is one of `inputs`, by whatever name, is an Error too: a report must not replace the image it is about.
void check_output(const std::string& file, std::span<const std::string> inputs = {});

// Writes to an open descriptor. Throws Error in the name of `name`.
void write_descriptor(int descriptor, std::string_view text, const std::string& name);

}  // namespace trapline
