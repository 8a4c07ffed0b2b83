// SPDX-License-Identifier: Apache-2.0
//
// Which kernel an image is, by the text that it greets with.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trapline {

class Image;

struct KernelVersion {
  std::uint32_t major = 0, minor = 0, sublevel = 0;
  friend auto operator<=>(const KernelVersion&, const KernelVersion&) = default;
};

// Of a banner, "Linux version 6.12.117+deb13-armmp (...) #1 SMP ..." (init/version.c). A distribution may call all
// kernels of a series 6.1.0 in the release: then the version is the one behind '#' ("#1 SMP Debian 6.1.176-1"). Nothing
// for any other text, and for a release "X.Y.0-..." where nothing behind '#' says which it is.
std::optional<KernelVersion> parse_kernel_banner(std::string_view banner);

// From the symbol linux_banner. Nothing in an image that has none.
std::optional<KernelVersion> kernel_version(const Image& image);

}  // namespace trapline
