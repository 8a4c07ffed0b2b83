// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "../folder.h"
#include "disasm/error.h"
#include "image_samples.h"

namespace trapline::test {
namespace {

namespace fs = std::filesystem;

std::string refusal(const std::string& path) {
  try {
    (void)Image::open(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "opens";
}

}  // namespace

TEST_CASE("image: a file is mapped and never changed") {
  const Folder folder;
  const Bytes bytes = sample_bytes("good-loongarch64");
  const std::string path = folder.file("vmlinux", bytes);
  const std::unique_ptr<Image> image = Image::open(path);
  CHECK(image->path() == path);
  // The self-relocation was applied to the copy.
  CHECK(image->read(0x9000000000400008, 8) == 0x123456789abcdef0U);
  CHECK(image->patch(0x9000000000200000, 0, 4));
  CHECK(image->read(0x9000000000200000, 4) == 0U);
  std::ifstream in(path, std::ios::binary);
  const Bytes after((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  CHECK(after == bytes);
}

TEST_CASE("image: what cannot be read is said, with the file's name first") {
  const Folder folder;
  const std::string missing = folder.file("missing");
  CHECK(refusal(missing).starts_with(missing + ": cannot open it: No such file or directory"));
  CHECK(refusal(folder.path()).starts_with(folder.path() + ": is a directory"));
  CHECK(refusal(folder.file("empty", {})).ends_with("the file is empty; pass a vmlinux, vDSO, object or module"));
  const std::string below = folder.file("empty/vmlinux");
  CHECK(refusal(below).starts_with(below + ": cannot open it: Not a directory"));
  const std::string secret = folder.file("secret", sample_bytes("good-vdso"));
  fs::permissions(secret, fs::perms::none);
  if (geteuid() == 0) {
    MESSAGE("running as root: a file without permissions can be read");
  } else {
    CHECK(refusal(secret).starts_with(secret + ": cannot open it: Permission denied"));
  }
}

TEST_CASE("image: a pipe is read to its end") {
  const Folder folder;
  const std::string pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  const Bytes bytes = sample_bytes("good-vdso");
  std::thread writer([&] {
    std::ofstream out(pipe, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  });
  const std::unique_ptr<Image> image = Image::open(pipe);
  writer.join();
  CHECK(image->kind() == ImageKind::vdso);
}

}  // namespace trapline::test
