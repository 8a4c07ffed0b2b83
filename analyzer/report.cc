// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report.h"

namespace trapline {

std::string_view path_end_name(PathEnd end) {
  switch (end) {
    case PathEnd::exception_return:
      return "exception-return";
    case PathEnd::ret:
      return "return";
    case PathEnd::jump:
      return "jump";
    case PathEnd::no_return:
      return "no-return";
    case PathEnd::trap:
      return "trap";
    case PathEnd::halt:
      return "halt";
    case PathEnd::unknown:
      break;
  }
  return "unknown";
}

std::string symbol_of(const std::string& where) { return where.substr(0, where.rfind("+0x")); }

void count_levels(FindingsReport::ImagePart& part) {
  FindingsReport::Summary& s = part.summary;
  s.errors = s.warnings = s.notes = s.suppressed = 0;
  for (const FindingReport& f : part.findings)
    ++(f.suppressed                ? s.suppressed
       : f.level == Level::error   ? s.errors
       : f.level == Level::warning ? s.warnings
                                   : s.notes);
}

}  // namespace trapline
