// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "cli/layout.h"
#include "cli/table.h"

namespace trapline {
namespace {

using Lines = std::vector<std::string>;

TEST_CASE("layout_wrap") {
  CHECK(wrap("", 10, 10) == Lines{""});
  CHECK(wrap("one two three", 7, 7) == Lines{"one two", "three"});
  CHECK(wrap("one two three", 3, 9) == Lines{"one", "two three"});
  CHECK(wrap("exact fit", 9, 9) == Lines{"exact fit"});
  // Longer than a line: cut behind the last joint that leaves room for the mark.
  CHECK(wrap("abc_defg_hij", 10, 10) == Lines{"abc_defg_\\", "hij"});
  CHECK(wrap("abcdefghijkl", 5, 5) == Lines{"abcd\\", "efgh\\", "ijkl"});
  // A word that fits the wider second line is not cut for the first.
  CHECK(wrap("abcdefgh", 4, 8) == Lines{"", "abcdefgh"});
}

TEST_CASE("layout_printable") {
  CHECK(printable("plain text_1", true) == "plain text_1");
  CHECK(printable("a\tb\x7f", false) == "a\\x09b\\x7f");
  CHECK(printable("\xc3\xb6", true) == "\\xc3\\xb6");
  CHECK(printable("\xc3\xb6", false) == "\xc3\xb6");
  CHECK(printable("\xc3", false) == "\\xc3");           // cut in the middle of a character
  CHECK(printable("\xc2\x9b", false) == "\\xc2\\x9b");  // a control character of Latin-1, CSI
}

TEST_CASE("layout_one_line") {
  CHECK(one_line("\tld.d\t$t0,  $sp, 8\n") == "ld.d $t0, $sp, 8");
  CHECK(one_line("") == "");
}

TEST_CASE("layout_table_aligns_numbers_right_and_writes_no_trailing_blank") {
  Table table({{"name", Align::left}, {"n", Align::right}, {"what", Align::left}});
  table.add({"a", "1", "first"});
  table.add({"bcd", "200", ""});
  Page page{TextOptions{}};
  table.print(page, 1);
  CHECK(page.take() ==
        " name    n  what\n"
        " a       1  first\n"
        " bcd   200\n");
}

TEST_CASE("layout_table_text_that_is_too_long_goes_on_below") {
  Table table({{"a", Align::left}, {"b", Align::left}, {"n", Align::right}});
  table.add({"x", "jump to_a_name_of_more_than_24_letters", "7"});
  TextOptions options;
  options.width = 45;
  Page page(options);
  table.print(page, 0);
  CHECK(page.take() ==
        "a  b     n\n"
        "x  jump  7\n"
        "     to_a_name_of_more_than_24_letters\n");
}

}  // namespace
}  // namespace trapline
