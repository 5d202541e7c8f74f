# SPDX-License-Identifier: Apache-2.0
"""Runs the command on tiny models: outputs, exit codes, error texts, JSON. Usage: cli_test.py PLIANT MODEL-WRITER"""

import json
import os
import struct
import subprocess
import unittest

from command import PLIANT, main, model, npy, path, png, read_npy, run


class Good(unittest.TestCase):
    def test_run_on_a_file(self):
        x = npy("x.npy", "f4", [2, 3], [1, 2, 3, 4, 5, 6])
        run("run", path("add.onnx"), "--input", f"x={x}", "--output", f"y={path('y.npy')}")
        self.assertEqual(read_npy("y.npy"), ((2, 3), [2, 8, 18, 8, 20, 36]))
        run("run", path("add.onnx"), "--input", x, "--output", path("out"))
        self.assertEqual(read_npy("out/y.npy")[0], (2, 3))

    def test_one_compile_for_all_shapes(self):
        text = run("run", path("add.onnx"), "--random", "1", "--shapes", "0..2", "--json", "--verify").stdout
        page = json.loads(text)
        self.assertEqual((page["compiles"], page["loads"]), (1, 0))
        self.assertGreaterEqual(page["load_ms"], page["weights_ms"])
        self.assertEqual([r["symbols"] for r in page["runs"]], [{"batch": b} for b in (0, 1, 2)])
        self.assertEqual([r["outputs"][0]["shape"] for r in page["runs"]], [[0, 3], [1, 3], [2, 3]])

    def test_symbols_by_name_and_rename(self):
        page = json.loads(run("run", path("product.onnx"), "--random", "1", "--rename", "batch=B", "--shapes",
                              "width=5,B=2", "--json").stdout)
        self.assertEqual(page["runs"][0]["outputs"][0]["shape"], [2, 4])

    def test_the_same_seed_gives_the_same_values(self):
        outputs = [json.loads(run("run", path("product.onnx"), "--random", seed, "--shapes", "3,7", "--json").stdout)
                   ["runs"][0]["outputs"] for seed in ("1", "1", "2")]
        self.assertEqual(outputs[0], outputs[1])
        self.assertNotEqual(outputs[0], outputs[2])

    def test_random_indices_lie_below_what_they_index(self):
        run("run", path("gather.onnx"), "--random", "3", "--shapes", "1000", "--output", path("rows"))
        shape, values = read_npy("rows/y.npy")
        self.assertEqual(shape, (1000, 2))
        self.assertEqual(set(values), set(range(10)))

    def test_a_picture(self):
        image = png("p.png", 5, 4, (10, 20, 30))
        run("run", path("picture.onnx"), "--input", image, "--mean", "10", "--scale", "1/10", "--output", path("mean"))
        shape, values = read_npy("mean/y.npy")
        self.assertEqual(shape, (1, 3, 1, 1))
        for got, want in zip(values, (0, 1, 2)):
            self.assertAlmostEqual(got, want, places=5)

    def test_the_disk_cache(self):
        env = {"PLIANT_CACHE_DIR": path("cache"), "PLIANT_CACHE_LIMIT": ""}
        for command, options, cached in (("run", (), False), ("run", (), True), ("run", ("--no-cache",), False),
                                         ("bench", ("--quick",), False), ("bench", ("--quick",), True)):
            page = json.loads(run(command, path("product.onnx"), "--shapes", "3,7", "--json", *options,
                                  *(("--random", "1") if command == "run" else ()), env=env).stdout)
            self.assertEqual((page["compiles"], page["loads"], page["cached"]), (1, int(cached), cached),
                             (command, options))
            if command == "bench":
                self.assertEqual(page["codegen_runs"], 0)  # the kernels are those of run
                self.assertEqual(page["shapes"][0]["kernels"], 1)
        fresh, kept = (run("explain", path("product.onnx"), env=env).stdout.split("\n", 1) for _ in range(2))
        self.assertEqual(fresh[1], kept[1])
        self.assertIn("from the cache", kept[0])
        unreadable = {**env, "PLIANT_COMPILER": path("nothing.so")}
        run("run", path("product.onnx"), "--random", "1", "--shapes", "3,7", env=unreadable, code=2)

    def test_states_are_appended_in_place(self):
        x, past = npy("row.npy", "f4", [2, 1, 4], range(8)), npy("past.npy", "f4", [2, 2, 4], range(100, 116))
        words = ["run", path("append.onnx"), "--input", f"x={x}", "--input", f"past={past}", "--loop", "present=past",
                 "--steps", "30", "--json", "--output", f"present={path('present.npy')}"]
        for verify in ([], ["--verify"]):
            entry = json.loads(run(*words, *verify).stdout)["runs"][0]
            rows = [[*range(100 + 8 * b, 108 + 8 * b), *30 * [*range(4 * b, 4 * b + 4)]] for b in (0, 1)]
            self.assertEqual(read_npy("present.npy"), ((2, 32, 4), rows[0] + rows[1]))
            self.assertEqual([value["shape"] for value in entry["inputs"]], [[2, 1, 4], [2, 31, 4]])
            self.assertEqual(entry["outputs"][1]["max"], 115)
            self.assertGreater(entry["past_copied_bytes"], 0)
            self.assertLess(entry["past_copied_bytes"], 3 * 2 * 32 * 4 * 4, "of 31 pasts")
        page = json.loads(run("explain", path("append.onnx"), "--json").stdout)
        self.assertEqual(page["states"], [{"output": "present", "input": "past", "axis": 1}])
        done = run("run", path("append.onnx"), "--random", "1", "--loop", "present=past", "--loop", "top=past", code=2)
        self.assertIn("--loop feeds input 'past' twice", done.stderr)

    def test_check(self):
        page = json.loads(run("check", path("product.onnx"), "--json").stdout)
        self.assertEqual([s["name"] for s in page["symbols"]], ["batch", "width"])
        self.assertEqual(page["outputs"], [{"name": "y", "type": "f32", "shape": ["batch", 4]}])
        self.assertIn("a: f32(batch, width)", run("check", path("product.onnx")).stdout)
        self.assertEqual(json.loads(run("check", path("either.onnx"), "--json").stdout)["outputs"],
                         [{"name": "y", "type": "f32 of any rank"}, {"name": "s", "type": "sequence of f32(N)"}])
        self.assertIn("y: f32 of any rank\n  s: sequence of f32(N)", run("check", path("either.onnx")).stdout)

    def test_run_an_output_of_either_rank(self):
        ranks = set()
        for seed in range(8):
            page = json.loads(run("run", path("either.onnx"), "--random", str(seed), "--shapes", "N=3", "--json").stdout)
            vector, sequence = page["runs"][0]["outputs"]
            self.assertEqual((vector["type"], len(sequence["items"])), ("f32", 2))
            self.assertIn(vector["shape"], ([3], []))
            ranks.add(len(vector["shape"]))
        self.assertEqual(ranks, {0, 1})

    def test_explain(self):
        page = json.loads(run("explain", path("add.onnx"), "--json").stdout)
        self.assertEqual(page["launches"], 1)
        self.assertEqual(page["fallbacks"], 0)
        self.assertEqual(page["groups"][0]["ops"].count("add"), 1)
        self.assertEqual(page["inputs"][0]["checks"], ["axis 1 is 3"])
        for key in ("broadcast_versions", "entry_checks_per_input", "arena_buffers", "buffers", "checks"):
            self.assertIn(key, page)
        self.assertIn("checks at entry", run("explain", path("add.onnx")).stdout)

    def test_explain_says_why_groups_are_apart(self):
        page = json.loads(run("explain", path("apart.onnx"), "--json").stdout)
        rules = {rule["rule"]: rule for rule in page["unfused"]}
        self.assertEqual({name: rule["count"] for name, rule in rules.items()}, {"contraction": 1, "kernel": 1})
        edge = rules["contraction"]["edges"][0]
        self.assertEqual((edge["producer"], edge["producer_node"], edge["consumer"], edge["consumer_node"]),
                         ("exp", "make_e", "matmul", "make_p"))
        self.assertIn("from memory", edge["why"])
        self.assertIn("loops of its own", rules["kernel"]["edges"][0]["why"])
        self.assertEqual(page["whole"], [])
        text = run("explain", path("apart.onnx")).stdout
        self.assertIn("exp (make_e) -> matmul (make_p)", text)
        self.assertIn("composites kept whole: none", text)

    def test_facts(self):
        facts = ("--assume", "batch <= 8", "--assume", "2 divides width")
        page = json.loads(run("check", path("product.onnx"), *facts, "--json").stdout)
        self.assertEqual(page["facts"], [{"fact": "batch <= 8", "source": "user"},
                                         {"fact": "2 divides width", "source": "user"}])
        self.assertIn("batch <= 8  (user)", run("check", path("product.onnx"), *facts).stdout)
        run("run", path("product.onnx"), *facts, "--random", "1", "--shapes", "8,4", "--verify")
        # Equal extents have one name, so nothing is left to decide.
        page = json.loads(run("explain", path("sum.onnx"), "--assume", "m == n", "--json").stdout)
        self.assertEqual((page["broadcast_versions"], page["checks"]), (0, []))
        self.assertEqual(json.loads(run("explain", path("sum.onnx"), "--json").stdout)["broadcast_versions"], 1)

    def test_text_is_a_program(self):
        text = run("compile", path("product.onnx"), "--assume", "batch <= 8", "--stop-after", "fuse").stdout
        with open(path("product.mlir"), "w") as file:
            file.write(text)
        self.assertEqual(run("compile", path("product.mlir"), "--stop-after", "import").stdout, text)
        runs = [json.loads(run("run", path(file), *more, "--random", "1", "--shapes", "3,5", "--json").stdout)["runs"][0]
                ["outputs"] for file, more in (("product.onnx", ()), ("product.mlir", ()))]
        self.assertEqual(runs[0], runs[1])

    def test_bench(self):
        page = json.loads(run("bench", path("product.onnx"), "--shapes", "1,2;3,4", "--quick", "--json").stdout)
        for key in ("codegen_runs", "compile_ms", "load_ms", "cached", "fallbacks", "weights_ms"):
            self.assertIn(key, page)
        self.assertEqual((page["compiles"], page["loads"]), (1, 0))
        self.assertEqual(len(page["shapes"]), 2)
        for key in ("first_ms", "p50_ms", "host_us", "kernels", "arena_bytes", "live_bytes", "noise"):
            self.assertIn(key, page["shapes"][0])

    def test_target(self):
        self.assertIn("cpu", json.loads(run("target", "--json").stdout))
        self.assertIn("vectors", run("target", "--target", "x86-64").stdout)

    def test_stages(self):
        self.assertIn("pliant.add", run("compile", path("add.onnx"), "--stop-after", "import").stdout)
        text = run("compile", path("add.onnx"), "--print-after", "import,fuse").stdout
        self.assertIn("// after fuse", text)
        with open(path("add.mlir"), "w") as file:
            file.write(run("compile", path("add.onnx"), "--stop-after", "import").stdout)
        run("compile", path("add.mlir"), "--stop-after", "fuse")

    def test_help(self):
        for command in ("run", "bench", "check", "explain", "view", "target", "compile"):
            self.assertIn(f"usage: pliant {command}", run("help", command).stdout)
            self.assertEqual(run(command, "--help").stdout, run("help", command).stdout)


