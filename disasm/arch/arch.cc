// SPDX-License-Identifier: Apache-2.0
#include "disasm/arch/arch.h"

namespace trapline {

std::string_view role_name(Role role) {
  switch (role) {
    case Role::syscall_entry:
      return "syscall-entry";
    case Role::return_to_user:
      return "return-to-user";
    case Role::exception_entry:
      return "exception-entry";
    case Role::fork_return:
      return "fork-return";
    case Role::context_switch:
      return "context-switch";
    case Role::tlb_handler:
      return "tlb-handler";
    case Role::vector:
      return "vector";
    case Role::vdso:
      return "vdso";
    case Role::user_named:
      return "user-named";
  }
  return "user-named";
}

const Arch* find_arch(const ElfIdentity& elf) {
  for (const Arch* arch : all_archs())
    if (arch->matches(elf)) return arch;
  return nullptr;
}

}  // namespace trapline
