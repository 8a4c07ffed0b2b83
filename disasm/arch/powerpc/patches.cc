// SPDX-License-Identifier: Apache-2.0
//
// How a PowerPC kernel rewrites itself, in the order in which boot does it (arch/powerpc/lib/feature-fixups.c):
//
//   __ftr_fixup, __mmu_ftr_fixup, __fw_ftr_fixup
//       Feature sections. A record says: this code is for machines whose feature word, under a mask, has this value; on
//       all others that code replaces it, or nops. In the file both are there, so what it holds is what no machine
//       runs. Sections nest: the inner one is patched first, wherever it lies.
//   __lwsync_fixup
//       sync, which becomes lwsync where the processor has it.
//   __rfi_flush_fixup, __entry_flush_fixup, __scv_entry_flush_fixup, __uaccess_flush_fixup, __stf_entry_barrier_fixup,
//   __stf_exit_barrier_fixup, __barrier_nospec_fixup, __btb_flush_fixup
//       Slots of nops (the last one: code) for flushes and barriers against speculation. How the first-level cache is
//       flushed is one choice for all flushes (enabled_flush_types); whether a flush is done, one for each.
//   patch__call_flush_branch_caches1, ...
//       Single instructions, whose address a symbol holds (asm/code-patching-asm.h). Those of the branch predictors'
//       flush are read here; others are immediates of the hash table of 32-bit kernels and nothing of ours.
//   __jump_table
//       Static keys.
//
// A 32-bit vDSO of a 64-bit kernel has the 64-bit kernel's records.
#include "disasm/arch/powerpc/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "disasm/arch/patch_reader.h"
#include "disasm/arch/powerpc/features.h"