class Trace(unittest.TestCase):
    def timeline(self, *words):
        run("run", *words, "--trace", path("t.json"))
        with open(path("t.json")) as file:
            return json.load(file)["traceEvents"]

    def rows(self, events):
        names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
        return {name: sorted((e for e in events if e["ph"] == "X" and e["tid"] == tid), key=lambda e: e["ts"])
                for tid, name in names.items()}

    def test_every_launch_and_run(self):
        rows = self.rows(self.timeline(path("layers.onnx"), "--random", "1", "--shapes", "3;70", "--verify"))
        explained = json.loads(run("explain", path("layers.onnx"), "--json").stdout)
        self.assertEqual(len(rows["kernels"]), 2 * explained["launches"])
        runs = [e for e in rows["command"] if e["name"] == "run"]
        self.assertEqual([r["args"]["shapes"] for r in runs], ["rows=3", "rows=70"])
        for name in ("compile", "load"):
            self.assertTrue([e for e in rows["command"] if e["name"].startswith(name)])
        for row in ("kernels", "host flow"):  # one after the other, inside a run
            for a, b in zip(rows[row], rows[row][1:]):
                self.assertLessEqual(a["ts"] + a["dur"], b["ts"] + 0.01)
            for e in rows[row]:
                self.assertTrue(any(r["ts"] - 0.01 <= e["ts"] and e["ts"] + e["dur"] <= r["ts"] + r["dur"] + 0.01
                                    for r in runs), e)
        first = rows["kernels"][0]
        self.assertEqual(first["args"]["node"], "layer.0/product")
        self.assertIn("layer.0/product", first["args"]["kernel_nodes"])
        self.assertEqual(first["args"]["bytes_in"], 4 * (3 * 16 + 16 * 16))
        self.assertEqual(first["args"]["bytes_out"], 4 * 3 * 16)
        self.assertEqual(first["args"]["tensors"], "f32(3, 16), f32(16, 16) -> f32(3, 16)")

    def test_parts_of_threads_lie_in_their_kernel(self):
        rows = self.rows(self.timeline(path("layers.onnx"), "--random", "1", "--shapes", "100000", "--threads", "2"))
        self.assertTrue({"part 0", "part 1"} <= set(rows))
        self.assertNotIn("part 2", rows)
        self.assertEqual([e["name"] for e in rows["part 0"]], [e["name"] for e in rows["part 1"]])
        for part in rows["part 0"] + rows["part 1"]:
            self.assertTrue(any(k["name"] == part["name"] and k["ts"] <= part["ts"] + 0.01 and
                                part["ts"] + part["dur"] <= k["ts"] + k["dur"] + 0.01 for k in rows["kernels"]), part)
        alone = self.rows(self.timeline(path("layers.onnx"), "--random", "1", "--shapes", "100000", "--threads", "1"))
        self.assertEqual(set(alone), {"command", "kernels", "host flow"})

    def test_a_run_that_fails_leaves_its_timeline(self):
        ids = npy("ids.npy", "i8", [3], [0, 5, 1])
        run("run", path("gather.onnx"), "--input", f"ids={ids}", "--trace", path("f.json"), code=2)
        with open(path("f.json")) as file:
            self.assertTrue([e for e in json.load(file)["traceEvents"] if e["name"] == "run"])


