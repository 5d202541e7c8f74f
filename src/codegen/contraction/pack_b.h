// SPDX-License-Identifier: Apache-2.0
// Where a panel of the second operand lies; unpacked ones are copied to scratch when the tile cannot read them in
// place.
#pragma once
#include "codegen/contraction/contraction.h"
#include "codegen/contraction/factors.h"

namespace pliant::codegen {

struct PanelSource {
  Value pointer;     ///< element (k = 0, first column), behind the column sums
  Value rowStride;   ///< elements between k and k + 1
  Value panelStride; ///< elements to the next panel
};

/// Panel `g` of the matrix `b`, of which `columnsLeft` columns remain; it will be read by `uses` row tiles.
PanelSource panelOf(FactorEmitter &factors, const GemmSpec &spec, const GemmOperands &o, Value b, Value g,
                    Value columnsLeft, Value uses);

} // namespace pliant::codegen
