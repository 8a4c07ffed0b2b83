// SPDX-License-Identifier: Apache-2.0
#include "disasm/decode/capstone.h"

#include <fmt/format.h>

#include "disasm/error.h"

namespace trapline {

std::string capstone_version() {
  int major = 0;
  int minor = 0;
  cs_version(&major, &minor);
  // The library does not tell its third number; packages take header and library from one release.
  if (major == CS_API_MAJOR && minor == CS_API_MINOR)
    return fmt::format("Capstone {}.{}.{}", major, minor, CS_VERSION_EXTRA);
  return fmt::format("Capstone {}.{}", major, minor);
}

Capstone::Handle::Handle(const CapstoneSpec& spec) {
  cs_err failure = cs_open(spec.arch, spec.mode, &handle_);
  if (failure == CS_ERR_OK) failure = cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
  if (failure == CS_ERR_OK) return;
  if (handle_ != 0) cs_close(&handle_);
  throw Error(capstone_version(), fmt::format("cannot be started ({}); leave --cross-check out", cs_strerror(failure)));
}

Capstone::Capstone(const CapstoneSpec& spec) : spec_(&spec), handle_(spec), insn_(cs_malloc(handle_.get())) {
  if (insn_ == nullptr) throw Error(capstone_version(), "out of memory");
}

const cs_insn* Capstone::decode(std::span<const std::uint8_t> bytes, std::uint64_t address) {
  const std::uint8_t* code = bytes.data();
  std::size_t size = bytes.size();
  return cs_disasm_iter(handle_.get(), &code, &size, &address, insn_.get()) ? insn_.get() : nullptr;
}

void Capstone::restart() {
  // cs_disasm_iter carries the state of an `it` along; cs_disasm begins by forgetting it.
  cs_insn* none = nullptr;
  const std::uint8_t byte = 0;
  const std::size_t count = cs_disasm(handle_.get(), &byte, 0, 0, 1, &none);
  if (count != 0) cs_free(none, count);
}

}  // namespace trapline
