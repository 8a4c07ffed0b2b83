// SPDX-License-Identifier: Apache-2.0
#include "cfg/paths.h"
#include <doctest/doctest.h>
#include "assemble.h"
#include "disasm/arch/arch.h"
using namespace trapline;
TEST_CASE("smoke") {
  auto image = test::assemble(test::Target::loongarch64, R"(
  .globl f
f: ori $t0, $zero, 8
1: addi.d $t0, $t0, -1
  bnez $t0, 1b
  ret
)");
  Code code(*image);
  Contract c;
  c.kind = ContractKind::function;
  RoutinePaths p = find_paths(code, test::address_of(*image, "f"), c, {});
  CHECK(p.paths.size() == 1);
  CHECK(p.paths.at(0).cost.instructions == 18);
}