namespace trapline::ppc {
namespace {

// Power ISA 3.1B Book I and II; the forms and the registers are those of feature-fixups.c.
constexpr std::uint32_t nop = 0x60000000;     // ori 0,0,0
constexpr std::uint32_t lwsync = 0x7c2004ac;  // sync 1
constexpr std::uint32_t sync = 0x7c0004ac;    // sync 0
constexpr std::uint32_t isync = 0x4c00012c;
constexpr std::uint32_t blr = 0x4e800020;
constexpr std::uint32_t speculation_barrier = 0x63ff0000;  // ori 31,31,0
constexpr std::uint32_t flush_l1d = 0x63de0000;            // ori 30,30,0
constexpr std::uint32_t eieio_hint = 0x7e0006ac;           // eieio with the reserved bit that POWER9 reads
constexpr std::uint32_t bcctr_flush = 0x4c400420;          // bcctr 2,0,0
constexpr std::uint32_t li_r9_7fff = 0x39207fff;
constexpr std::uint32_t ld_r10_paca = 0xe94d0000;  // ld r10,0(r13)
constexpr std::uint32_t ld_r13_paca = 0xe9ad0000;  // ld r13,0(r13)

constexpr std::uint32_t spr_lr = 8, spr_ctr = 9, spr_sprg1 = 273, spr_sprg2 = 274, spr_hsprg0 = 304, spr_hsprg1 = 305,
                        spr_trig2 = 882;
constexpr std::uint32_t with_spr(std::uint32_t opcode, std::uint32_t spr, std::uint32_t reg) {
  return 31U << 26 | reg << 21 | (spr & 31) << 16 | (spr >> 5) << 11 | opcode << 1;
}
constexpr std::uint32_t mtspr(std::uint32_t spr, std::uint32_t reg) { return with_spr(467, spr, reg); }
constexpr std::uint32_t mfspr(std::uint32_t reg, std::uint32_t spr) { return with_spr(339, spr, reg); }
static_assert(mfspr(10, spr_lr) == 0x7d4802a6 && mtspr(spr_ctr, 9) == 0x7d2903a6);  // mflr r10; mtctr r9

// b or bl from one place to another; nothing where 26 bits do not reach.
std::optional<std::uint32_t> branch(std::uint64_t from, std::uint64_t to, bool link = false) {
  const auto distance = static_cast<std::int64_t>(to - from);
  if (distance < -0x2000000 || distance >= 0x2000000 || distance % 4 != 0) return std::nullopt;
  return 18U << 26 | (static_cast<std::uint32_t>(distance) & 0x03fffffcU) | (link ? 1 : 0);
}
std::optional<std::uint32_t> jump(std::uint64_t from, std::uint64_t to) { return branch(from, to); }

// patch_alt_instruction(): relative branches whose target is not in the alternative are made anew.
std::optional<std::uint32_t> move(std::uint32_t word, std::uint64_t from, std::uint64_t to, std::uint64_t first,
                                  std::uint64_t last) {
  const std::uint32_t opcode = word >> 26;
  if ((opcode != 18 && opcode != 16) || (word & 2) != 0) return word;
  const unsigned bits = opcode == 18 ? 26 : 16;
  const std::uint32_t field = (std::uint32_t{1} << bits) - 4;
  const std::int64_t old =
      static_cast<std::int64_t>(static_cast<std::uint64_t>(word & field) << (64 - bits)) >> (64 - bits);
  const std::uint64_t target = from + static_cast<std::uint64_t>(old);
  if (target >= first && target <= last) return word;
  const auto distance = static_cast<std::int64_t>(target - to);
  const std::int64_t reach = std::int64_t{1} << (bits - 1);
  if (distance < -reach || distance >= reach) return std::nullopt;
  return (word & ~field) | (static_cast<std::uint32_t>(distance) & field);
}

std::vector<std::uint8_t> bytes_of(const Image& image, std::initializer_list<std::uint32_t> words) {
  std::vector<std::uint8_t> out;
  for (std::uint32_t word : words)
    for (unsigned i = 0; i < 4; ++i)
      out.push_back(static_cast<std::uint8_t>(word >> 8 * (image.elf().little_endian ? i : 3 - i)));
  return out;
}

constexpr std::array<std::string_view, 3> feature_tables = {"__ftr_fixup", "__mmu_ftr_fixup", "__fw_ftr_fixup"};

// Width of the words of a record: six of them. 32-bit code may belong to a 64-bit kernel; then the high half of the
// distances is all ones.
unsigned word_width(const Image& image, const Section& table) {
  if (image.elf().is64) return 8;
  if (table.bytes.size() % 48 != 0) return 4;
  for (std::uint64_t at = 0; at < table.bytes.size(); at += 48) {
    const auto start = image.read(table.address + at + 16, 8);
    if (!start || *start >> 32 != 0xffffffffU) return 4;
  }
  return 8;
}

class Reader {
 public:
  explicit Reader(const Image& image)
      : reader_(image, tables_), bits_(image, tables_), image_(image), word_(image.elf().is64 ? 8 : 4) {
    tables_.nop = bytes_of(image, {nop});
    tables_.move = move;
  }

  PatchTables read() {
    read_sections(feature_tables[0], Word::cpu);
    read_sections(feature_tables[1], Word::mmu);
    read_lwsync();
    read_sections(feature_tables[2], Word::firmware);
    read_flushes();
    read_barriers();
    read_branch_caches();
    read_jump_labels(reader_, {4, {bytes_of(image_, {nop})}, jump, [&](std::uint64_t key) { return bit_of_key(key); }});
    std::string problem;
    const std::vector<CpuSpec> specs = read_cpu_specs(image_, problem);
    if (!problem.empty()) tables_.problems.push_back(problem);
    tables_.processors = make_processors(specs, bits_);
    tables_.profiles = make_profiles(specs, bits_, tables_);
    return std::move(tables_);
  }

 private:
  using Content = PatchSide::Content;

  void read_sections(std::string_view name, Word word) {
    const Section* table = reader_.table(name);
    if (table == nullptr) return;
    const unsigned width = word_width(image_, *table);
    const std::uint64_t record = 6 * width;
    const std::uint64_t count = reader_.records(*table, record);
    for (std::uint64_t i = 0; i < count; ++i) read_section(*table, word, table->address + i * record, width);
  }

