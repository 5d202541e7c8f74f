// SPDX-License-Identifier: Apache-2.0
// All of Pliant's C++ surface.
#pragma once
#include "pliant/functions.h"
#include "pliant/model.h"
#include "pliant/observe.h"
#include "pliant/random.h"
#include "pliant/run.h"
