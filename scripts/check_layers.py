# SPDX-License-Identifier: Apache-2.0
"""The include law: which files may include what. ARCHITECTURE.md explains it; this table is what holds.

A row is (files, ours, outside): the first row whose pattern matches a file applies. `ours` are prefixes of includes
below src (or of public headers), `outside` are groups of other libraries. The standard library and the system are
free for all.
"""

import re
from fnmatch import fnmatchcase

OUTSIDE = {  # group -> prefixes of includes; the first group that matches counts
    "ir": ("mlir/IR/", "mlir/Interfaces/", "mlir/Support/", "mlir/Bytecode/", "mlir/Parser/", "mlir/AsmParser/",
           "mlir/Dialect/Func/", "llvm/ADT/", "llvm/Support/"),
    "kernel": tuple(f"mlir/Dialect/{d}/" for d in ("Arith", "Math", "Index", "SCF", "ControlFlow", "Vector", "MemRef",
                                                   "Utils")),
    "passes": ("mlir/Pass/", "mlir/Transforms/", "mlir/Rewrite/", "mlir/Analysis/"),
    "llvm": ("mlir/", "llvm/", "lld/"),
    "onnx": ("<onnx/", "google/protobuf/"),
    "image": ("png.h", "jpeglib.h", "zlib.h"),
    "font": ("ft2build.h",),
    "test": ("gtest/", "gmock/"),
}
ALL = tuple(OUTSIDE)
MLIR = ("ir", "kernel", "passes", "llvm")

# The layers, lowest first. A front end that works without a compiler sees only these:
CORE = ("support/", "pliant/dtype.h", "shape/", "runtime/dense_tensor.h", "runtime/strings.h", "ops/")

LAW = [
    # files                    ours                                                     outside
    ("*.test.cpp",             ("",),                                                   ALL),
    ("*.test.h",               ("",),                                                   ALL),
    ("*/testing.h",            ("",),                                                   ALL),
    ("*_testing.h",            ("",),                                                   ALL),
    ("test/*",                 ("",),                                                   ALL),
    ("bench/*",                ("",),                                                   ALL),
    ("include/pliant-c/*",     ("pliant-c/",),                                          ()),
    ("include/pliant/*",       ("pliant/",),                                            ()),
    ("src/support/*",          ("support/",),                                           ()),
    ("src/shape/*",            ("support/", "pliant/dtype.h", "shape/"),                                  ()),
    ("src/runtime/*",          ("support/", "pliant/dtype.h", "runtime/"),                                ()),
    # One op, one folder; the suffix says which layer a file belongs to.
    ("src/ops/*.ir.cpp",       CORE + ("ir/",),                                         ("ir",)),
    # Emitters may use the vocabulary of code generation, not its kernels, flow or images.
    ("src/ops/*.emit.cpp",     CORE + ("group/", "codegen/emit", "codegen/number.h", "codegen/integer.h",
                                       "codegen/contraction/contraction.h",
                                       "codegen/math.h", "codegen/memory.h", "codegen/lines.h"), ("ir", "kernel")),
    ("src/ops/resize/resize_samples.h", CORE + ("codegen/number.h",),                   ("ir", "kernel")),
    ("src/ops/*.onnx.cpp",     CORE + ("onnx/node.h", "onnx/rows.h"),                   ()),
    ("src/ops/onnx_*.h",       CORE + ("onnx/node.h",),                                 ()),
    ("src/ops/*",              CORE,                                                    ()),
    ("src/ir/*",               CORE + ("group/group.h", "ir/"),                         ("ir",)),
    ("src/trace/*",            CORE + ("pliant/site.h", "runtime/", "trace/"),          ()),
    # Where payloads lie in a file is known without the protobuf library: a cached program needs it.
    ("src/onnx/blob.*",        ("support/", "runtime/", "onnx/blob.h", "onnx/file_wire.h"), ()),
    ("src/onnx/file_map.*",    ("support/", "runtime/file_pages.h", "onnx/blob.h", "onnx/file_map.h"), ()),
    ("src/onnx/file_wire.*",   ("support/", "onnx/blob.h", "onnx/file_wire.h"),         ()),
    ("src/onnx/*",             CORE + ("ir/", "plan/program.h", "onnx/"),               ("ir", "onnx")),
    # Between fusion and code generation groups travel as plain data.
    ("src/group/*",            CORE + ("group/",),                                      ()),
    ("src/executable/*",       CORE + ("runtime/", "group/", "plan/program.h", "executable/"), ()),
    ("src/plan/program.*",     CORE + ("runtime/pack.h", "group/", "plan/program.h"),   ()),
    ("src/plan/place.cpp",     CORE + ("plan/program.h",),                              ()),
    ("src/plan/*",             CORE + ("ir/", "group/", "plan/"),                       ("ir",)),
    ("src/passes/*",           CORE + ("ir/", "group/", "plan/", "passes/"),            ("ir", "passes")),
    # Code generation starts where no op of ours is left but inside groups: it never sees the dialect.
    ("src/codegen/*",          CORE + ("runtime/", "group/", "plan/program.h", "codegen/"), MLIR),
    ("src/cache/*",            CORE + ("runtime/", "cache/"),                           ()),
    # A hit is served by the library without a compiler.
    *((f"src/driver/{file}",   CORE + ("runtime/", "plan/program.h", "trace/trace.h", "onnx/blob.h",
                                       "onnx/file_map.h", "onnx/file_wire.h", "cache/", "driver/compile.h", "driver/program_cache.h"), ())
      for file in ("compile.h", "program_cache.*")),
    ("src/driver/*",           CORE + ("runtime/", "ir/", "onnx/", "trace/trace.h", "group/", "plan/",
                                       "passes/", "codegen/", "cache/", "executable/", "driver/"),             MLIR),
    ("src/api/*",              CORE + ("pliant/", "pliant-c/", "runtime/", "trace/", "plan/program.h", "executable/",
                                       "driver/", "cache/", "api/"),                    ()),
    # The command reads pictures and tensors from files.
    ("tools/*",                ("pliant/", "pliant-c/", "support/", "shape/", "runtime/", "ops/op.h", "ops/dispatch.h",
                                "plan/program.h", "executable/", "driver/", "api/"),    ("onnx", "image")),
    # Examples use what the command uses, until public headers are there.
    ("examples/*",             ("pliant/", "pliant-c/", "support/", "shape/", "runtime/", "plan/program.h",
                                "executable/", "driver/", "api/"),                      ("image", "font")),
    ("bindings/*",             ("pliant/", "pliant-c/"),                                ()),
]