  void read_section(const Section& table, Word word, std::uint64_t at, unsigned width) {
    const auto mask = image_.read(at, width), value = image_.read(at + width, width);
    const auto start = reader_.relative(at + 2 * width, width, at), end = reader_.relative(at + 3 * width, width, at);
    const auto from = reader_.relative(at + 4 * width, width, at), to = reader_.relative(at + 5 * width, width, at);
    if (!mask || !value || !start || !end || !from || !to)
      return reader_.problem(table.name, at, "it is not in the file");
    if (*end < *start || !reader_.is_code(*start, *end - *start, 4))
      return reader_.problem(table.name, at, "what it patches is no code of this image");
    if (*to < *from || !reader_.is_mapped(*from, *to - *from, 4))
      return reader_.problem(table.name, at, "its alternative is no code of this image");
    PatchSite site{table.name, at, *start, *end - *start, {}, false, false};
    site.too_long = *to - *from > site.size;
    PatchSide otherwise{{}, Content::copy, {}, *from, *to - *from};
    if ((*value & ~*mask) == 0) {
      PatchSide kept{{}, Content::as_linked, {}, 0, 0};
      for (unsigned bit = 0; bit < 64; ++bit)
        if ((*mask >> bit & 1) != 0)
          kept.when.push_back({bits_.feature(word, bit), static_cast<std::uint8_t>(*value >> bit & 1)});
      site.sides.push_back(std::move(kept));
    }
    site.sides.push_back(std::move(otherwise));  // a value outside of its mask: replaced on every machine
    tables_.sites.push_back(std::move(site));
  }

  // cpu_has_feature() and mmu_has_feature() are static keys, one for each bit (asm/cpu_has_feature.h), 16 bytes each on
  // 64-bit machines: a counter and a pointer. Boot switches off those of absent features.
  std::optional<std::uint32_t> bit_of_key(std::uint64_t key) {
    for (const auto& [name, word] :
         {std::pair{"cpu_feature_keys", Word::cpu}, std::pair{"mmu_feature_keys", Word::mmu}}) {
      const Symbol* keys = image_.find_symbol(name);
      const std::uint64_t size = image_.elf().is64 ? 16 : 8;
      if (keys == nullptr || key < keys->address || key >= keys->address + keys->size) continue;
      const std::uint64_t bit = (key - keys->address) / size;
      if (bit < 64 && (key - keys->address) % size == 0) return bits_.feature(word, static_cast<unsigned>(bit));
    }
    return std::nullopt;
  }

  // The addresses in a table of distances, each from the word itself, that hold `size` bytes of code.
  struct Slot {
    std::uint64_t record = 0, address = 0;
  };
  std::vector<Slot> slots(const Section& table, std::uint64_t size, unsigned stride = 1) {
    std::vector<Slot> out;
    const std::uint64_t count = reader_.records(table, word_ * stride);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = table.address + i * word_ * stride;
      const auto address = reader_.relative(at, word_, at);
      if (!address || !reader_.is_code(*address, size, 4))
        reader_.problem(table.name, at, "what it patches is no code of this image");
      else
        out.push_back({at, *address});
    }
    return out;
  }

  bool holds_nops(const Slot& slot, unsigned count) const {
    for (unsigned i = 0; i < count; ++i)
      if (image_.read(slot.address + 4 * i, 4) != nop) return false;
    return true;
  }

  void read_lwsync() {
    const Section* table = reader_.table("__lwsync_fixup");
    if (table == nullptr) return;
    const std::uint32_t feature = bits_.feature(Word::cpu, 7);
    for (const Slot& slot : slots(*table, 4)) {
      PatchSite site{table->name, slot.record, slot.address, 4, {}, false, false};
      site.sides.push_back({{{feature, 1}}, Content::bytes, bytes_of(image_, {lwsync})});
      site.sides.push_back({{}, Content::as_linked, {}});
      tables_.sites.push_back(std::move(site));
    }
  }

  std::uint32_t mitigation(std::string name, std::vector<std::string> values, std::string what,
                           std::optional<std::uint8_t> linked = 0) {
    Feature f;
    f.name = std::move(name);
    f.values = std::move(values);
    f.linked = linked;
    f.on_request = true;
    f.what = std::move(what);
    return reader_.add_feature(std::move(f));
  }

