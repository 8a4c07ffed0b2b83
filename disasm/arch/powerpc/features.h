// SPDX-License-Identifier: Apache-2.0
//
// The feature words that PowerPC's feature sections ask for: names of their bits, the processors that the kernel knows,
// and what boot adds to what a processor has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "disasm/arch/patch_tables.h"

namespace trapline::ppc {

// Which word a bit is in: cpu_spec.cpu_features, cpu_spec.mmu_features, powerpc_firmware_features.
enum class Word : std::uint8_t { cpu, mmu, firmware };
inline constexpr unsigned word_count = 3;

// The features of an image that are bits: all that have a name, and those that a table of the image asks for.
class FeatureBits {
 public:
  // Names are given to the bits of 64-bit kernels. `tables` outlives this object; its features get longer.
  FeatureBits(const Image& image, PatchTables& tables);
  std::uint32_t feature(Word word, unsigned bit);
  // The value of each bit that has a feature, in a word that holds `value`.
  std::vector<FeatureValue> values(Word word, std::uint64_t value) const;
  // The same for those bits alone that only the processor has a say in: others boot may set or clear.
  std::vector<FeatureValue> fixed_values(std::uint64_t cpu_features) const;

 private:
  std::uint32_t add(Word word, unsigned bit, std::string_view name);
  std::optional<std::uint32_t>& known(Word word, unsigned bit) {
    return known_[64 * static_cast<std::size_t>(word) + bit];
  }

  PatchTables& tables_;
  std::vector<std::optional<std::uint32_t>> known_;  // by word and bit
};

// One row of the kernel's table of processors (struct cpu_spec, arch/powerpc/include/asm/cputable.h).
struct CpuSpec {
  std::uint32_t pvr_mask = 0, pvr_value = 0;
  std::string name;
  std::uint64_t cpu_features = 0;
  std::uint32_t mmu_features = 0;
};
// cpu_specs of the image, in table order; empty where it has none. A table that makes no sense: empty, with the reason
// in `problem`.
std::vector<CpuSpec> read_cpu_specs(const Image& image, std::string& problem);

// The machines that have names: processors that cpu_specs has, on bare metal and as a guest, with what boot adds.
std::vector<Profile> make_profiles(const std::vector<CpuSpec>& specs, const FeatureBits& bits,
                                   const PatchTables& tables);
std::vector<Processor> make_processors(const std::vector<CpuSpec>& specs, const FeatureBits& bits);

}  // namespace trapline::ppc
