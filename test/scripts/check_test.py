#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one violation of each rule of scripts/check into a small tree and expects it to be named."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "scripts" / "check"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
OP = SPDX + 'def Pliant_GoodOp : Pliant_Op<"good", "Pointwise"> {\n}\n'
CLEAN = {"src/support/result.h": SPDX, "src/ops/good/good.td": OP, "src/ops/good/good.test.mlir": "// RUN: x\n"}
CLEAN.update({f"src/ops/good/good.{s}.cpp": SPDX for s in ("shape", "ref", "emit")})

PLANTED = {  # rule and a part of its message -> the file that breaks it
    ("format", "not formatted"): ("src/support/a.cpp", SPDX + "int  f( );\n"),
    ("text", "not ASCII"): ("docs/a.md", "na\u00efve\n"),
    ("text", "blanks at the end"): ("docs/a.md", "a \n"),
    ("text", "a tab"): ("docs/a.md", "a\tb\n"),
    ("text", "exactly one newline"): ("docs/a.md", "a"),
    ("header", "SPDX"): ("src/support/a.cpp", "int x;\n"),
    ("size", "601 lines"): ("src/support/a.cpp", SPDX + "\n" * 600),
    ("hosts", "absolute path"): ("docs/a.md", "see /wo" + "rk/main\n"),
    ("hosts", "host 'evil.example'"): ("docs/a.md", "http" + "://evil.example/\n"),
    ("layers", 'may not include "passes/a.h"'): ("src/ir/a.h", SPDX + '#include "passes/a.h"\n'),
    ("layers", "(group 'ir')"): ("src/runtime/a.h", SPDX + '#include "mlir/IR/Builders.h"\n'),
    ("layers", "(group 'kernel')"): ("src/ops/good/good.ir.cpp", SPDX + '#include "mlir/Dialect/SCF/IR/SCF.h"\n'),
    ("layers", "(group 'onnx')"): ("src/codegen/a.h", SPDX + "#include <onnx/onnx_pb.h>\n"),
    ("layers", "does not exist"): ("src/shape/a.h", SPDX + '#include "shape/b.h"\n'),
    ("layers", "no row"): ("src/new/a.h", SPDX + '#include "support/result.h"\n'),
    ("names", "files here are called"): ("src/ops/good/helper.cpp", SPDX),
    ("names", "must say"): ("src/ops/good/good.td", OP.replace('"good"', '"bad"')),
    ("names", "instead of Pliant_GoodOp"): ("src/ops/good/good.td", OP.replace("GoodOp", "FineOp")),
    ("names", "already defined"): ("src/ops/twin/twin.td", OP.replace("> {", '> {\n  let folder = "twin";')),
    ("names", "names must agree"): ("src/passes/fold.cpp", SPDX + 'X getArgument() const { return "fuse-groups"; }\n'),
    ("ops", "contract"): ("src/ops/lone/lone.ref.cpp", SPDX),
    ("ops", "more.ref.cpp is missing"): ("src/ops/more/more.td", OP.replace("Good", "More").replace("good", "more")),
}


def findings(extra, rules):
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in {**CLEAN, **extra}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        subprocess.run(["git", "init", "-q", folder], check=True)
        run = subprocess.run([sys.executable, str(CHECK), "--root", folder, *rules], capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr


class CheckTest(unittest.TestCase):
    def test_clean_tree_passes(self):
        code, out = findings({}, [])
        self.assertEqual(code, 0, out)

    def test_every_planted_violation_is_named(self):
        for (rule, message), (file, text) in PLANTED.items():
            with self.subTest(rule=rule, message=message):
                code, out = findings({file: text}, [rule])
                self.assertEqual(code, 1, out)
                self.assertIn(message, out)
                self.assertIn(f"[{rule}]", out)


if __name__ == "__main__":
    unittest.main()
