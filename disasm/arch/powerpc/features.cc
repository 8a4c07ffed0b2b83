// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/powerpc/features.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace trapline::ppc {
namespace {

struct Bit {
  Word word;
  unsigned bit;
  std::string_view name;
  bool by_processor;  // no firmware, device tree or command line changes it: see `boot changes` below
};

// arch/powerpc/include/asm/cputable.h (64-bit), mmu.h, firmware.h, Linux 6.1; the same in 5.10 to 7.2 for the bits that
// are here. Boot changes: kernel/cpu_setup_power.c (HVMODE, P9_TM_HV_ASSIST), kernel/prom.c (ibm_pa_features,
// ibm_pi_features, vector units, SMT, TM), kernel/dt_cpu_ftrs.c (where the firmware describes the processor),
// mm/init_64.c (radix), mm/book3s64/pkeys.c and hash_utils.c.
constexpr std::array<Bit, 70> bits_64 = {{
    {Word::cpu, 0, "CPU_FTR_COHERENT_ICACHE", false},
    {Word::cpu, 1, "CPU_FTR_ALTIVEC", false},
    {Word::cpu, 2, "CPU_FTR_DBELL", false},
    {Word::cpu, 3, "CPU_FTR_CAN_NAP", false},
    {Word::cpu, 4, "CPU_FTR_DEBUG_LVL_EXC", false},
    {Word::cpu, 6, "CPU_FTR_FPU_UNAVAILABLE", false},
    {Word::cpu, 7, "CPU_FTR_LWSYNC", false},
    {Word::cpu, 8, "CPU_FTR_NOEXECUTE", false},
    {Word::cpu, 9, "CPU_FTR_EMB_HV", false},
    {Word::cpu, 12, "CPU_FTR_REAL_LE", false},
    {Word::cpu, 13, "CPU_FTR_HVMODE", false},
    {Word::cpu, 15, "CPU_FTR_ARCH_206", true},
    {Word::cpu, 16, "CPU_FTR_ARCH_207S", true},
    {Word::cpu, 17, "CPU_FTR_ARCH_300", true},
    {Word::cpu, 18, "CPU_FTR_MMCRA", false},
    {Word::cpu, 19, "CPU_FTR_CTRL", false},
    {Word::cpu, 20, "CPU_FTR_SMT", false},
    {Word::cpu, 21, "CPU_FTR_PAUSE_ZERO", false},
    {Word::cpu, 22, "CPU_FTR_PURR", false},
    {Word::cpu, 23, "CPU_FTR_CELL_TB_BUG", false},
    {Word::cpu, 24, "CPU_FTR_SPURR", false},
    {Word::cpu, 25, "CPU_FTR_DSCR", false},
    {Word::cpu, 26, "CPU_FTR_VSX", false},
    {Word::cpu, 27, "CPU_FTR_SAO", false},
    {Word::cpu, 28, "CPU_FTR_CP_USE_DCBTZ", false},
    {Word::cpu, 29, "CPU_FTR_UNALIGNED_LD_STD", false},
    {Word::cpu, 30, "CPU_FTR_ASYM_SMT", false},
    {Word::cpu, 31, "CPU_FTR_STCX_CHECKS_ADDRESS", true},
    {Word::cpu, 32, "CPU_FTR_POPCNTB", false},
    {Word::cpu, 33, "CPU_FTR_POPCNTD", false},
    {Word::cpu, 35, "CPU_FTR_VMX_COPY", false},
    {Word::cpu, 36, "CPU_FTR_TM", false},
    {Word::cpu, 37, "CPU_FTR_CFAR", true},
    {Word::cpu, 38, "CPU_FTR_HAS_PPR", true},
    {Word::cpu, 39, "CPU_FTR_DAWR", false},
    {Word::cpu, 40, "CPU_FTR_DABRX", false},
    {Word::cpu, 41, "CPU_FTR_PMAO_BUG", false},
    {Word::cpu, 43, "CPU_FTR_POWER9_DD2_1", false},
    {Word::cpu, 44, "CPU_FTR_P9_TM_HV_ASSIST", false},
    {Word::cpu, 45, "CPU_FTR_P9_TM_XER_SO_BUG", false},
    {Word::cpu, 46, "CPU_FTR_P9_TLBIE_STQ_BUG", false},
    {Word::cpu, 47, "CPU_FTR_P9_TIDR", false},
    {Word::cpu, 48, "CPU_FTR_P9_TLBIE_ERAT_BUG", false},
    {Word::cpu, 49, "CPU_FTR_P9_RADIX_PREFETCH_BUG", false},
    {Word::cpu, 50, "CPU_FTR_ARCH_31", true},
    {Word::cpu, 51, "CPU_FTR_DAWR1", false},
    {Word::mmu, 0, "MMU_FTR_HPTE_TABLE", false},
    {Word::mmu, 6, "MMU_FTR_TYPE_RADIX", false},
    {Word::mmu, 9, "MMU_FTR_BOOK3S_KUAP", false},
    {Word::mmu, 10, "MMU_FTR_BOOK3S_KUEP", false},
    {Word::mmu, 11, "MMU_FTR_PKEY", false},
    {Word::mmu, 12, "MMU_FTR_GTSE", false},
    {Word::mmu, 13, "MMU_FTR_68_BIT_VA", false},
    {Word::mmu, 14, "MMU_FTR_KERNEL_RO", false},
    {Word::mmu, 15, "MMU_FTR_TLBIE_CROP_VA", false},
    {Word::mmu, 25, "MMU_FTR_NO_SLBIE_B", false},
    {Word::mmu, 26, "MMU_FTR_16M_PAGE", false},
    {Word::mmu, 27, "MMU_FTR_TLBIEL", false},
    {Word::mmu, 28, "MMU_FTR_LOCKLESS_TLBIE", false},
    {Word::mmu, 29, "MMU_FTR_CI_LARGE_PAGE", false},
    {Word::mmu, 30, "MMU_FTR_1T_SEGMENT", false},
    {Word::mmu, 31, "MMU_FTR_NX_DSI", false},
    {Word::firmware, 20, "FW_FEATURE_SPLPAR", false},
    {Word::firmware, 22, "FW_FEATURE_LPAR", false},
    {Word::firmware, 23, "FW_FEATURE_PS3_LV1", false},
    {Word::firmware, 28, "FW_FEATURE_OPAL", false},
    {Word::firmware, 32, "FW_FEATURE_FORM1_AFFINITY", false},
    {Word::firmware, 38, "FW_FEATURE_ULTRAVISOR", false},
    {Word::firmware, 8, "FW_FEATURE_PERF", false},
    {Word::firmware, 10, "FW_FEATURE_INTERRUPT", false},
}};

constexpr std::array<std::string_view, word_count> word_names = {"cpu", "mmu", "fw"};
constexpr std::array<std::string_view, word_count> word_owners = {"processor's", "MMU's", "firmware's"};

std::uint64_t mask_of(std::string_view name) {
  for (const Bit& b : bits_64)
    if (b.name == name) return std::uint64_t{1} << b.bit;
  return 0;
}

}  // namespace

