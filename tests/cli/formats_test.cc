// SPDX-License-Identifier: Apache-2.0
//
// What machines and web pages read, on reports filled by hand: JSON, CSV, Markdown, dot, SVG.
#include <doctest/doctest.h>
#include <llvm/Support/Program.h>

#include <nlohmann/json.hpp>

#include "cli/format/formats.h"
#include "tests/cli/samples.h"

namespace trapline {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [name, value] : json.items()) names.push_back(name);
  return names;
}

using Names = std::vector<std::string>;

// Key lists are those of interface.md; `loops` and `remarks` of a routine are the text report's.
TEST_CASE("json_paths_keys_and_their_order") {
  const Json json = Json::parse(paths_json(sample_paths()));
  CHECK(keys(json) == Names{"schema", "tool", "images", "budgets"});
  CHECK(json["schema"] == "trapline/paths/1");
  CHECK(json["tool"] == Json{{"name", "trapline"}, {"version", "0.1.0"}});
  const Json& image = json["images"][0];
  CHECK(keys(image) == Names{"path", "kind", "arch", "build_id", "variant", "routines", "cross_check"});
  const Json& routine = image["routines"][0];
  CHECK(keys(routine) == Names{"name", "aliases", "version", "role", "address", "nodes", "instructions", "paths_total",
                               "paths_listed", "infeasible", "bounded", "range", "loops", "remarks", "paths"});
  CHECK(keys(routine["range"]) == Names{"loads", "stores", "instructions"});
  CHECK(routine["range"]["loads"] == Json{{"min", 35}, {"max", 36}});
  const Json& path = routine["paths"][0];
  CHECK(keys(path) == Names{"id", "label", "end", "to", "end_address", "end_symbol", "cost", "classes", "decisions",
                            "calls", "loops", "blocks"});
  CHECK(keys(path["cost"]) == Names{"instructions", "loads", "stores", "registers_loaded", "registers_stored",
                                    "bytes_loaded", "bytes_stored", "frame_loads", "frame_stores", "branches_taken",
                                    "branches_not_taken", "calls", "indirect_calls", "system", "barriers", "atomics",
                                    "nops"});
  CHECK(keys(path["classes"]) == Names{"load", "store", "load_store", "branch", "call", "return", "system", "barrier",
                                       "nop", "other", "unknown"});
}

TEST_CASE("json_paths_values") {
  PathsReport report = sample_paths();
  PathReport& first = report.images[0].routines[0].paths[0];
  first.calls.push_back({0x2000, ""});
  first.loops.push_back({0x3000, "x", std::nullopt, "", 1, 2, 3});
  first.loops.push_back({0x3000, "x", 8, "", 1, 2, 3});
  first.cost.classes[static_cast<std::size_t>(InsnClass::ret)] = 7;
  report.images[0].head.build_id.clear();
  const Json json = Json::parse(paths_json(report));
  const Json& image = json["images"][0];
  CHECK(image["build_id"].is_null());
  const Json& routine = image["routines"][0];
  CHECK(routine["role"] == "syscall-entry");
  CHECK(routine["address"] == "0x9000000000221000");
  CHECK(routine["paths_listed"] == 2);
  CHECK(routine["aliases"] == Json::array());
  CHECK(routine["remarks"][0] == Json{{"address", "0x9000000000221080"},
                                      {"symbol", "handle_syscall+0x80"},
                                      {"text", "undecoded word 0xffffffff"}});
  const Json& path = routine["paths"][0];
  CHECK(path["end"] == "exception-return");
  CHECK(path["to"] == "user");
  CHECK(path["cost"]["instructions"] == 90);
  CHECK(path["classes"]["return"] == 7);
  CHECK(path["decisions"][0] == Json{{"address", "0x9000000000221020"}, {"text", "beqz $t0, 24"}, {"taken", false}});
  CHECK(path["calls"][1] == Json{{"address", "0x2000"}, {"target", nullptr}});
  CHECK(path["loops"][0] ==
        Json{{"address", "0x3000"}, {"turns", nullptr}, {"instructions", 1}, {"loads", 2}, {"stores", 3}});
  CHECK(path["loops"][1]["turns"] == 8);
  CHECK(path["blocks"][0] == Json{{"address", "0x9000000000221000"}, {"size", 360}});
}

