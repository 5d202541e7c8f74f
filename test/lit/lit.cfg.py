# SPDX-License-Identifier: Apache-2.0
"""lit over src: every `*.test.mlir` beside what it tests. CMake fills in the paths (lit.site.cfg.py)."""

import os

import lit.formats

config.name = "pliant"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir"]
config.test_source_root = config.pliant_source
config.test_exec_root = os.path.join(config.pliant_build, "test", "lit")
# No cache of a user makes a difference. `pliant` of this build; FileCheck, not and split-file of LLVM.
config.environment["PLIANT_CACHE_LIMIT"] = "0"
config.environment["PATH"] = os.pathsep.join([os.path.join(config.pliant_build, "bin"), config.llvm_tools,
                                              config.environment["PATH"]])
