# SPDX-License-Identifier: Apache-2.0
"""scripts/python: the package in a virtual environment, which needs the build folder no more."""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = os.environ["PLIANT_BUILD"]


class Install(unittest.TestCase):
    def test_into_a_virtual_environment(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PLIANT_"))}
        with tempfile.TemporaryDirectory() as folder:
            venv = Path(folder) / "venv"
            for _ in range(2):  # the second time over the first
                done = subprocess.run([ROOT / "scripts" / "python", "--built", BUILD, venv], capture_output=True, text=True,
                                      env=environment, cwd="/")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(f"pliant: 6 from {venv}/", done.stdout)
            compiled = subprocess.run(
                [venv / "bin" / "python", "-c",
                 "import pliant as pl\n"
                 "x = pl.arange(12, dtype='float32').reshape(3, 4)\n"
                 "print((x @ x.T).sum().item(), pl.counters()['compiles'], pl.__file__)\n"
                 "print({each.split()[-1] for each in open('/proc/self/maps') if 'libpliant' in each})"],
                capture_output=True, text=True, cwd=folder, env={**environment, "PLIANT_CACHE_LIMIT": "0"})
            self.assertEqual((compiled.stderr, compiled.returncode), ("", 0))
            first, libraries = compiled.stdout.splitlines()
            self.assertTrue(first.startswith(f"1134.0 1 {venv}/"), first)
            self.assertIn(str(venv), libraries)
            self.assertNotIn(BUILD, libraries)
            package = next(venv.glob("lib/python*/site-packages/pliant"))
            self.assertTrue((package / "py.typed").exists())
            self.assertIn("def softmax(", (package / "__init__.pyi").read_text())


if __name__ == "__main__":
    unittest.main()