  // One slot of each address of a table: nops as linked, and a side for each way to fill it.
  struct Filling {
    std::vector<FeatureValue> when;
    std::vector<std::uint32_t> words;  // nops to the slot's end follow
    std::string_view calls = {};       // a bl to that function goes in the place of words[1]
  };
  void read_slots(std::string_view name, unsigned words, unsigned nops, std::uint32_t feature,
                  const std::vector<Filling>& fillings) {
    const Section* table = reader_.table(name);
    if (table == nullptr) return;
    for (const Slot& slot : slots(*table, std::uint64_t{4} * words)) {
      if (!holds_nops(slot, nops)) {
        reader_.problem(table->name, slot.record, fmt::format("there are no {} nops to be patched", nops));
        continue;
      }
      PatchSite site{table->name, slot.record, slot.address, std::uint64_t{4} * words, {}, false, false};
      site.sides.push_back({{{feature, 0}}, Content::as_linked, {}});
      bool complete = true;
      for (const Filling& filling : fillings) {
        std::vector<std::uint32_t> code = filling.words;
        if (!filling.calls.empty()) {
          const std::optional<std::uint32_t> call = call_of(slot.address + 4, filling.calls);
          complete = complete && call;
          code[1] = call.value_or(nop);
        }
        code.resize(words, nop);
        PatchSide side{filling.when, Content::bytes, {}};
        for (std::uint32_t word : code) {
          const std::vector<std::uint8_t> b = bytes_of(image_, {word});
          side.bytes.insert(side.bytes.end(), b.begin(), b.end());
        }
        site.sides.push_back(std::move(side));
      }
      if (!complete) {
        reader_.problem(table->name, slot.record, "the function that its fallback calls is not in this image");
        continue;
      }
      site.sides.back().when.clear();
      tables_.sites.push_back(std::move(site));
    }
  }

  std::optional<std::uint32_t> call_of(std::uint64_t at, std::string_view function) const {
    const Symbol* symbol = image_.find_symbol(function);
    if (symbol == nullptr || symbol->undefined) return std::nullopt;
    return branch(at, symbol->address, true);
  }

  // do_rfi_flush_fixups, do_entry_flush_fixups, do_uaccess_flush_fixups. The fallback of the first is a jump over the
  // exception return to the branch behind it; that of the others is called, or, for access to user memory, fallen into.
  void read_flushes() {
    constexpr std::array<std::string_view, 4> names = {"__rfi_flush_fixup", "__entry_flush_fixup",
                                                       "__scv_entry_flush_fixup", "__uaccess_flush_fixup"};
    if (std::none_of(names.begin(), names.end(), [&](std::string_view n) { return reader_.table(n) != nullptr; }))
      return;
    const std::uint32_t type = mitigation("l1d-flush", {"fallback", "ori", "mttrig", "ori+mttrig"},
                                          "how the first-level data cache is flushed, wherever it is", std::nullopt);
    const std::uint32_t trig = mtspr(spr_trig2, 0);
    const std::vector<std::uint32_t> ori = {speculation_barrier, flush_l1d};
    const auto fillings = [&](std::uint32_t feature, Filling fallback) {
      fallback.when = {{feature, 1}, {type, 0}};
      return std::vector<Filling>{std::move(fallback),
                                  {{{feature, 1}, {type, 1}}, ori},
                                  {{{feature, 1}, {type, 2}}, {trig}},
                                  {{{feature, 1}, {type, 3}}, {speculation_barrier, flush_l1d, trig}}};
    };
    const std::uint32_t call_words[] = {mfspr(10, spr_lr), nop, mtspr(spr_lr, 10)};
    const std::vector<std::uint32_t> call(std::begin(call_words), std::end(call_words));
    if (reader_.table(names[0]) != nullptr) {
      const std::uint32_t rfi = mitigation("rfi-flush", {"off", "on"}, "flush at returns to user mode and guests");
      read_slots(names[0], 3, 3, rfi, fillings(rfi, {{}, {*branch(0, 16)}}));
    }
    if (reader_.table(names[1]) != nullptr || reader_.table(names[2]) != nullptr) {
      const std::uint32_t entry = mitigation("entry-flush", {"off", "on"}, "flush at entries from user mode");
      read_slots(names[1], 3, 3, entry, fillings(entry, {{}, call, "entry_flush_fallback"}));
      read_slots(names[2], 3, 3, entry, fillings(entry, {{}, call, "scv_entry_flush_fallback"}));
    }
    if (reader_.table(names[3]) != nullptr) {
      const std::uint32_t access = mitigation("uaccess-flush", {"off", "on"}, "flush after access to user memory");
      std::vector<Filling> ways = fillings(access, {{}, {nop, nop, nop, nop}});
      for (std::size_t i = 1; i < ways.size(); ++i) {
        ways[i].words.resize(3, nop);
        ways[i].words.push_back(blr);
      }
      read_slots(names[3], 4, 3, access, ways);
    }
  }

