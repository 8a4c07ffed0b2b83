// SPDX-License-Identifier: Apache-2.0
#include "cli/layout.h"

#include <fmt/format.h>
#include <llvm/Support/Unicode.h>

#include <algorithm>

namespace trapline {
namespace {

// Length of the longest beginning of `word` that takes at most `width` columns and is not inside a character.
std::size_t prefix_length(std::string_view word, std::size_t width) {
  std::size_t length = std::min(word.size(), width);
  while (length > 1 && length < word.size() && (static_cast<unsigned char>(word[length]) & 0xc0U) == 0x80U) --length;
  return std::max<std::size_t>(length, 1);
}

// Where to cut a word that is longer than `width` columns, leaving one for the mark.
std::size_t cut_at(std::string_view word, std::size_t width) {
  const std::size_t most = prefix_length(word, width > 1 ? width - 1 : 1);
  const std::size_t separator = word.substr(0, most).find_last_of("_.-/+");
  // A cut near the word's beginning would only waste the line.
  return separator != std::string_view::npos && separator + 1 > most / 2 ? separator + 1 : most;
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

}  // namespace

std::string paint(Style style, std::string_view text, bool color) {
  if (!color || text.empty()) return std::string(text);
  switch (style) {
    case Style::plain:
      return std::string(text);
    case Style::heading:
      return fmt::format("\x1b[1m{}\x1b[0m", text);
    case Style::header:
      return fmt::format("\x1b[4m{}\x1b[0m", text);
    case Style::faint:
      return fmt::format("\x1b[2m{}\x1b[0m", text);
    case Style::warning:
      return fmt::format("\x1b[33m{}\x1b[0m", text);
    case Style::error:
      return fmt::format("\x1b[31m{}\x1b[0m", text);
  }
  return std::string(text);
}

std::size_t display_width(std::string_view text) {
  const int width = llvm::sys::unicode::columnWidthUTF8(text);
  return width < 0 ? text.size() : static_cast<std::size_t>(width);
}

std::string printable(std::string_view text, bool ascii) {
  const auto plain = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  if (!ascii && llvm::sys::unicode::columnWidthUTF8(text) >= 0) return std::string(text);
  std::string result;
  for (const char c : text) {
    if (plain(c)) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!is_blank) {
      result += c;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  if (!result.empty() && result.back() == ' ') result.pop_back();
  return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t first, std::size_t rest) {
  std::vector<std::string> lines(1);
  const auto room = [&] { return lines.size() == 1 ? first : rest; };
  for (std::string_view word = next_word(text); !word.empty(); word = next_word(text)) {
    std::size_t used = display_width(lines.back());
    const std::size_t gap = used == 0 ? 0 : 1;
    if (used + gap + display_width(word) <= room()) {
      lines.back() += gap == 0 ? "" : " ";
      lines.back() += word;
      continue;
    }
    if (used != 0) lines.emplace_back();
    while (display_width(word) > room()) {
      // The first line may be too narrow for a word that fits the next one.
      if (lines.size() == 1 && first < rest && display_width(word) <= rest) {
        lines.emplace_back();
        break;
      }
      const std::size_t length = cut_at(word, room());
      lines.back() = std::string(word.substr(0, length)) + "\\";
      word.remove_prefix(length);
      lines.emplace_back();
    }
    lines.back() = word;
  }
  return lines;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

void Page::blank() {
  if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

void Page::paragraph(std::size_t indent, std::size_t hang, std::string_view text, Style style, std::size_t styled) {
  const std::size_t width = options_.width;
  const std::vector<std::string> lines =
      wrap(text, width - std::min(indent, width / 2), width - std::min(hang, width / 2));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& content = lines[i];
    if (i == 0 && content.empty() && lines.size() > 1) continue;
    const std::size_t painted = std::min(styled, content.size());
    text_ += std::string(i == 0 ? indent : hang, ' ');
    text_ += paint(style, std::string_view(content).substr(0, painted), options_.color);
    text_ += content.substr(painted);
    text_ += '\n';
    if (styled != std::string_view::npos) styled -= painted;
  }
}

void Page::line(std::string_view text) {
  const std::size_t end = text.find_last_not_of(' ');
  text_ += text.substr(0, end == std::string_view::npos ? 0 : end + 1);
  text_ += '\n';
}

}  // namespace trapline
