// SPDX-License-Identifier: Apache-2.0
#include "disasm/image/kernel_version.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "disasm/image/image.h"

namespace trapline {

namespace {

// "X.Y" or "X.Y.Z" at the start of the text, which is cut off.
std::optional<KernelVersion> take_version(std::string_view& text) {
  KernelVersion version;
  const char* at = text.data();
  const char* const end = at + text.size();
  int numbers = 0;
  for (std::uint32_t* number : {&version.major, &version.minor, &version.sublevel}) {
    if (numbers != 0) {
      if (at == end || *at != '.') break;
      ++at;
    }
    const std::from_chars_result read = std::from_chars(at, end, *number);
    if (read.ec != std::errc()) return std::nullopt;
    at = read.ptr;
    ++numbers;
  }
  if (numbers < 2) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(at - text.data()));
  return version;
}

}  // namespace

std::optional<KernelVersion> parse_kernel_banner(std::string_view banner) {
  constexpr std::string_view greeting = "Linux version ";
  if (!banner.starts_with(greeting)) return std::nullopt;
  std::string_view rest = banner.substr(greeting.size());
  const std::optional<KernelVersion> release = take_version(rest);
  if (!release) return std::nullopt;
  if (release->sublevel != 0 || rest.empty() || rest.front() == ' ') return release;
  for (std::size_t at = banner.rfind(" #"); at != std::string_view::npos; at = banner.find(' ', at + 1)) {
    std::string_view word = banner.substr(at + 1);
    const std::optional<KernelVersion> version = take_version(word);
    if (version && version->major == release->major && version->minor == release->minor) return version;
  }
  return std::nullopt;
}

std::optional<KernelVersion> kernel_version(const Image& image) {
  const Symbol* symbol = image.find_symbol("linux_banner");
  if (symbol == nullptr) return std::nullopt;
  const std::span<const std::uint8_t> bytes = image.bytes_at(symbol->address);
  constexpr std::size_t enough = 512;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), enough));
  return parse_kernel_banner(text.substr(0, text.find_first_of(std::string_view("\n\0", 2))));
}

}  // namespace trapline