TEST_CASE("json_paths_to_is_null_where_the_end_is_no_exception_return") {
  PathsReport report = sample_paths();
  report.images[0].routines[0].paths[0] = sample_path("x", PathEnd::no_return, ReturnTo::none, 1, 0, 0);
  const Json json = Json::parse(paths_json(report));
  CHECK(json["images"][0]["routines"][0]["paths"][0]["end"] == "no-return");
  CHECK(json["images"][0]["routines"][0]["paths"][0]["to"].is_null());
}

TEST_CASE("json_names_that_are_not_utf8_are_replaced") {
  PathsReport report = sample_paths();
  report.images[0].head.path = "a\xff\"b";
  const std::string text = paths_json(report);
  CHECK(text.find("\"path\": \"a\xef\xbf\xbd\\\"b\"") != std::string::npos);
}

TEST_CASE("json_two_images_are_one_document") {
  PathsReport report = sample_paths();
  report.images.push_back(report.images[0]);
  CHECK(Json::parse(paths_json(report))["images"].size() == 2);
}

TEST_CASE("json_entries") {
  const Json json = Json::parse(entries_json(sample_entries()));
  CHECK(json["schema"] == "trapline/entries/1");
  CHECK(keys(json["images"][0]) == Names{"path", "kind", "arch", "build_id", "variant", "entries"});
  CHECK(json["images"][0]["entries"][1] == Json{{"name", "handle_tlb_load"},
                                                {"aliases", {"tlb|load"}},
                                                {"version", nullptr},
                                                {"role", "tlb-handler"},
                                                {"address", "0x9000000000225000"},
                                                {"source", "option"}});
}

TEST_CASE("json_cfg") {
  const Json json = Json::parse(cfg_json(sample_cfg()));
  CHECK(json["schema"] == "trapline/cfg/1");
  const Json& routine = json["routine"];
  CHECK(keys(routine) == Names{"name", "aliases", "role", "blocks", "edges", "loops", "remarks"});
  CHECK(routine["blocks"][0]["continuation"].is_null());
  CHECK(routine["blocks"][0]["end"].is_null());
  CHECK(routine["blocks"][2]["continuation"] == "0x1008");
  CHECK(routine["blocks"][1]["instructions"][0] ==
        Json{{"address", "0x1008"}, {"symbol", "handle_syscall+0x8"}, {"text", "ertn"}, {"note", "\"user\""}});
  CHECK(routine["edges"][1] == Json{{"from", 0}, {"to", 2}, {"kind", "taken"}});
}

TEST_CASE("csv_paths_one_row_a_path") {
  PathsReport report = sample_paths();
  Cost& cost = report.images[0].routines[0].paths[0].cost;
  cost.registers_loaded = 101;
  cost.registers_stored = 102;
  cost.bytes_loaded = 103;
  cost.bytes_stored = 104;
  cost.frame_loads = 105;
  cost.frame_stores = 106;
  cost.indirect_calls = 107;
  cost.barriers = 108;
  cost.atomics = 109;
  cost.nops = 110;
  for (std::size_t i = 0; i < cost.classes.size(); ++i) cost.classes[i] = 200 + i;
  const std::vector<std::string> lines = lines_of(paths_csv(report));
  REQUIRE(lines.size() == 3);
  CHECK(
      lines[0] ==
      "image,kind,arch,build_id,variant,routine,role,address,id,label,end,to,end_address,end_symbol,"
      "instructions,loads,stores,registers_loaded,registers_stored,bytes_loaded,bytes_stored,frame_loads,frame_stores,"
      "branches_taken,branches_not_taken,calls,indirect_calls,system,barriers,atomics,nops,"
      "class_load,class_store,class_load_store,class_branch,class_call,class_return,class_system,class_barrier,"
      "class_nop,class_other,class_unknown");
  CHECK(lines[1] ==
        "vmlinux,vmlinux,loongarch64,0123456789abcdef0123456789abcdef01234567,as-linked,handle_syscall,syscall-entry,"
        "0x9000000000221000,id-user full,user full,exception-return,user,0x9000000000221168,handle_syscall+0x168,"
        "90,36,29,101,102,103,104,105,106,1,1,1,107,9,108,109,110,200,201,202,203,204,205,206,207,208,209,210");
}

TEST_CASE("csv_quotes_as_rfc_4180_says") {
  PathsReport report = sample_paths();
  report.images[0].head.path = "a \"b\", c\nd";
  report.images[0].head.build_id.clear();
  const std::string csv = paths_csv(report);
  CHECK(csv.find("\n\"a \"\"b\"\", c\nd\",vmlinux,loongarch64,,as-linked,") != std::string::npos);
}