LAYERS = ("support", "shape", "runtime", "cache", "ops", "ir", "trace", "onnx", "group", "plan", "passes", "codegen",
          "executable", "driver", "api", "pliant", "pliant-c")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def law(file):
    return next((row for row in LAW if fnmatchcase(file, row[0])), None)


def group(spelled):
    """The group of an include of another library, or nothing for standard and system headers."""
    for name, prefixes in OUTSIDE.items():
        if any(spelled.startswith(p) if p[0] == "<" else spelled[1:].startswith(p) for p in prefixes):
            return name
    return None


def judge(file, quote, name, files):
    """What is wrong with one include, or nothing."""
    row = law(file)
    if row is None:
        return "this folder has no row in the include law (scripts/check_layers.py)"
    is_ours = name.split("/")[0] in LAYERS and (quote == '"' or name.startswith("pliant"))
    if is_ours:
        if not name.startswith(row[1]):
            return f"may not include \"{name}\"; allowed: {' '.join(row[1])}"
        # What the build generates is not in the tree.
        generated = name.endswith(".inc") or name in ("ops/attrs.h", "pliant/ops.h")
        if not generated and not {f"src/{name}", f"include/{name}", f"tools/{name}"} & files:
            return f"includes \"{name}\", which does not exist"
        return None
    kind = group(quote + name)
    if kind and kind not in row[2]:
        return f"may not include {name} (group '{kind}'); allowed groups: {' '.join(row[2]) or 'none'}"
    return None


def check(tree):
    files = set(tree.files)
    for file in tree.texts:
        if not file.endswith((".cpp", ".h", ".c")) or "/" not in file:
            continue
        for number, line in enumerate(tree.text(file).split("\n"), 1):
            if match := INCLUDE.match(line):
                if found := judge(file, match[1], match[2], files):
                    yield f"{file}:{number}: {found}"