class Repro(unittest.TestCase):
    def info(self, folder):
        with open(os.path.join(path(folder), "info.json")) as file:
            return json.load(file)

    def test_asked_for(self):
        first = run("run", path("layers.onnx"), "--random", "7", "--shapes", "3;5", "--target", "x86-64", "--verify",
                    "--save-repro", path("bundle"))
        info = self.info("bundle")
        self.assertEqual(info["outcome"], "no error")
        self.assertEqual(info["shapes"], ["rows=3", "rows=5"])
        self.assertEqual(info["inputs"][0], {"name": "x", "type": "f32(rows, 16)"})
        self.assertEqual(info["target"]["name"], "x86-64")
        self.assertIn("version", info)
        stages = sorted(os.listdir(path("bundle/stages")))
        listed = [line.split()[0] for line in run("compile", path("layers.onnx"), "--stages").stdout.splitlines()]
        self.assertEqual([s.split("_", 1)[1] for s in stages], [s + ".txt" for s in listed])
        with open(path("bundle/stages/" + stages[0])) as file:
            self.assertIn("pliant.matmul", file.read())
        # No weight's bytes: all of 0.125, 0.5 are gone, and only they.
        with open(path("layers.onnx"), "rb") as whole, open(path("bundle/model.onnx"), "rb") as cut:
            whole, cut = whole.read(), cut.read()
        self.assertIn(struct.pack("<f", 0.125) * 4, whole)
        self.assertNotIn(struct.pack("<f", 0.125) * 4, cut)
        self.assertLess(len(cut), len(whole))
        self.assertFalse(os.path.exists(path("bundle/weights.bin")))
        again = [run("run", "--repro", path("bundle"), "--json").stdout for _ in range(2)]
        pages = [json.loads(text) for text in again]
        self.assertEqual([r["symbols"] for r in pages[0]["runs"]], [{"rows": 3}, {"rows": 5}])
        self.assertEqual([r["verified"] for r in pages[0]["runs"]], [True, True])
        self.assertEqual(pages[0]["target"], "x86-64")
        self.assertEqual([r["outputs"] for r in pages[0]["runs"]], [r["outputs"] for r in pages[1]["runs"]])
        self.assertTrue(os.path.exists(path("bundle/weights.bin")))
        self.assertIn("rows=3", first.stdout)

    def test_inputs_from_files_leave_their_shapes(self):
        x = npy("x.npy", "f4", [2, 3], [1, 2, 3, 4, 5, 6])
        run("run", path("add.onnx"), "--input", f"x={x}", "--save-repro", path("shapes"))
        self.assertEqual(self.info("shapes")["shapes"], ["batch=2"])
        with open(path("shapes/arguments")) as file:
            self.assertNotIn("npy", file.read())
        page = json.loads(run("run", "--repro", path("shapes"), "--json").stdout)
        self.assertEqual(page["runs"][0]["outputs"][0]["shape"], [2, 3])

    def test_errors_are_kept(self):
        error = run("run", path("mismatch.onnx"), "--random", "1", "--save-repro", path("failed"), code=2).stderr
        self.assertIn(self.info("failed")["outcome"], error)
        self.assertEqual(os.listdir(path("failed/stages")), [])
        self.assertEqual(run("run", "--repro", path("failed"), code=2).stderr, error)

    def test_refused(self):
        os.makedirs(path("full/of"), exist_ok=True)
        for words, says in (((path("add.onnx"), "--save-repro", path("full")), "not empty"),
                            (("--repro", path("none")), "no bundle"),
                            ((path("add.onnx"), "--repro", path("full")), "too many")):
            self.assertIn(says, run("run", *words, code=2).stderr)