TEST_CASE("csv_entries") {
  CHECK(entries_csv(sample_entries()) ==
        "image,kind,arch,build_id,variant,name,aliases,role,address,source,version\n"
        "vmlinux,vmlinux,loongarch64,0123456789abcdef0123456789abcdef01234567,as-linked,handle_syscall,,syscall-entry,"
        "0x9000000000221000,symbol,\n"
        "vmlinux,vmlinux,loongarch64,0123456789abcdef0123456789abcdef01234567,as-linked,handle_tlb_load,tlb|load,"
        "tlb-handler,0x9000000000225000,option,\n");
}

TEST_CASE("markdown_paths") {
  PathsReport report = sample_paths();
  report.images[0].routines[0].paths[0].label = "a|b_c";
  report.images[0].routines[0].aliases = {"__alias__"};
  CHECK(paths_markdown(report, {}) ==
        "## `vmlinux`\n"
        "\n"
        "loongarch64 vmlinux, build-id 0123456789ab...\n"
        "\n"
        "### `handle_syscall` (syscall-entry): 2 paths, 1 infeasible\n"
        "\n"
        "Also `__alias__`\n"
        "\n"
        "| path | end | insns | loads | stores | br | calls | sys |\n"
        "| :--- | :--- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| a\\|b\\_c | to user | 90 | 36 | 29 | 2 | 1 | 9 |\n"
        "| kernel full | to kernel | 88 | 35 | 29 | 3 | 1 | 9 |\n"
        "\n"
        "- loop `handle_syscall+0x44`, each turn 9 insns, 1 load, 0 stores; branch: `bnez $t1, -12`\n"
        "- `handle_syscall+0x80`: undecoded word 0xffffffff\n");
}

TEST_CASE("markdown_entries_escapes_bars_in_code") {
  CHECK(entries_markdown(sample_entries()) ==
        "## `vmlinux`\n"
        "\n"
        "loongarch64 vmlinux, build-id 0123456789abcdef0123456789abcdef01234567\n"
        "\n"
        "| routine | also | role | address | from |\n"
        "| :--- | :--- | :--- | ---: | :--- |\n"
        "| `handle_syscall` | | syscall-entry | 0x9000000000221000 | symbol |\n"
        "| `handle_tlb_load` | `tlb\\|load` | tlb-handler | 0x9000000000225000 | option |\n");
}

TEST_CASE("dot_cfg") {
  CHECK(cfg_dot(sample_cfg()) ==
        "digraph \"handle_syscall\" {\n"
        "  label=\"handle_syscall (syscall-entry), vmlinux\";\n"
        "  labelloc=t;\n"
        "  fontname=\"monospace\";\n"
        "  node [shape=box, fontname=\"monospace\", fontsize=10];\n"
        "  edge [fontname=\"monospace\", fontsize=9];\n"
        "  b0 [label=\"handle_syscall:\\l  0x1000  csrrd $t0, 48\\l  0x1004  beqz $t0, 8\\l\", penwidth=2];\n"
        "  b1 [label=\"handle_syscall+0x8:\\l  0x1008  ertn  ; \\\"user\\\"\\lexception-return\\l\", style=rounded];\n"
        "  b2 [label=\"handle_syscall+0xc (returns to handle_syscall+0x8):\\l  0x100c  ret\\l\"];\n"
        "  b0 -> b1 [label=\"not-taken\", color=\"#cf222e\"];\n"
        "  b0 -> b2 [label=\"taken\", color=\"#1a7f37\"];\n"
        "  b2 -> b1 [label=\"return\", color=\"#57606a\"];\n"
        "}\n");
}

TEST_CASE("svg_cfg_is_drawn_by_graphviz") {
  if (!llvm::sys::findProgramByName("dot")) {
    MESSAGE("Graphviz is not installed: not tested");
    return;
  }
  CfgReport report = sample_cfg();
  // What dot would take for an entity, an escape or the end of a string comes out as it went in.
  report.blocks[0].instructions[0].text = "x&lt;y \"q\" \\l";
  const std::string svg = cfg_svg(report);
  CHECK(svg.starts_with("<?xml"));
  CHECK(svg.find("</svg>") != std::string::npos);
  CHECK(svg.find("x&amp;lt;y &quot;q&quot; \\l") != std::string::npos);
}

}  // namespace
}  // namespace trapline
