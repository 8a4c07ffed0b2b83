// SPDX-License-Identifier: Apache-2.0
//
// What the JSON documents have in common: key by key as interface.md has it. What is unknown is null; no key is ever
// left out.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report.h"

namespace trapline {

using Json = nlohmann::ordered_json;

std::string hex(std::uint64_t address);  // "0x9000000000221000"
Json text_or_null(std::string_view text);

// The beginning of a document: its schema, "trapline/<command>/1", and the tool.
Json document(std::string_view command);
// The whole document as text. Names come from files and need not be UTF-8: what is not becomes U+FFFD.
std::string dump(const Json& json);

Json head_json(const ImageHead& head);
Json cost_json(const Cost& cost);
Json classes_json(const Cost& cost);
Json instructions_json(const std::vector<ListingLine>& lines);
Json finding_json(const FindingReport& finding);

}  // namespace trapline
