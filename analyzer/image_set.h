// SPDX-License-Identifier: Apache-2.0
//
// One IMAGE argument: a file, and the vDSOs embedded in it, which are images of their own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/entries.h"
#include "disasm/image/image.h"

namespace trapline {

// "vdso64" of "vmlinux!vdso64", the path of an embedded vDSO; empty for any other path.
std::string_view embedded_name(std::string_view path);

class ImageSet {
 public:
  // Opens `path` ("-": standard input). "vmlinux!vdso64", the name that reports give to an embedded vDSO, opens that
  // one alone, unless there is a file of that name. Throws Error as Image::open does.
  explicit ImageSet(const std::string& path);

  const Image& main() const { return *main_; }
  // The vDSOs embedded in it. They are looked for when first asked for: it takes a pass over all symbols.
  std::span<const std::unique_ptr<Image>> embedded();

 private:
  std::unique_ptr<Image> main_;
  std::vector<std::unique_ptr<Image>> embedded_;
  bool searched_ = false;
};

// An image with the entry routines to analyse in it.
struct Selection {
  const Image* image = nullptr;  // of the set, never null
  std::vector<Entry> entries;
};

// Without `wanted`: the entry routines of the image, and the exports of each embedded vDSO. Else the routines with
// these names or globs, in whichever image has them; a name that the image itself has is not looked for in the
// vDSOs. Throws Error as locate_entries does; a name is unknown when none of the images has it.
// `rules`: see locate_entries.
std::vector<Selection> select_entries(ImageSet& images, const std::vector<std::string>& wanted, EntryRules rules = {});

// The same where a name that none of the images has is no error.
struct SelectedEntries {
  std::vector<Selection> selections;
  std::vector<std::string> unknown;    // of the names wanted
  std::vector<const Image*> searched;  // for them
};
SelectedEntries select_entries_in(ImageSet& images, const std::vector<std::string>& wanted, EntryRules rules = {});

}  // namespace trapline
