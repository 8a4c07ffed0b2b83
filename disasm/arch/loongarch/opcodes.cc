// SPDX-License-Identifier: Apache-2.0
//
// The opcode table, in the order of appendix B of the LoongArch Reference Manual, volume 1; vector memory rows as the
// LLVM 22 assembler encodes them. A dot stands for a bit that belongs to an operand.
#include <algorithm>
#include <array>

#include "disasm/arch/loongarch/lift.h"

namespace trapline::loongarch {
namespace {

constexpr auto table = std::to_array<Opcode>({
    // clang-format off
    // 2R
    {"0000000000000000000100", &Lifter::compute},  // clo.w
    {"0000000000000000000101", &Lifter::compute},  // clz.w
    {"0000000000000000000110", &Lifter::compute},  // cto.w
    {"0000000000000000000111", &Lifter::compute},  // ctz.w
    {"0000000000000000001000", &Lifter::compute},  // clo.d
    {"0000000000000000001001", &Lifter::compute},  // clz.d
    {"0000000000000000001010", &Lifter::compute},  // cto.d
    {"0000000000000000001011", &Lifter::compute},  // ctz.d
    {"0000000000000000001100", &Lifter::compute},  // revb.2h
    {"0000000000000000001101", &Lifter::compute},  // revb.4h
    {"0000000000000000001110", &Lifter::compute},  // revb.2w
    {"0000000000000000001111", &Lifter::compute},  // revb.d
    {"0000000000000000010000", &Lifter::compute},  // revh.2w
    {"0000000000000000010001", &Lifter::compute},  // revh.d
    {"0000000000000000010010", &Lifter::compute},  // bitrev.4b
    {"0000000000000000010011", &Lifter::compute},  // bitrev.8b
    {"0000000000000000010100", &Lifter::compute},  // bitrev.w
    {"0000000000000000010101", &Lifter::compute},  // bitrev.d
    {"0000000000000000010110", &Lifter::extend, 2},  // ext.w.h
    {"0000000000000000010111", &Lifter::extend, 1},  // ext.w.b
    {"0000000000000000011000", &Lifter::compute_both},  // rdtimel.w
    {"0000000000000000011001", &Lifter::compute_both},  // rdtimeh.w
    {"0000000000000000011010", &Lifter::compute_both},  // rdtime.d
    {"0000000000000000011011", &Lifter::compute},  // cpucfg
    // 3R, and 3R with a small immediate
    {"00000000000000010", &Lifter::no_effect},  // asrtle.d
    {"00000000000000011", &Lifter::no_effect},  // asrtgt.d
    {"000000000000010", &Lifter::shift_add, 4},  // alsl.w
    {"000000000000011", &Lifter::shift_add_unsigned, 4},  // alsl.wu
    {"000000000000100", &Lifter::compute},  // bytepick.w
    {"00000000000011", &Lifter::compute},  // bytepick.d
    {"00000000000100000", &Lifter::arithmetic, 4, Op::add},  // add.w
    {"00000000000100001", &Lifter::arithmetic, 8, Op::add},  // add.d
    {"00000000000100010", &Lifter::arithmetic, 4, Op::sub},  // sub.w
    {"00000000000100011", &Lifter::arithmetic, 8, Op::sub},  // sub.d
    {"00000000000100100", &Lifter::compute},  // slt
    {"00000000000100101", &Lifter::compute},  // sltu
    {"00000000000100110", &Lifter::keep_unless_zero},  // maskeqz
    {"00000000000100111", &Lifter::keep_if_zero},  // masknez
    {"00000000000101000", &Lifter::nor},  // nor
    {"00000000000101001", &Lifter::arithmetic, 8, Op::and_},  // and
    {"00000000000101010", &Lifter::arithmetic, 8, Op::or_},  // or
    {"00000000000101011", &Lifter::arithmetic, 8, Op::xor_},  // xor
    {"00000000000101100", &Lifter::arithmetic_not, 0, Op::or_},  // orn
    {"00000000000101101", &Lifter::arithmetic_not, 0, Op::and_},  // andn
    {"00000000000101110", &Lifter::shift, 4, Op::shl},  // sll.w
    {"00000000000101111", &Lifter::shift, 4, Op::shr},  // srl.w
    {"00000000000110000", &Lifter::shift, 4, Op::sar},  // sra.w
    {"00000000000110001", &Lifter::shift, 8, Op::shl},  // sll.d
    {"00000000000110010", &Lifter::shift, 8, Op::shr},  // srl.d
    {"00000000000110011", &Lifter::shift, 8, Op::sar},  // sra.d
    {"00000000000110110", &Lifter::shift, 4, Op::ror},  // rotr.w
    {"00000000000110111", &Lifter::shift, 8, Op::ror},  // rotr.d
    {"00000000000111000", &Lifter::arithmetic, 4, Op::mul},  // mul.w
    {"00000000000111001", &Lifter::compute},  // mulh.w
    {"00000000000111010", &Lifter::compute},  // mulh.wu
    {"00000000000111011", &Lifter::arithmetic, 8, Op::mul},  // mul.d
    {"00000000000111100", &Lifter::compute},  // mulh.d
    {"00000000000111101", &Lifter::compute},  // mulh.du
    {"00000000000111110", &Lifter::multiply_words},  // mulw.d.w
    {"00000000000111111", &Lifter::multiply_words_unsigned},  // mulw.d.wu
    {"00000000001000000", &Lifter::compute},  // div.w
    {"00000000001000001", &Lifter::compute},  // mod.w
    {"00000000001000010", &Lifter::compute},  // div.wu
    {"00000000001000011", &Lifter::compute},  // mod.wu
    {"00000000001000100", &Lifter::compute},  // div.d
    {"00000000001000101", &Lifter::compute},  // mod.d
    {"00000000001000110", &Lifter::compute},  // div.du
    {"00000000001000111", &Lifter::compute},  // mod.du
    {"00000000001001000", &Lifter::compute},  // crc.w.b.w
    {"00000000001001001", &Lifter::compute},  // crc.w.h.w
    {"00000000001001010", &Lifter::compute},  // crc.w.w.w
    {"00000000001001011", &Lifter::compute},  // crc.w.d.w
    {"00000000001001100", &Lifter::compute},  // crcc.w.b.w
    {"00000000001001101", &Lifter::compute},  // crcc.w.h.w
    {"00000000001001110", &Lifter::compute},  // crcc.w.w.w
    {"00000000001001111", &Lifter::compute},  // crcc.w.d.w
    {"00000000001010100", &Lifter::break_},  // break
    {"00000000001010101", &Lifter::system},  // dbcl
    {"00000000001010110", &Lifter::syscall},  // syscall
    {"00000000001010111", &Lifter::hypercall},  // hvcl
    {"000000000010110", &Lifter::shift_add, 8},  // alsl.d
    // shifts and bit fields by immediate
    {"00000000010000001", &Lifter::shift_immediate, 4, Op::shl},  // slli.w
    {"0000000001000001", &Lifter::shift_immediate, 8, Op::shl},  // slli.d
    {"00000000010001001", &Lifter::shift_immediate, 4, Op::shr},  // srli.w
    {"0000000001000101", &Lifter::shift_immediate, 8, Op::shr},  // srli.d
    {"00000000010010001", &Lifter::shift_immediate, 4, Op::sar},  // srai.w
    {"0000000001001001", &Lifter::shift_immediate, 8, Op::sar},  // srai.d
    {"00000000010011001", &Lifter::shift_immediate, 4, Op::ror},  // rotri.w
    {"0000000001001101", &Lifter::shift_immediate, 8, Op::ror},  // rotri.d
    {"00000000011.....0", &Lifter::insert_bits_word},  // bstrins.w
    {"00000000011.....1", &Lifter::pick_bits_word},  // bstrpick.w
    {"0000000010", &Lifter::insert_bits},  // bstrins.d
    {"0000000011", &Lifter::pick_bits},  // bstrpick.d
    // moves of floating-point conditions
    {"0000000100010100110100", &Lifter::compute_condition},  // movfr2cf
    {"0000000100010100110110", &Lifter::integer_to_condition},  // movgr2cf
    {"0000000100010100110111", &Lifter::condition_to_integer},  // movcf2gr
    // 2RI12
    {"0000001000", &Lifter::compute},  // slti
    {"0000001001", &Lifter::compute},  // sltui
    {"0000001010", &Lifter::add_immediate, 4},  // addi.w
    {"0000001011", &Lifter::add_immediate, 8},  // addi.d
    {"0000001100", &Lifter::bits_63_52},  // lu52i.d
    {"0000001101", &Lifter::logic_immediate, 0, Op::and_},  // andi
    {"0000001110", &Lifter::logic_immediate, 0, Op::or_},  // ori
    {"0000001111", &Lifter::logic_immediate, 0, Op::xor_},  // xori
    // privileged
    {"00000100", &Lifter::csr},  // csrrd, csrwr, csrxchg
    {"00000101", &Lifter::guest_csr},  // gcsrrd, gcsrwr, gcsrxchg
    {"0000011000", &Lifter::system},  // cacop
    {"00000110010000", &Lifter::page_directory_load},  // lddir
    {"00000110010001", &Lifter::page_entry_load},  // ldpte
    {"0000011001001000000000", &Lifter::system_read},  // iocsrrd.b
    {"0000011001001000000001", &Lifter::system_read},  // iocsrrd.h
    {"0000011001001000000010", &Lifter::system_read},  // iocsrrd.w
    {"0000011001001000000011", &Lifter::system_read},  // iocsrrd.d
    {"0000011001001000000100", &Lifter::system},  // iocsrwr.b
    {"0000011001001000000101", &Lifter::system},  // iocsrwr.h
    {"0000011001001000000110", &Lifter::system},  // iocsrwr.w
    {"0000011001001000000111", &Lifter::system},  // iocsrwr.d
    {"0000011001001000001000", &Lifter::system},  // tlbclr
    {"0000011001001000001001", &Lifter::system},  // tlbflush, gtlbflush
    {"0000011001001000001010", &Lifter::tlb_search},  // tlbsrch
    {"0000011001001000001011", &Lifter::tlb_read},  // tlbrd
    {"0000011001001000001100", &Lifter::system},  // tlbwr
    {"0000011001001000001101", &Lifter::system},  // tlbfill
    {"0000011001001000001110", &Lifter::exception_return},  // ertn
    {"00000110010010001", &Lifter::system},  // idle
    {"00000110010010011", &Lifter::system},  // invtlb
    // floating-point comparisons
    {"000011000001", &Lifter::compute_condition},  // fcmp.cond.s
    {"000011000010", &Lifter::compute_condition},  // fcmp.cond.d
    // upper immediates
    {"000100", &Lifter::add_upper},  // addu16i.d
    {"0001010", &Lifter::upper_immediate},  // lu12i.w
    {"0001011", &Lifter::bits_51_32},  // lu32i.d
    {"0001100", &Lifter::address_near},  // pcaddi
    {"0001101", &Lifter::address_page},  // pcalau12i
    {"0001110", &Lifter::address_upper, 12},  // pcaddu12i
    {"0001111", &Lifter::address_upper, 18},  // pcaddu18i
    // 2RI14
    {"00100000", &Lifter::load_linked, 4},  // ll.w
    {"00100001", &Lifter::store_conditional, 4},  // sc.w
    {"00100010", &Lifter::load_linked, 8},  // ll.d
    {"00100011", &Lifter::store_conditional, 8},  // sc.d
    {"00100100", &Lifter::load_shifted, 4},  // ldptr.w
    {"00100101", &Lifter::store_shifted, 4},  // stptr.w
    {"00100110", &Lifter::load_shifted, 8},  // ldptr.d
    {"00100111", &Lifter::store_shifted, 8},  // stptr.d
    // loads and stores, 2RI12
    {"0010100000", &Lifter::load, 1},  // ld.b
    {"0010100001", &Lifter::load, 2},  // ld.h
    {"0010100010", &Lifter::load, 4},  // ld.w
    {"0010100011", &Lifter::load, 8},  // ld.d
    {"0010100100", &Lifter::store, 1},  // st.b
    {"0010100101", &Lifter::store, 2},  // st.h
    {"0010100110", &Lifter::store, 4},  // st.w
    {"0010100111", &Lifter::store, 8},  // st.d
    {"0010101000", &Lifter::load_unsigned, 1},  // ld.bu
    {"0010101001", &Lifter::load_unsigned, 2},  // ld.hu
    {"0010101010", &Lifter::load_unsigned, 4},  // ld.wu
    {"0010101011", &Lifter::no_effect},  // preld
    {"0010101100", &Lifter::fp_load, 4},  // fld.s
    {"0010101101", &Lifter::fp_store, 4},  // fst.s
    {"0010101110", &Lifter::fp_load, 8},  // fld.d
    {"0010101111", &Lifter::fp_store, 8},  // fst.d
    {"0010110000", &Lifter::fp_load, 16},  // vld
    {"0010110001", &Lifter::fp_store, 16},  // vst
    {"0010110010", &Lifter::fp_load, 32},  // xvld
    {"0010110011", &Lifter::fp_store, 32},  // xvst
    {"0010111000", &Lifter::load_part, 4},  // ldl.w
    {"0010111001", &Lifter::load_part, 4},  // ldr.w
    {"0010111010", &Lifter::load_part, 8},  // ldl.d
    {"0010111011", &Lifter::load_part, 8},  // ldr.d
    {"0010111100", &Lifter::store_part, 4},  // stl.w
    {"0010111101", &Lifter::store_part, 4},  // str.w
    {"0010111110", &Lifter::store_part, 8},  // stl.d
    {"0010111111", &Lifter::store_part, 8},  // str.d
    // vector element loads and stores
    {"0011000000010", &Lifter::fp_load_replicated, 8},  // vldrepl.d
    {"001100000010", &Lifter::fp_load_replicated, 4},  // vldrepl.w
    {"00110000010", &Lifter::fp_load_replicated, 2},  // vldrepl.h
    {"0011000010", &Lifter::fp_load_replicated, 1},  // vldrepl.b
    {"0011001000010", &Lifter::fp_load_replicated, 8},  // xvldrepl.d
    {"001100100010", &Lifter::fp_load_replicated, 4},  // xvldrepl.w
    {"00110010010", &Lifter::fp_load_replicated, 2},  // xvldrepl.h
    {"0011001010", &Lifter::fp_load_replicated, 1},  // xvldrepl.b
    {"0011000100010", &Lifter::fp_store_element, 8},  // vstelm.d
    {"001100010010", &Lifter::fp_store_element, 4},  // vstelm.w
    {"00110001010", &Lifter::fp_store_element, 2},  // vstelm.h
    {"0011000110", &Lifter::fp_store_element, 1},  // vstelm.b
    {"001100110001", &Lifter::fp_store_element, 8},  // xvstelm.d
    {"00110011001", &Lifter::fp_store_element, 4},  // xvstelm.w
    {"0011001101", &Lifter::fp_store_element, 2},  // xvstelm.h
    {"001100111", &Lifter::fp_store_element, 1},  // xvstelm.b
    // loads and stores, 3R
    {"00111000000000000", &Lifter::load_indexed, 1},  // ldx.b
    {"00111000000001000", &Lifter::load_indexed, 2},  // ldx.h
    {"00111000000010000", &Lifter::load_indexed, 4},  // ldx.w
    {"00111000000011000", &Lifter::load_indexed, 8},  // ldx.d
    {"00111000000100000", &Lifter::store_indexed, 1},  // stx.b
    {"00111000000101000", &Lifter::store_indexed, 2},  // stx.h
    {"00111000000110000", &Lifter::store_indexed, 4},  // stx.w
    {"00111000000111000", &Lifter::store_indexed, 8},  // stx.d
    {"00111000001000000", &Lifter::load_indexed_unsigned, 1},  // ldx.bu
    {"00111000001001000", &Lifter::load_indexed_unsigned, 2},  // ldx.hu
    {"00111000001010000", &Lifter::load_indexed_unsigned, 4},  // ldx.wu
    {"00111000001011000", &Lifter::no_effect},  // preldx
    {"00111000001100000", &Lifter::fp_load_indexed, 4},  // fldx.s
    {"00111000001101000", &Lifter::fp_load_indexed, 8},  // fldx.d
    {"00111000001110000", &Lifter::fp_store_indexed, 4},  // fstx.s
    {"00111000001111000", &Lifter::fp_store_indexed, 8},  // fstx.d
    {"00111000010000000", &Lifter::fp_load_indexed, 16},  // vldx
    {"00111000010001000", &Lifter::fp_store_indexed, 16},  // vstx
    {"00111000010010000", &Lifter::fp_load_indexed, 32},  // xvldx
    {"00111000010011000", &Lifter::fp_store_indexed, 32},  // xvstx
    // atomics
    {"00111000010101110", &Lifter::store_conditional_pair},  // sc.q
    {"0011100001010111100000", &Lifter::load_linked_acquire, 4},  // llacq.w
    {"0011100001010111100001", &Lifter::store_conditional_release, 4},  // screl.w
    {"0011100001010111100010", &Lifter::load_linked_acquire, 8},  // llacq.d
    {"0011100001010111100011", &Lifter::store_conditional_release, 8},  // screl.d
    {"00111000010110000", &Lifter::compare_and_swap, 1},  // amcas.b
    {"00111000010110001", &Lifter::compare_and_swap, 2},  // amcas.h
    {"00111000010110010", &Lifter::compare_and_swap, 4},  // amcas.w
    {"00111000010110011", &Lifter::compare_and_swap, 8},  // amcas.d
    {"00111000010110100", &Lifter::compare_and_swap, 1},  // amcas_db.b
    {"00111000010110101", &Lifter::compare_and_swap, 2},  // amcas_db.h
    {"00111000010110110", &Lifter::compare_and_swap, 4},  // amcas_db.w
    {"00111000010110111", &Lifter::compare_and_swap, 8},  // amcas_db.d
    {"00111000010111000", &Lifter::swap, 1},  // amswap.b
    {"00111000010111001", &Lifter::swap, 2},  // amswap.h
    {"00111000010111010", &Lifter::read_modify_write, 1, Op::add},  // amadd.b
    {"00111000010111011", &Lifter::read_modify_write, 2, Op::add},  // amadd.h
    {"00111000010111100", &Lifter::swap, 1},  // amswap_db.b
    {"00111000010111101", &Lifter::swap, 2},  // amswap_db.h
    {"00111000010111110", &Lifter::read_modify_write, 1, Op::add},  // amadd_db.b
    {"00111000010111111", &Lifter::read_modify_write, 2, Op::add},  // amadd_db.h
    {"00111000011000000", &Lifter::swap, 4},  // amswap.w
    {"00111000011000001", &Lifter::swap, 8},  // amswap.d
    {"00111000011000010", &Lifter::read_modify_write, 4, Op::add},  // amadd.w
    {"00111000011000011", &Lifter::read_modify_write, 8, Op::add},  // amadd.d
    {"00111000011000100", &Lifter::read_modify_write, 4, Op::and_},  // amand.w
    {"00111000011000101", &Lifter::read_modify_write, 8, Op::and_},  // amand.d
    {"00111000011000110", &Lifter::read_modify_write, 4, Op::or_},  // amor.w
    {"00111000011000111", &Lifter::read_modify_write, 8, Op::or_},  // amor.d
    {"00111000011001000", &Lifter::read_modify_write, 4, Op::xor_},  // amxor.w
    {"00111000011001001", &Lifter::read_modify_write, 8, Op::xor_},  // amxor.d
    {"00111000011001010", &Lifter::read_modify_write, 4},  // ammax.w
    {"00111000011001011", &Lifter::read_modify_write, 8},  // ammax.d
    {"00111000011001100", &Lifter::read_modify_write, 4},  // ammin.w
    {"00111000011001101", &Lifter::read_modify_write, 8},  // ammin.d
    {"00111000011001110", &Lifter::read_modify_write, 4},  // ammax.wu
    {"00111000011001111", &Lifter::read_modify_write, 8},  // ammax.du
    {"00111000011010000", &Lifter::read_modify_write, 4},  // ammin.wu
    {"00111000011010001", &Lifter::read_modify_write, 8},  // ammin.du
    {"00111000011010010", &Lifter::swap, 4},  // amswap_db.w
    {"00111000011010011", &Lifter::swap, 8},  // amswap_db.d
    {"00111000011010100", &Lifter::read_modify_write, 4, Op::add},  // amadd_db.w
    {"00111000011010101", &Lifter::read_modify_write, 8, Op::add},  // amadd_db.d
    {"00111000011010110", &Lifter::read_modify_write, 4, Op::and_},  // amand_db.w
    {"00111000011010111", &Lifter::read_modify_write, 8, Op::and_},  // amand_db.d
    {"00111000011011000", &Lifter::read_modify_write, 4, Op::or_},  // amor_db.w
    {"00111000011011001", &Lifter::read_modify_write, 8, Op::or_},  // amor_db.d
    {"00111000011011010", &Lifter::read_modify_write, 4, Op::xor_},  // amxor_db.w
    {"00111000011011011", &Lifter::read_modify_write, 8, Op::xor_},  // amxor_db.d
    {"00111000011011100", &Lifter::read_modify_write, 4},  // ammax_db.w
    {"00111000011011101", &Lifter::read_modify_write, 8},  // ammax_db.d
    {"00111000011011110", &Lifter::read_modify_write, 4},  // ammin_db.w
    {"00111000011011111", &Lifter::read_modify_write, 8},  // ammin_db.d
    {"00111000011100000", &Lifter::read_modify_write, 4},  // ammax_db.wu
    {"00111000011100001", &Lifter::read_modify_write, 8},  // ammax_db.du
    {"00111000011100010", &Lifter::read_modify_write, 4},  // ammin_db.wu
    {"00111000011100011", &Lifter::read_modify_write, 8},  // ammin_db.du
    {"00111000011100100", &Lifter::barrier},  // dbar
    {"00111000011100101", &Lifter::barrier},  // ibar
    // loads and stores with an address check
    {"00111000011101000", &Lifter::fp_load_checked, 4},  // fldgt.s
    {"00111000011101001", &Lifter::fp_load_checked, 8},  // fldgt.d
    {"00111000011101010", &Lifter::fp_load_checked, 4},  // fldle.s
    {"00111000011101011", &Lifter::fp_load_checked, 8},  // fldle.d
    {"00111000011101100", &Lifter::fp_store_checked, 4},  // fstgt.s
    {"00111000011101101", &Lifter::fp_store_checked, 8},  // fstgt.d
    {"00111000011101110", &Lifter::fp_store_checked, 4},  // fstle.s
    {"00111000011101111", &Lifter::fp_store_checked, 8},  // fstle.d
    {"00111000011110000", &Lifter::load_checked, 1},  // ldgt.b
    {"00111000011110001", &Lifter::load_checked, 2},  // ldgt.h
    {"00111000011110010", &Lifter::load_checked, 4},  // ldgt.w
    {"00111000011110011", &Lifter::load_checked, 8},  // ldgt.d
    {"00111000011110100", &Lifter::load_checked, 1},  // ldle.b
    {"00111000011110101", &Lifter::load_checked, 2},  // ldle.h
    {"00111000011110110", &Lifter::load_checked, 4},  // ldle.w
    {"00111000011110111", &Lifter::load_checked, 8},  // ldle.d
    {"00111000011111000", &Lifter::store_checked, 1},  // stgt.b
    {"00111000011111001", &Lifter::store_checked, 2},  // stgt.h
    {"00111000011111010", &Lifter::store_checked, 4},  // stgt.w
    {"00111000011111011", &Lifter::store_checked, 8},  // stgt.d
    {"00111000011111100", &Lifter::store_checked, 1},  // stle.b
    {"00111000011111101", &Lifter::store_checked, 2},  // stle.h
    {"00111000011111110", &Lifter::store_checked, 4},  // stle.w
    {"00111000011111111", &Lifter::store_checked, 8},  // stle.d
    // control flow
    {"010000", &Lifter::branch_zero},  // beqz
    {"010001", &Lifter::branch_zero},  // bnez
    {"010010", &Lifter::branch_condition},  // bceqz, bcnez, jiscr0, jiscr1
    {"010011", &Lifter::jump_and_link},  // jirl
    {"010100", &Lifter::branch},  // b
    {"010101", &Lifter::branch_and_link},  // bl
    {"010110", &Lifter::branch_compare},  // beq
    {"010111", &Lifter::branch_compare},  // bne
    {"011000", &Lifter::branch_compare},  // blt
    {"011001", &Lifter::branch_compare},  // bge
    {"011010", &Lifter::branch_compare},  // bltu
    {"011011", &Lifter::branch_compare},  // bgeu
    // clang-format on
});

// The leading six bits of a row, which none leaves open.
constexpr unsigned major(const Opcode& row) {
  unsigned bits = 0;
  for (const char c : row.bits.substr(0, 6)) bits = bits << 1 | (c == '1' ? 1u : 0u);
  return bits;
}
static_assert(std::ranges::is_sorted(table, {}, major));

struct Pattern {
  std::uint32_t mask = 0;
  std::uint32_t value = 0;
};

constexpr auto patterns = [] {
  std::array<Pattern, table.size()> all{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    std::uint32_t bit = 1u << 31;
    for (const char c : table[i].bits) {
      if (c != '.') all[i].mask |= bit;
      if (c == '1') all[i].value |= bit;
      bit >>= 1;
    }
  }
  return all;
}();

// starts[m] is the first row whose leading six bits are m or more.
constexpr auto starts = [] {
  std::array<std::uint16_t, 65> all{};
  std::uint16_t row = 0;
  for (unsigned m = 0; m < all.size(); ++m) {
    while (row < table.size() && major(table[row]) < m) ++row;
    all[m] = row;
  }
  return all;
}();

}  // namespace

const Opcode* find_opcode(std::uint32_t word) {
  const unsigned m = word >> 26;
  for (unsigned row = starts[m]; row < starts[m + 1]; ++row) {
    if ((word & patterns[row].mask) == patterns[row].value) return &table[row];
  }
  return nullptr;
}

}  // namespace trapline::loongarch
