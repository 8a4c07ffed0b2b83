// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trapline {

class Arch;

// LoongArch, 64-bit ("loongarch64") and 32-bit ("loongarch32") kernels. loongarch.cc opens with the essay.
const Arch& loongarch64();
const Arch& loongarch32();

}  // namespace trapline
