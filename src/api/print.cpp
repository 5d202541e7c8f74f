// SPDX-License-Identifier: Apache-2.0
// Tensors as text, as NumPy writes them: nested rows, equal widths, long axes abbreviated.
#include "api/record.h"
#include "ops/dispatch.h"
#include <algorithm>
#include <cmath>
#include <ostream>

namespace pliant {
namespace {

constexpr int64_t most = 1000; ///< elements that are all shown
constexpr int64_t edge = 3;    ///< shown at each end of an abbreviated axis

/// One element with up to 8 digits, without trailing zeros.
template <class T> std::string text(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    const auto real = static_cast<double>(value);
    if (std::isnan(real))
      return "nan";
    if (std::isinf(real))
      return real < 0 ? "-inf" : "inf";
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.*g", sizeof(T) == 8 ? 8 : sizeof(T) == 4 ? 8 : 4, real);
    std::string out = buffer;
    return out.find_first_of(".e") == std::string::npos ? out + "." : out;
  }
}

struct Printer {
  const Array &array;
  std::vector<int64_t> strides;
  bool all;
  size_t width = 0;
  std::string out;

  template <class T> std::string at(int64_t i) const { return text<T>(array.as<T>()[i]); }
  std::string element(int64_t i) const {
    return dispatch(array.dtype, [&]<class T>(Type<T>) { return at<T>(i); });
  }
  template <class F> void along(size_t axis, const F &visit) const {
    const int64_t extent = array.shape[axis];
    for (int64_t i = 0; i < extent; ++i) {
      if (!all && extent > 2 * edge && i == edge) {
        visit(-1);
        i = extent - edge;
      }
      visit(i);
    }
  }
  void measure(size_t axis, int64_t offset) {
    if (axis == array.shape.size()) {
      width = std::max(width, element(offset).size());
      return;
    }
    along(axis, [&](int64_t i) {
      if (i >= 0)
        measure(axis + 1, offset + i * strides[axis]);
    });
  }
  void print(size_t axis, int64_t offset) {
    if (axis == array.shape.size()) {
      const std::string one = element(offset);
      out += std::string(width - one.size(), ' ') + one;
      return;
    }
    const bool last = axis + 1 == array.shape.size();
    out += '[';
    bool first = true;
    along(axis, [&](int64_t i) {
      if (!first)
        out += last ? " " : std::string(array.shape.size() - axis - 1, '\n') + std::string(axis + 1, ' ');
      first = false;
      if (i < 0)
        out += "...";
      else
        print(axis + 1, offset + i * strides[axis]);
    });
    out += ']';
  }
};

} // namespace

std::string Tensor::str(Site site) const {
  if (!defined())
    return "undefined";
  const Array all = array(site);
  Printer printer{all, std::vector<int64_t>(all.shape.size(), 1), *elementCount(all.shape) <= most};
  for (size_t i = all.shape.size(); i-- > 1;)
    printer.strides[i - 1] = printer.strides[i] * all.shape[i];
  printer.measure(0, 0);
  printer.print(0, 0);
  return printer.out;
}

std::ostream &operator<<(std::ostream &out, const Tensor &tensor) { return out << tensor.str(Site()); }

} // namespace pliant
