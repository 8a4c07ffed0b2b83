// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trapline {

class Arch;

// 64-bit little-endian (ELFv2), 64-bit big-endian (ELFv1 or ELFv2) and 32-bit kernels. powerpc.cc opens with the essay.
const Arch& powerpc64le();
const Arch& powerpc64();
const Arch& powerpc();

}  // namespace trapline
