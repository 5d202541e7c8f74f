// SPDX-License-Identifier: Apache-2.0
#include "trace/encode.h"

namespace pliant::trace {
namespace {

template <size_t i>
std::pair<Attrs, const uint64_t *> decodeAs(const uint64_t *at, const std::function<Expr()> &extent) {
  std::variant_alternative_t<i, Attrs> attrs;
  AttrReader reader{at, extent};
  withFields(attrs, [&](auto &...field) { (reader.get(field), ...); });
  return {Attrs(std::in_place_index<i>, std::move(attrs)), reader.at};
}

template <size_t... i> auto decoders(std::index_sequence<i...>) {
  using Decoder = std::pair<Attrs, const uint64_t *> (*)(const uint64_t *, const std::function<Expr()> &);
  return std::array<Decoder, sizeof...(i)>{decodeAs<i>...};
}

} // namespace

std::pair<Attrs, const uint64_t *> decode(OpId op, const uint64_t *at, const std::function<Expr()> &extent) {
  static const auto table = decoders(std::make_index_sequence<std::variant_size_v<Attrs>>());
  return table[static_cast<size_t>(op)](at, extent);
}

} // namespace pliant::trace