FeatureBits::FeatureBits(const Image& image, PatchTables& tables) : tables_(tables), known_(64 * word_count) {
  if (!image.elf().is64 && image.kind() != ImageKind::vdso) return;
  for (const Bit& b : bits_64) known(b.word, b.bit) = add(b.word, b.bit, b.name);
}

std::uint32_t FeatureBits::add(Word word, unsigned bit, std::string_view name) {
  const auto index = static_cast<std::size_t>(word);
  Feature f;
  f.number = fmt::format("{}:{}", word_names[index], bit);
  f.name = name.empty() ? f.number : std::string(name);
  f.what = fmt::format("bit {} of the {} features", bit, word_owners[index]);
  tables_.features.push_back(std::move(f));
  return static_cast<std::uint32_t>(tables_.features.size() - 1);
}

std::uint32_t FeatureBits::feature(Word word, unsigned bit) {
  std::optional<std::uint32_t>& index = known(word, bit);
  if (!index) index = add(word, bit, {});
  return *index;
}

std::vector<FeatureValue> FeatureBits::values(Word word, std::uint64_t value) const {
  std::vector<FeatureValue> out;
  for (unsigned bit = 0; bit < 64; ++bit)
    if (const auto& index = known_[64 * static_cast<std::size_t>(word) + bit])
      out.push_back({*index, static_cast<std::uint8_t>(value >> bit & 1)});
  return out;
}

