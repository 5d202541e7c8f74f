// SPDX-License-Identifier: Apache-2.0
// The C surface: random numbers.
#include "api/c.h"

using namespace pliant;
using namespace pliant::api::c;

namespace {
template <class G> auto &generatorOf(G *generator, pliant_site site = {}) {
  if (!generator)
    refuseNull("a generator", site);
  return generator->value;
}
} // namespace

extern "C" {

pliant_status pliant_generator_make(uint64_t seed, pliant_generator **out) {
  return giving(out, [&] { return new pliant_generator{Generator(seed)}; });
}
pliant_status pliant_generator_fork(pliant_generator *generator, pliant_generator **out) {
  return giving(out, [&] { return new pliant_generator{generatorOf(generator).fork()}; });
}
void pliant_generator_release(pliant_generator *generator) { delete generator; }

pliant_status pliant_generator_seed(const pliant_generator *generator, uint64_t *out) {
  return giving(out, [&] { return generatorOf(generator).seed(); });
}
pliant_status pliant_generator_position(const pliant_generator *generator, uint64_t *out) {
  return giving(out, [&] { return generatorOf(generator).position(); });
}
pliant_status pliant_generator_seek(pliant_generator *generator, uint64_t position) {
  return guarded([&] { generatorOf(generator).seek(position); });
}

pliant_status pliant_uniform(pliant_generator *generator, pliant_dtype dtype, size_t rank, const int64_t *shape,
                             pliant_tensor **out, pliant_site site) {
  return giving(out, site, [&] {
    return generatorOf(generator, site).uniform(shapeOf(rank, shape, site), dtypeOf(dtype, site), siteOf(site));
  });
}
pliant_status pliant_normal(pliant_generator *generator, pliant_dtype dtype, size_t rank, const int64_t *shape,
                            pliant_tensor **out, pliant_site site) {
  return giving(out, site, [&] {
    return generatorOf(generator, site).normal(shapeOf(rank, shape, site), dtypeOf(dtype, site), siteOf(site));
  });
}
pliant_status pliant_integers(pliant_generator *generator, int64_t low, int64_t high, size_t rank, const int64_t *shape,
                              pliant_tensor **out, pliant_site site) {
  return giving(out, site, [&] {
    return generatorOf(generator, site).integers(shapeOf(rank, shape, site), low, high, siteOf(site));
  });
}
pliant_status pliant_bernoulli(pliant_generator *generator, double p, size_t rank, const int64_t *shape,
                               pliant_tensor **out, pliant_site site) {
  return giving(out, site,
                [&] { return generatorOf(generator, site).bernoulli(shapeOf(rank, shape, site), p, siteOf(site)); });
}
pliant_status pliant_permutation(pliant_generator *generator, int64_t n, pliant_tensor **out, pliant_site site) {
  return giving(out, site, [&] { return generatorOf(generator, site).permutation(n, siteOf(site)); });
}
}
