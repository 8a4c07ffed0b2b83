// SPDX-License-Identifier: Apache-2.0
//
// One IMAGE argument: a file, and the vDSOs embedded in it, which are images of their own.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyzer/entries.h"
#include "disasm/image/image.h"

namespace trapline {

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

}  // namespace trapline
