// SPDX-License-Identifier: Apache-2.0
#include "analyzer/thread_flags.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analyzer/kernel_headers.h"
#include "disasm/arch/arch.h"
#include "disasm/error.h"
#include "disasm/image/kernel_version.h"

namespace trapline {

namespace {

constexpr std::uint64_t bit_mask(std::uint64_t bit) { return std::uint64_t{1} << bit; }

void require_folder(const std::string& folder) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(folder, error);
  if (!std::filesystem::exists(status))
    throw Error(folder, "there is no such folder; --kernel-src takes the root of a kernel source");
  if (!std::filesystem::is_directory(status))
    throw Error(folder, "is no folder; --kernel-src takes the root of a kernel source");
  if (access(folder.c_str(), R_OK | X_OK) != 0)
    throw Error(folder, "may not be read: " + std::generic_category().message(errno) + "; check its permissions");
}

// Of the flags whose number is one, and certain; the others' bits are uncertain.
void add_flags(const KernelHeaders& headers, unsigned bits, FlagDefinitions& out) {
  for (const std::string& name : headers.names("TIF_")) {
    const KernelHeaders::Value number = headers.value(name);
    if (number.is_exact()) {
      if (number.set >= bits) continue;
      out.flags.emplace_back(static_cast<std::uint8_t>(number.set), name);
      if (!headers.is_certain(name)) out.uncertain |= bit_mask(number.set);
      continue;
    }
    for (const std::uint64_t one : headers.alternatives(name))
      if (one < bits) out.uncertain |= bit_mask(one);
  }
  std::sort(out.flags.begin(), out.flags.end());
}

std::optional<FlagDefinitions> from_source(const std::string& folder, const ThreadFlags& facts,
                                           std::vector<std::string>& remarks) {
  if (facts.directory.empty()) {
    remarks.push_back("--kernel-src: it is not known where this architecture defines its thread flags");
    return std::nullopt;
  }
  const KernelHeaders headers(folder, std::string(facts.directory), "asm/thread_info.h");
  const std::string file = fmt::format("arch/{}/include/asm/thread_info.h", facts.directory);
  for (const std::string& problem : headers.problems()) remarks.push_back("--kernel-src: " + problem);
  if (!headers.found()) return std::nullopt;
  FlagDefinitions out;
  add_flags(headers, facts.width * 8u, out);
  const KernelHeaders::Value work = headers.value(std::string(facts.work));
  if (work.is_unknown() || work.may == 0 || out.flags.empty()) {
    remarks.push_back(fmt::format("--kernel-src: {} does not say what {} is", file, facts.work));
    return std::nullopt;
  }
  out.work = work.set;
  out.uncertain |= work.may & ~work.set;
  if (headers.is_defined(std::string(facts.syscall_work))) {
    const KernelHeaders::Value syscall = headers.value(std::string(facts.syscall_work));
    out.syscall_work = syscall.set;
    out.uncertain |= syscall.may & ~syscall.set;
  }
  out.source = fmt::format("{} (--kernel-src)", file);
  return out;
}

std::optional<FlagDefinitions> from_config(const Config& config, std::string_view arch,
                                           std::vector<std::string>& remarks) {
  for (const Config::ThreadFlags& given : config.thread_flags) {
    if (given.arch != arch) continue;
    if (given.work.empty()) {
      remarks.push_back(fmt::format("{}:{}: thread-flags has no 'work'; say which flags are work on every exit",
                                    config.path, given.line));
      continue;
    }
    FlagDefinitions out;
    for (const auto& [name, bit] : given.bits) out.flags.emplace_back(static_cast<std::uint8_t>(bit), name);
    std::sort(out.flags.begin(), out.flags.end());
    for (const std::string& name : given.work) out.work |= bit_mask(given.bits.at(name));
    for (const std::string& name : given.syscall_work) out.syscall_work |= bit_mask(given.bits.at(name));
    out.source = fmt::format("{}:{}", config.path, given.line);
    return out;
  }
  return std::nullopt;
}

std::optional<FlagDefinitions> from_table(const ThreadFlags& facts, const Image& image) {
  const std::optional<KernelVersion> version = kernel_version(image);
  if (!version) return std::nullopt;
  for (const ThreadFlagRow& row : facts.table) {
    if (*version < row.from || *version >= row.until) continue;
    FlagDefinitions out;
    const auto mask = [&row](const std::vector<std::string_view>& names) {
      std::uint64_t all = 0;
      for (const auto& [name, bit] : row.bits)
        if (std::find(names.begin(), names.end(), name) != names.end()) all |= bit_mask(bit);
      return all;
    };
    for (const auto& [name, bit] : row.bits) out.flags.emplace_back(bit, name);
    out.work = mask(row.work);
    out.syscall_work = mask(row.syscall_work);
    out.source = fmt::format("the architecture's table for Linux {}.{}.{}: {}", version->major, version->minor,
                             version->sublevel, row.source);
    return out;
  }
  return std::nullopt;
}

}  // namespace

ThreadFlagSearch find_thread_flags(const Image& image, const std::optional<std::string>& kernel_src,
                                   const Config& config) {
  ThreadFlagSearch search;
  const ThreadFlags& facts = facts_of(image).thread_flags;
  if (kernel_src) {
    require_folder(*kernel_src);
    search.found = from_source(*kernel_src, facts, search.remarks);
  }
  if (!search.found) search.found = from_config(config, image.arch().name(), search.remarks);
  if (!search.found) search.found = from_table(facts, image);
  return search;
}

}  // namespace trapline
