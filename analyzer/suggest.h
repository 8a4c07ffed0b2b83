// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trapline {

// "; did you mean 'paths'?" for the candidate nearest to what was typed, or nothing where none is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> candidates);

}  // namespace trapline