  // do_stf_barrier_fixups, do_barrier_nospec_fixups, do_btb_flush_fixups.
  void read_barriers() {
    constexpr std::string_view entry = "__stf_entry_barrier_fixup", exit = "__stf_exit_barrier_fixup";
    if (reader_.table(entry) != nullptr || reader_.table(exit) != nullptr) {
      const std::uint32_t stf = mitigation("stf-barrier", {"off", "fallback", "hwsync", "eieio"},
                                           "barrier against loads that pass older stores, at entries and returns");
      read_slots(entry, 3, 3, stf,
                 {{{{stf, 1}}, {mfspr(10, spr_lr), nop, mtspr(spr_lr, 10)}, "stf_barrier_fallback"},
                  {{{stf, 2}}, {sync, ld_r10_paca, speculation_barrier}},
                  {{{stf, 3}}, {eieio_hint}}});
      const std::uint32_t hv = bits_.feature(Word::cpu, 13);
      const std::vector<std::uint32_t> with_hv = {mtspr(spr_hsprg1, 13), mfspr(13, spr_hsprg0), sync,
                                                  ld_r13_paca,           speculation_barrier,   mfspr(13, spr_hsprg1)};
      const std::vector<std::uint32_t> without = {mtspr(spr_sprg2, 13), mfspr(13, spr_sprg1), sync,
                                                  ld_r13_paca,          speculation_barrier,  mfspr(13, spr_sprg2)};
      read_slots(exit, 6, 6, stf,
                 {{{{stf, 1}, {hv, 1}}, with_hv},
                  {{{stf, 1}, {hv, 0}}, without},
                  {{{stf, 2}, {hv, 1}}, with_hv},
                  {{{stf, 2}, {hv, 0}}, without},
                  {{{stf, 3}}, {eieio_hint}}});
    }
    read_nospec();
    read_btb_flush();
  }

  void read_nospec() {
    // The section of an object file, and the one that the linker script makes of it.
    for (std::string_view name : {"__barrier_nospec_fixup", "__spec_barrier_fixup"}) {
      const Section* table = reader_.table(name);
      if (table == nullptr) continue;
      const std::uint32_t feature =
          mitigation("barrier-nospec", {"off", "on"}, "barrier against speculation past a bounds check");
      const bool book3s = image_.elf().is64 && reader_.table("__btb_flush_fixup") == nullptr;
      if (book3s)
        read_slots(name, 1, 1, feature, {{{{feature, 1}}, {speculation_barrier}}});
      else
        read_slots(name, 2, 2, feature, {{{{feature, 1}}, {isync, sync}}});
    }
  }

  void read_btb_flush() {
    const Section* table = reader_.table("__btb_flush_fixup");
    if (table == nullptr) table = reader_.table("__spec_btb_flush_fixup");
    if (table == nullptr) return;
    const std::uint32_t feature =
        mitigation("btb-flush", {"off", "on"}, "flush of the branch target buffer at entries", std::uint8_t{1});
    const std::uint64_t count = reader_.records(*table, 2 * word_);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t at = table->address + i * 2 * word_;
      // Both distances are from the record's first word.
      const auto start = reader_.relative(at, word_, at), end = reader_.relative(at + word_, word_, at);
      if (!start || !end || *end < *start || !reader_.is_code(*start, *end - *start, 4)) {
        reader_.problem(table->name, at, "what it patches is no code of this image");
        continue;
      }
      PatchSite site{table->name, at, *start, *end - *start, {}, false, false};
      site.sides.push_back({{{feature, 1}}, Content::as_linked, {}});
      site.sides.push_back({{}, Content::copy, {}, *start, 0});
      tables_.sites.push_back(std::move(site));
    }
  }

