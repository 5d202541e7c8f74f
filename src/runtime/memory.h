// SPDX-License-Identifier: Apache-2.0
// The process's account of tensor memory: tensors, arenas and packed weights are charged here, under one limit.
// The limit is PLIANT_MEMORY_LIMIT ("512M", "4G", bytes), else the memory of the machine or of its control group.
#pragma once
#include "support/result.h"
#include <cstddef>
#include <string_view>

namespace pliant {

/// Charges bytes to the account; an error that names `what` when the limit would be passed (nothing is charged then).
Status chargeMemory(size_t bytes, std::string_view what);
void releaseMemory(size_t bytes);
size_t liveMemory(); ///< bytes charged now
size_t peakMemory(); ///< most bytes charged at once since the last resetPeakMemory()
void resetPeakMemory();

Result<size_t> memoryLimit();
void setMemoryLimit(size_t bytes); ///< overrides the environment; 0 returns to it

/// Reads "4096", "512K", "300M", "4G", "1T" (powers of 1024).
Result<size_t> parseByteCount(std::string_view text);
std::string byteCountText(size_t bytes); ///< "3.2 GiB", "17 bytes"

} // namespace pliant
