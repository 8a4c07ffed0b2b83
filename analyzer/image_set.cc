// SPDX-License-Identifier: Apache-2.0
#include "analyzer/image_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "disasm/error.h"
#include "disasm/image/vdso_embedded.h"

namespace trapline {
namespace {

// Where the name of an embedded vDSO begins in `path` (behind the '!'); npos where `path` names a file.
std::size_t inner_name(const std::string& path) {
  const std::size_t mark = path.rfind('!');
  std::error_code error;
  if (mark == std::string::npos || mark == 0 || std::filesystem::exists(path, error)) return std::string::npos;
  return mark + 1;
}

}  // namespace

std::string_view embedded_name(std::string_view path) {
  const std::size_t mark = path.rfind('!');
  return mark == std::string_view::npos ? std::string_view() : path.substr(mark + 1);
}

ImageSet::ImageSet(const std::string& path) {
  const std::size_t inner = inner_name(path);
  if (inner == std::string::npos) {
    main_ = Image::open(path);
    return;
  }
  searched_ = true;
  const std::unique_ptr<Image> kernel = Image::open(path.substr(0, inner - 1));
  std::string known;
  for (std::unique_ptr<Image>& vdso : open_embedded_vdsos(*kernel)) {
    known += (known.empty() ? "" : ", ") + vdso->path().substr(kernel->path().size() + 1);
    if (vdso->path() == kernel->path() + path.substr(inner - 1)) main_ = std::move(vdso);
  }
  if (main_ == nullptr)
    throw Error(kernel->path(), fmt::format("holds no vDSO '{}'; {}", path.substr(inner),
                                            known.empty() ? "there is none in it" : "those in it are: " + known));
}

std::span<const std::unique_ptr<Image>> ImageSet::embedded() {
  if (!searched_) embedded_ = open_embedded_vdsos(*main_);
  searched_ = true;
  return embedded_;
}

SelectedEntries select_entries_in(ImageSet& images, const std::vector<std::string>& wanted, EntryRules rules) {
  SelectedEntries out;
  out.searched = {&images.main()};
  if (wanted.empty()) {
    out.selections.push_back({&images.main(), locate_entries(images.main(), {}, rules)});
    for (const std::unique_ptr<Image>& vdso : images.embedded()) {
      std::vector<Entry> exports = locate_entries_in(*vdso, {}, rules).entries;
      if (!exports.empty()) out.selections.push_back({vdso.get(), std::move(exports)});
    }
    return out;
  }
  Located here = locate_entries_in(images.main(), wanted, rules);
  if (!here.entries.empty()) out.selections.push_back({&images.main(), std::move(here.entries)});
  // Globs mean the routines of every image.
  std::vector<std::string> rest = here.unknown;
  std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(rest), [&](const std::string& pattern) {
    return is_glob(pattern) && std::find(rest.begin(), rest.end(), pattern) == rest.end();
  });
  if (rest.empty()) return out;
  out.unknown = std::move(here.unknown);
  for (const std::unique_ptr<Image>& vdso : images.embedded()) {
    Located there = locate_entries_in(*vdso, rest, rules);
    if (!there.entries.empty()) out.selections.push_back({vdso.get(), std::move(there.entries)});
    std::erase_if(out.unknown, [&](const std::string& pattern) {
      return std::find(there.unknown.begin(), there.unknown.end(), pattern) == there.unknown.end();
    });
    out.searched.push_back(vdso.get());
  }
  return out;
}

std::vector<Selection> select_entries(ImageSet& images, const std::vector<std::string>& wanted, EntryRules rules) {
  SelectedEntries selected = select_entries_in(images, wanted, rules);
  if (!selected.unknown.empty()) throw_unknown_entry(selected.searched, selected.unknown.front());
  return std::move(selected.selections);
}

}  // namespace trapline
