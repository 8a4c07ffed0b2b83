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

}  // namespace trapline