std::vector<FeatureValue> FeatureBits::fixed_values(std::uint64_t cpu_features) const {
  std::vector<FeatureValue> out;
  for (const Bit& b : bits_64) {
    const auto& index = known_[64 * static_cast<std::size_t>(b.word) + b.bit];
    if (b.by_processor && index) out.push_back({*index, static_cast<std::uint8_t>(cpu_features >> b.bit & 1)});
  }
  return out;
}

std::vector<CpuSpec> read_cpu_specs(const Image& image, std::string& problem) {
  const Symbol* symbol = image.find_symbol("cpu_specs");
  if (symbol == nullptr || !image.elf().is64) return {};
  // The rows begin alike in all versions: pvr_mask, pvr_value, cpu_name, cpu_features, two words for programs,
  // mmu_features. What follows differs, so the length of a row is the one at which all names are texts.
  const auto text = [&](std::uint64_t at) {
    std::string name;
    for (std::uint8_t c : image.bytes_at(at)) {
      if (c == 0) return name;
      if (c < ' ' || c > '~' || name.size() == 64) break;
      name.push_back(static_cast<char>(c));
    }
    return std::string();
  };
  for (std::uint64_t row = 64; row <= 256; row += 8) {
    std::vector<CpuSpec> specs;
    for (std::uint64_t at = symbol->address;; at += row) {
      const auto mask = image.read(at, 4), value = image.read(at + 4, 4), name = image.read(at + 8, 8);
      const auto cpu = image.read(at + 16, 8), mmu = image.read(at + 32, 4);
      if (!mask || !value || !name || !cpu || !mmu) break;
      CpuSpec spec{static_cast<std::uint32_t>(*mask), static_cast<std::uint32_t>(*value), text(*name), *cpu,
                   static_cast<std::uint32_t>(*mmu)};
      // A PVR that the mask does not let through matches no processor: not a row.
      if (spec.name.empty() || (spec.pvr_value & ~spec.pvr_mask) != 0 || specs.size() == 256) break;
      specs.push_back(std::move(spec));
      if (specs.back().pvr_mask == 0) return specs;  // the last row takes any processor
    }
  }
  problem = fmt::format("cpu_specs at {:#x} is no table of processors", image.shown(symbol->address));
  return {};
}

std::vector<Processor> make_processors(const std::vector<CpuSpec>& specs, const FeatureBits& bits) {
  std::vector<Processor> out;
  for (const CpuSpec& spec : specs) {
    if (spec.pvr_mask == 0) continue;  // for whatever processor: says nothing of any
    Processor p{spec.name, bits.fixed_values(spec.cpu_features)};
    const bool known = std::any_of(out.begin(), out.end(), [&](const Processor& other) {
      return other.name == p.name && other.features == p.features;
    });
    if (!known) out.push_back(std::move(p));
  }
  return out;
}

namespace {

// What boot makes of a row of cpu_specs.
struct Generation {
  std::string_view name;
  bool radix;                // its page tables, unless told otherwise
  std::string_view barrier;  // against loads that pass stores, arch/powerpc/kernel/security.c
};
constexpr std::array<Generation, 4> generations = {{{"POWER7", false, "fallback"},
                                                    {"POWER8", false, "hwsync"},
                                                    {"POWER9", true, "eieio"},
                                                    {"POWER10", true, "eieio"}}};

void set(Profile& profile, const PatchTables& tables, std::string_view name, std::string_view value) {
  const std::optional<std::uint32_t> feature = tables.find(name);
  if (!feature) return;
  const std::vector<std::string>& values = tables.features[*feature].values;
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) profile.features.push_back({*feature, static_cast<std::uint8_t>(found - values.begin())});
}

