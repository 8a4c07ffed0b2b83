// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "rules/rule.h"

namespace trapline {

void Finding::add(std::string_view key, std::uint32_t order, std::string_view item) {
  auto it = std::find_if(facts.begin(), facts.end(), [key](const FactList& l) { return l.key == key; });
  if (it == facts.end()) it = facts.insert(facts.end(), {.key = std::string(key), .items = {}});
  it->items.emplace(order, item);
}

void Finding::add_source(std::string_view key, std::string_view item) {
  add(key, 0, item);
  for (FactList& l : facts)
    if (l.key == key) l.identifies = false;
}

const FactList* Finding::list(std::string_view key) const {
  auto it = std::find_if(facts.begin(), facts.end(), [key](const FactList& l) { return l.key == key; });
  return it == facts.end() ? nullptr : &*it;
}

std::size_t Finding::count(std::string_view key) const {
  const FactList* l = list(key);
  return l == nullptr ? 0 : l->items.size();
}

std::string Finding::joined(std::string_view key) const {
  std::string out;
  const FactList* l = list(key);
  if (l == nullptr) return out;
  std::size_t left = l->items.size();
  for (const auto& [order, item] : l->items) {
    out += item;
    --left;
    if (left > 1) out += ", ";
    if (left == 1) out += " and ";
  }
  return out;
}

void Finding::add_parts(std::string_view key) {
  std::uint32_t order = 0;
  for (const auto& [address, name] : parts) add(key, order++, name);
}

}  // namespace trapline
