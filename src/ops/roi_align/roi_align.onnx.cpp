// SPDX-License-Identifier: Apache-2.0
// RoiAlign. Before opset 16 regions are not moved by half an element.
#include "ops/onnx_util.h"

namespace pliant::ops::roi_align {
using namespace onnx_import;

static Status importRoiAlign(NodeImport &n) {
  Value x = n.in(0), regions = n.in(1), batch = n.in(2);
  const std::string coordinates =
      n.strAttr("coordinate_transformation_mode", n.opset < 16 ? "output_half_pixel" : "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    return n.error("coordinate_transformation_mode is \"" + coordinates + "\"");
  n.out(n.b.roiAlign(x, regions, batch, n.intAttr("output_height", 1), n.intAttr("output_width", 1),
                     n.intAttr("sampling_ratio", 0), n.floatAttr("spatial_scale", 1), coordinates == "half_pixel",
                     n.strAttr("mode", "avg")));
  return n.b.status();
}

std::span<const Row> onnxRows() {
  static const Row rows[] = {{"RoiAlign", 10, importRoiAlign}};
  return rows;
}

} // namespace pliant::ops::roi_align
