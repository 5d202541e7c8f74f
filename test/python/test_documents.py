# SPDX-License-Identifier: Apache-2.0
"""The Python of README.md and docs/python.md runs."""
import ast
import contextlib
import io
import re
import unittest
from pathlib import Path

import pliant

ROOT = Path(__file__).resolve().parents[2]


def blocks(name):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.M | re.S)


class Documents(unittest.TestCase):
    def printed(self, name, old="", new=""):
        (code,) = blocks(name)
        code = code.replace(old, new) if old else code
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, name, "exec"), {"__name__": "document"})  # noqa: S102
        return out.getvalue().split("\n")

    def test_readme(self):
        lines = self.printed("README.md")
        self.assertEqual([line.split()[0] for line in lines[:3]], ["64", "65", "200"])
        for line in lines[:3]:
            _, mean, largest = line.split()
            self.assertEqual(largest, "100.0")
            self.assertTrue(0.5 < float(mean) < 10, line)
        made = lambda: pliant.counters()["compiles"] + pliant.counters()["loads"]  # noqa: E731
        before = made()
        self.printed("README.md", "(64, 65, 200)", "(63, 80)")
        self.assertEqual(made(), before)  # other sizes, no more programs

    def test_python(self):
        # x is 0 to 11 in rows; y is every second column halved plus the mean of the row: row 0 has 1.5 and 2.5.
        self.assertEqual(self.printed("docs/python.md")[0], "(3, 2) float32 4.0".replace("float32", "f32"))

    def test_stubs_are_true(self):
        stub = ast.parse((Path(pliant.__file__).parent / "__init__.pyi").read_text())
        functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        self.assertGreater(len(functions), 150)
        self.assertEqual([name for name in functions if not callable(getattr(pliant, name, None))], [])
        self.assertEqual(set(pliant._pliant.FUNCTIONS) - functions, set())
        (tensor,) = [node for node in stub.body if isinstance(node, ast.ClassDef) and node.name == "Tensor"]
        methods = {node.name for node in tensor.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual([name for name in methods if not hasattr(pliant.Tensor, name)], [])

    def test_every_documented_name_is_there(self):
        text = (ROOT / "docs/python.md").read_text()
        for name in set(re.findall(r"`pl\.(\w+)", text)) - {"random"}:
            self.assertTrue(hasattr(pliant, name), name)


if __name__ == "__main__":
    unittest.main()
