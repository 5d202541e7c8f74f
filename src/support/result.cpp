// SPDX-License-Identifier: Apache-2.0
// The one wording of errors that every surface prints.
#include "support/result.h"

namespace pliant {

std::string Error::text() const {
  std::string out;
  if (!op.empty())
    out += "[" + op + "] ";
  out += message;
  if (!constraint.empty())
    out += " (" + constraint + ")";
  if (kind == Kind::Internal)
    out += "; this is an error in Pliant, please report";
  if (!hint.empty())
    out += "\n  hint: " + hint;
  if (!where.empty())
    out += "\n  at: " + where;
  return out;
}

} // namespace pliant
