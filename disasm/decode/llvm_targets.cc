// SPDX-License-Identifier: Apache-2.0
#include "disasm/decode/llvm_targets.h"

#include <fmt/format.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/TargetParser/Triple.h>

#include <mutex>
#include <string_view>

#include "disasm/error.h"

#define TRAPLINE_TARGET(name)                         \
  extern "C" void LLVMInitialize##name##TargetInfo(); \
  extern "C" void LLVMInitialize##name##TargetMC();   \
  extern "C" void LLVMInitialize##name##Disassembler();
TRAPLINE_TARGET(LoongArch)
TRAPLINE_TARGET(ARM)
TRAPLINE_TARGET(PowerPC)
TRAPLINE_TARGET(AArch64)
TRAPLINE_TARGET(RISCV)
TRAPLINE_TARGET(X86)
TRAPLINE_TARGET(Mips)
TRAPLINE_TARGET(SystemZ)
#undef TRAPLINE_TARGET

namespace trapline {
namespace {

// The prefix of LLVM's canonical architecture names, longest first where one is a prefix of another.
struct Row {
  std::string_view prefix;
  void (*info)();
  void (*mc)();
  void (*disassembler)();
};

#define TRAPLINE_TARGET(prefix, name) \
  {prefix, LLVMInitialize##name##TargetInfo, LLVMInitialize##name##TargetMC, LLVMInitialize##name##Disassembler}
constexpr Row rows[] = {
    TRAPLINE_TARGET("loongarch", LoongArch),
    TRAPLINE_TARGET("arm64", AArch64),
    TRAPLINE_TARGET("aarch64", AArch64),
    TRAPLINE_TARGET("arm", ARM),
    TRAPLINE_TARGET("thumb", ARM),
    TRAPLINE_TARGET("powerpc", PowerPC),
    TRAPLINE_TARGET("riscv", RISCV),
    TRAPLINE_TARGET("x86_64", X86),
    TRAPLINE_TARGET("i", X86),
    TRAPLINE_TARGET("mips", Mips),
    TRAPLINE_TARGET("s390x", SystemZ),
};
#undef TRAPLINE_TARGET

}  // namespace

const llvm::Target& llvm_target(const std::string& triple) {
  // LLVM's registry is one list for the process; registering is not safe in two threads at once.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (const Row& row : rows) {
    if (!triple.starts_with(row.prefix)) continue;
    row.info();
    row.mc();
    row.disassembler();
    break;
  }
  std::string message;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(llvm::Triple(triple), message);
  if (target == nullptr)
    throw Error(fmt::format("LLVM has no disassembler for {}: {}; trapline needs an LLVM 22 built with that target",
                            triple, message));
  return *target;
}

}  // namespace trapline
