// SPDX-License-Identifier: Apache-2.0
//
// Text for people: wrapped lines of a fixed width, never a trailing blank. Tables are in table.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trapline {

// How text is to look. The defaults are those of a pipe: fit for a mail.
struct TextOptions {
  bool color = false;
  bool ascii = true;       // escape what is not ASCII
  std::size_t width = 72;  // columns
  bool all = false;        // every path
  bool listing = false;    // instructions
  bool verbose = false;
};

enum class Style : std::uint8_t { plain, heading, header, faint, warning, error };

// `text` in the terminal's colours, if `color`.
std::string paint(Style style, std::string_view text, bool color);

// Columns that `text` takes on a terminal.
std::size_t display_width(std::string_view text);

// `text` with control characters as \xNN: names come from files and must not drive a terminal. With `ascii`, and where
// it is not valid UTF-8, so is everything beyond ASCII.
std::string printable(std::string_view text, bool ascii);

// An instruction as a decoder prints it, with tabs and runs of blanks as one blank.
std::string one_line(std::string_view text);

// Cuts `text` at blanks into lines of at most `first` (the first line) and `rest` columns. A word that is longer is cut
// behind one of _ . - / + or, failing that, anywhere, and the cut is marked with a backslash. At least one line.
std::vector<std::string> wrap(std::string_view text, std::size_t first, std::size_t rest);

// "1 path", "2 paths".
std::string counted(std::uint64_t number, std::string_view noun);

// A text being written line by line.
class Page {
 public:
  explicit Page(const TextOptions& options) : options_(options) {}

  const TextOptions& options() const { return options_; }
  // An empty line, unless the page is empty or its last line is.
  void blank();
  // `text` from column `indent` on; further lines start at `hang`. The first `styled` bytes are painted, all by
  // default.
  void paragraph(std::size_t indent, std::size_t hang, std::string_view text, Style style = Style::plain,
                 std::size_t styled = std::string_view::npos);
  // A finished line.
  void line(std::string_view text);
  std::string take() { return std::move(text_); }

 private:
  TextOptions options_;
  std::string text_;
};

}  // namespace trapline