class Bad(unittest.TestCase):
    def refused(self, *words, says):
        error = run(*words, code=2).stderr
        self.assertTrue(error.startswith("error: "), error)
        for word in says:
            self.assertIn(word, error)

    def test_command_line(self):
        self.refused("rnu", says=["no command 'rnu'", "did you mean 'run'"])
        self.refused("run", path("add.onnx"), "--shapse", "1", says=["--shapse", "did you mean --shapes?"])
        self.refused("run", says=["no model is given"])
        self.refused("run", path("none.onnx"), says=["none.onnx"])
        self.refused("compile", path("add.onnx"), "--stop-after", "fuze", says=["did you mean 'fuse'?"])
        self.refused("target", "--target", "vax", says=["vax"])

    def test_files(self):
        with open(path("product.onnx"), "rb") as file:
            data = file.read()
        for length in range(0, len(data), 7):
            with open(path("cut.onnx"), "wb") as file:
                file.write(data[:length])
            done = subprocess.run([PLIANT, "check", path("cut.onnx")], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 2), f"cut at {length}: {done.stderr}")
        for at in range(0, len(data), 3):
            with open(path("bent.onnx"), "wb") as file:
                file.write(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1:])
            done = subprocess.run([PLIANT, "check", path("bent.onnx")], capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 2), f"bent at {at}: {done.stderr}")
        # What still reads as a model runs or is refused: weights, attributes and types are bent as well.
        for name, words in (("gather.onnx", ("--shapes", "3")), ("divide.onnx", ("--shapes", "3"))):
            with open(path(name), "rb") as file:
                data = file.read()
            for at in range(0, len(data), 9):
                with open(path("bent.onnx"), "wb") as file:
                    file.write(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:])
                done = subprocess.run([PLIANT, "run", path("bent.onnx"), "--random", "1", *words], capture_output=True,
                                      text=True, timeout=60)
                self.assertIn(done.returncode, (0, 2), f"{name} bent at {at}: {done.stderr}")

    def test_models(self):
        self.refused("run", path("cycle.onnx"), "--random", "1", says=["cycl"])
        self.refused("run", path("huge.onnx"), "--random", "1", says=["w"])
        self.refused("run", path("negative.onnx"), "--random", "1", says=["w", "-2"])
        self.refused("check", path("gaps.onnx"), says=["2 nodes", "'one' (Frobnicate)", "'two' (Twiddle)"])
        self.refused("check", path("mismatch.onnx"), says=["(batch, 4)", "(5, 2)", "the_product"])

    def test_inputs(self):
        x = npy("d.npy", "f8", [2, 3], [0] * 6)
        self.refused("run", path("add.onnx"), "--input", f"x={x}", says=["'x'", "f64", "f32"])
        x = npy("w.npy", "f4", [2, 4], [0] * 8)
        self.refused("run", path("add.onnx"), "--input", f"x={x}", says=["'x'", "(2, 4)", "(batch, 3)"])
        x = npy("r.npy", "f4", [3], [0] * 3)
        self.refused("run", path("add.onnx"), "--input", f"x={x}", says=["rank 2"])
        self.refused("run", path("add.onnx"), says=["input 'x'", "missing"])
        self.refused("run", path("add.onnx"), "--input", f"q={x}", says=["no input 'q'"])
        self.refused("run", path("add.onnx"), "--random", "1", says=["batch"])
        self.refused("run", path("add.onnx"), "--random", "1", "--shapes", "-1", says=["negative"])
        self.refused("run", path("add.onnx"), "--random", "1", "--shapes", "1,2", says=["1 symbol"])
        self.refused("run", path("add.onnx"), "--random", "1", "--shapes", str(1 << 60), says=["x"])
        self.refused("run", path("sum.onnx"), "--random", "1", "--shapes", "2,3", says=["(2)", "(3)", "the_sum"])

    def test_facts(self):
        model = path("product.onnx")
        self.refused("run", model, "--assume", "batch <= 8", "--random", "1", "--shapes", "9,4",
                     says=["batch <= 8 (user)"])
        self.refused("run", model, "--assume", "2 divides width", "--random", "1", "--shapes", "1,3",
                     says=["2 divides width"])
        self.refused("run", path("sum.onnx"), "--assume", "n == 2*m", "--input",
                     f"a={npy('n3.npy', 'f4', [3], [0] * 3)}", "--input", f"b={npy('m2.npy', 'f4', [2], [0] * 2)}",
                     says=["'a'", "3", "4"])
        self.refused("check", model, "--assume", "k <= 8", says=["'k'", "the symbols are: batch, width"])
        self.refused("check", model, "--assume", "batch ? 8", says=["'batch ? 8'", "facts are written"])
        self.refused("check", model, "--assume", "batch < 2", "--assume", "batch > 4", says=["contradicts"])

    def test_texts(self):
        def text(name, body):
            with open(path(name), "w") as file:
                file.write(body)
            return path(name)
        tensor = 'tensor<?xf32, #pliant.shape<"%s">>'
        main = "func.func @main(%%x: %s) -> %s {\n  %%0 = pliant.abs %%x : (%s) -> %s\n  return %%0 : %s\n}\n"

        def absolute(given, result):
            given, result = tensor % given, tensor % result
            return main % (given, result, given, result, result)
        self.refused("run", text("syntax.mlir", "func.func @main("), says=["syntax.mlir:1"])
        self.refused("run", text("other.mlir", absolute("n", "m")), says=["f32(m)", "f32(n)", "other.mlir:2"])
        self.refused("run", text("unbound.mlir", absolute("2*n", "2*n")), says=["'n'"])
        self.refused("run", text("empty.mlir", "func.func private @main()"), says=["@main"])
        self.refused("run", text("none.mlir", ""), says=["@main"])
        weight = ('func.func @main() -> tensor<2xf32> {\n  %0 = pliant.weight {index = 0 : i64, dtype = f32, shape = '
                  '#pliant.shape<"2">} : () -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n')
        self.refused("run", text("weight.mlir", weight), says=["weights", "--stop-after"])
        self.assertIn("weight 0", run("compile", path("weight.mlir"), "--stop-after", "plan").stdout)
        self.refused("compile", text("index.mlir", weight.replace("index = 0", "index = -1")), "--stop-after", "plan",
                     says=["weight -1"])

    def test_values(self):
        ids = npy("ids.npy", "i8", [3], [0, 5, 1])
        self.refused("run", path("gather.onnx"), "--input", f"ids={ids}", says=["index 5", "[-5, 5)", "lookup"])
        a, b = npy("a.npy", "i4", [2], [7, -2**31]), npy("b.npy", "i4", [2], [2, 0])
        self.refused("run", path("divide.onnx"), "--input", f"a={a}", "--input", f"b={b}", says=["division by zero"])
        a8, b8 = npy("a8.npy", "i8", [3], [7, -2**63, 0]), npy("b8.npy", "i8", [3], [-2, -1, 0])
        self.refused("run", path("remainder.onnx"), "--input", f"a={a8}", "--input", f"b={b8}",
                     says=["division by zero"])
        b8 = npy("b8.npy", "i8", [3], [-2, -1, 5])
        run("run", path("remainder.onnx"), "--input", f"a={a8}", "--input", f"b={b8}", "--output", path("rest"))
        self.assertEqual(read_npy("rest/y.npy"), ((3,), [-1, 0, 0]))
        ids = npy("ids.npy", "i8", [2, 2], [0, 1, -1, -4])
        self.refused("run", path("elements.onnx"), "--input", f"x={npy('e.npy', 'f4', [2, 3], range(6))}", "--input",
                     f"ids={ids}", says=["index -4", "[-3, 3)", "pick"])
        ids = npy("ids.npy", "i8", [2, 2], [0, 1, -1, -3])
        run("run", path("elements.onnx"), "--input", f"x={npy('e.npy', 'f4', [2, 3], range(6))}", "--input",
            f"ids={ids}", "--output", path("picked"))
        self.assertEqual(read_npy("picked/y.npy"), ((2, 2), [0, 1, 5, 3]))
        b = npy("b.npy", "i4", [2], [2, -1])
        run("run", path("divide.onnx"), "--input", f"a={a}", "--input", f"b={b}", "--output", path("div"))
        self.assertEqual(read_npy("div/y.npy"), ((2,), [3, -2**31]))


if __name__ == "__main__":
    main()
