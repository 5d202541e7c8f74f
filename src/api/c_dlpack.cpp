// SPDX-License-Identifier: Apache-2.0
// The C surface: tensors to and from other libraries by DLPack.
#include "api/c.h"
#include "pliant/dlpack.h"

using namespace pliant;
using namespace pliant::api::c;

namespace {
template <class Managed>
pliant_status takeOver(Managed *taken, bool share, pliant_tensor **out, pliant_site site) noexcept {
  return giving(out, site, [&] {
    if (!taken)
      refuseNull("a tensor of DLPack", site);
    return fromDlpack(taken, share, {}, siteOf(site));
  });
}
} // namespace

extern "C" {

pliant_status pliant_to_dlpack(const pliant_tensor *x, struct DLManagedTensor **out, pliant_site site) {
  return giving(out, site, [&] { return toDlpack(tensorOf(x, site), siteOf(site)); });
}
pliant_status pliant_from_dlpack(struct DLManagedTensor *taken, bool share, pliant_tensor **out, pliant_site site) {
  return takeOver(taken, share, out, site);
}
void pliant_dlpack_release(struct DLManagedTensor *taken) { releaseDlpack(taken); }

pliant_status pliant_to_dlpack_versioned(const pliant_tensor *x, struct DLManagedTensorVersioned **out,
                                         pliant_site site) {
  return giving(out, site, [&] { return toDlpackVersioned(tensorOf(x, site), siteOf(site)); });
}
pliant_status pliant_from_dlpack_versioned(struct DLManagedTensorVersioned *taken, bool share, pliant_tensor **out,
                                           pliant_site site) {
  return takeOver(taken, share, out, site);
}
void pliant_dlpack_versioned_release(struct DLManagedTensorVersioned *taken) { releaseDlpack(taken); }
}