  // update_branch_cache_flush, arch/powerpc/kernel/security.c.
  void read_branch_caches() {
    if (image_.find_symbol("patch__call_flush_branch_caches1") == nullptr) return;
    const std::vector<std::string> kinds = {"off", "hardware", "software"};
    const std::uint32_t count = mitigation("count-cache-flush", kinds, "flush of the predictor of indirect branches");
    const std::uint32_t link = mitigation("link-stack-flush", kinds, "flush of the predictor of returns");
    const std::vector<FeatureValue> none = {{count, 0}, {link, 0}}, hardware = {{count, 1}, {link, 1}};
    const PatchSide as_nop{none, Content::as_linked, {}};
    const auto words = [&](std::vector<FeatureValue> when, std::initializer_list<std::uint32_t> code) {
      return PatchSide{std::move(when), Content::bytes, bytes_of(image_, code)};
    };
    const PatchSide kept{{}, Content::as_linked, {}};
    add_site("patch__call_flush_branch_caches1", true, [&](std::uint64_t at) -> std::vector<PatchSide> {
      const std::optional<std::uint32_t> call = call_of(at, "flush_branch_caches");
      if (!call) return {};
      return {as_nop, words(hardware, {li_r9_7fff}), words({}, {*call})};
    });
    add_site("patch__call_flush_branch_caches2", true,
             [&](std::uint64_t) -> std::vector<PatchSide> { return {words(hardware, {mtspr(spr_ctr, 9)}), kept}; });
    add_site("patch__call_flush_branch_caches3", true,
             [&](std::uint64_t) -> std::vector<PatchSide> { return {words(hardware, {bcctr_flush}), kept}; });
    add_site("patch__flush_link_stack_return", false,
             [&](std::uint64_t) -> std::vector<PatchSide> { return {as_nop, words({{count, 0}}, {blr}), kept}; });
    add_site("patch__flush_count_cache_return", false, [&](std::uint64_t) -> std::vector<PatchSide> {
      return {PatchSide{hardware, Content::as_linked, {}}, words({{count, 1}}, {blr}), kept};
    });
    for (std::string_view name : {"patch__call_kvm_flush_link_stack", "patch__call_kvm_flush_link_stack_p9"})
      add_site(name, true, [&](std::uint64_t at) -> std::vector<PatchSide> {
        const std::optional<std::uint32_t> call = call_of(at, "kvm_flush_link_stack");
        if (!call) return {};
        return {PatchSide{{{link, 0}}, Content::as_linked, {}}, words({}, {*call})};
      });
  }

  template <typename Sides>
  void add_site(std::string_view name, bool is_nop, const Sides& sides) {
    const Symbol* symbol = image_.find_symbol(name);
    if (symbol == nullptr || symbol->undefined) return;
    const auto at = reader_.relative(symbol->address, 4, symbol->address);
    if (!at || !reader_.is_code(*at, 4, 4) || (is_nop && image_.read(*at, 4) != nop))
      return reader_.problem(name, symbol->address, "it names no instruction to be patched");
    PatchSite site{symbol->name, symbol->address, *at, 4, sides(*at), false, false};
    if (site.sides.empty())
      return reader_.problem(name, symbol->address, "the function that it calls is not in this image");
    tables_.sites.push_back(std::move(site));
  }

  PatchTables tables_;
  PatchReader reader_;
  FeatureBits bits_;
  const Image& image_;
  unsigned word_;
};

}  // namespace

PatchTables read_patches(const Image& image) { return Reader(image).read(); }

std::string variant_note(const Image& image) {
  std::uint64_t sections = 0;
  std::string malformed;
  for (const Section& section : image.sections()) {
    for (std::string_view name : feature_tables) {
      if (section.name != name) continue;
      const std::uint64_t record = 6 * word_width(image, section);
      sections += section.size / record;
      if (section.size % record != 0)
        malformed += fmt::format("{}{} is malformed: {} bytes are no multiple of {}", malformed.empty() ? "" : "; ",
                                 name, section.size, record);
    }
  }
  std::string note;
  if (sections == 1)
    note = "as linked, 1 feature section not resolved";
  else if (sections != 0)
    note = fmt::format("as linked, {} feature sections not resolved", sections);
  if (!malformed.empty()) note += (note.empty() ? "" : "; ") + malformed;
  return note;
}

}  // namespace trapline::ppc