// Slots for flushes and barriers. On bare metal: what boot chooses where the firmware names no instruction that flushes
// (SEC_FTR_DEFAULT, security_features.h). A guest: what KVM tells its guests (H_GET_CPU_CHARACTERISTICS), as Linux 6.1
// logs it under QEMU 7.2.
void set_mitigations(Profile& profile, const PatchTables& tables, const Generation& generation, bool guest) {
  for (std::string_view name : {"rfi-flush", "entry-flush", "uaccess-flush", "barrier-nospec"})
    set(profile, tables, name, "on");
  set(profile, tables, "l1d-flush", guest ? "ori+mttrig" : "fallback");
  set(profile, tables, "stf-barrier", generation.barrier);
  set(profile, tables, "count-cache-flush", guest ? "hardware" : "off");
  set(profile, tables, "link-stack-flush", guest ? "software" : "off");
}

}  // namespace

std::vector<Profile> make_profiles(const std::vector<CpuSpec>& specs, const FeatureBits& bits,
                                   const PatchTables& tables) {
  std::vector<Profile> out;
  for (const Generation& generation : generations) {
    // The last row of a name is that of its newest steppings. Rows "(architected)" are for guests that are to see an
    // older processor than the machine has.
    const CpuSpec* spec = nullptr;
    for (const CpuSpec& row : specs)
      if (row.name == fmt::format("{} (raw)", generation.name)) spec = &row;
    if (spec == nullptr) continue;
    for (bool guest : {false, true}) {
      // Vector units, from the device tree (prom.c, dt_cpu_ftrs.c).
      std::uint64_t cpu = spec->cpu_features | mask_of("CPU_FTR_ALTIVEC") | mask_of("CPU_FTR_VSX");
      if (guest) cpu &= ~(mask_of("CPU_FTR_HVMODE") | mask_of("CPU_FTR_P9_TM_HV_ASSIST"));  // cpu_setup_power.c
      std::uint64_t mmu = spec->mmu_features | mask_of("MMU_FTR_CI_LARGE_PAGE");
      if (generation.radix)  // init_64.c, pkeys.c
        mmu |= mask_of("MMU_FTR_TYPE_RADIX") | mask_of("MMU_FTR_GTSE") | mask_of("MMU_FTR_BOOK3S_KUAP") |
               mask_of("MMU_FTR_BOOK3S_KUEP");
      else  // hash_utils.c; protection keys on bare metal, and with them KUAP and KUEP (pkeys.c)
        mmu |= mask_of("MMU_FTR_1T_SEGMENT") |
               (guest || generation.name == "POWER7"
                    ? 0
                    : mask_of("MMU_FTR_PKEY") | mask_of("MMU_FTR_BOOK3S_KUAP") | mask_of("MMU_FTR_BOOK3S_KUEP"));
      const std::uint64_t firmware = guest ? mask_of("FW_FEATURE_LPAR") | mask_of("FW_FEATURE_SPLPAR")
                                           : mask_of("FW_FEATURE_OPAL") | mask_of("FW_FEATURE_FORM1_AFFINITY");
      Profile p;
      p.name = fmt::format("{}{}", generation.name, guest ? "-guest" : "");
      p.source = fmt::format("cpu_specs \"{}\", PVR {:#010x}", spec->name, spec->pvr_value);
      for (const auto& [word, value] :
           {std::pair{Word::cpu, cpu}, std::pair{Word::mmu, mmu}, std::pair{Word::firmware, firmware}})
        for (const FeatureValue& v : bits.values(word, value)) p.features.push_back(v);
      set_mitigations(p, tables, generation, guest);
      out.push_back(std::move(p));
    }
  }
  return out;
}

}  // namespace trapline::ppc
