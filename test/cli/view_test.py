# SPDX-License-Identifier: Apache-2.0
"""What `pliant view` draws. Usage: view_test.py PLIANT MODEL-WRITER"""

import json
import unittest
import xml.etree.ElementTree

from command import main, model, path, run


class View(unittest.TestCase):
    """The picture is well-formed, complete, and nothing in it overlaps or leaves its box."""

    def picture(self, model, *words):
        page = json.loads(run("view", path(model), "--output", path("p.svg"), "--json", *words).stdout)
        root = xml.etree.ElementTree.parse(path("p.svg")).getroot()
        for element in root.iter():
            element.tag = element.tag.split("}")[1]
        return page, root

    @staticmethod
    def groups(root, name):
        return [g for g in root.iter("g") if g.get("class") == name]

    @staticmethod
    def box(rect):
        x, y, w, h = (float(rect.get(k, 0)) for k in ("x", "y", "width", "height"))
        return x, y, x + w, y + h

    def extent(self, text):
        classes = text.get("class").split()
        size = next(int(c[1:]) for c in classes if c[0] == "s" and c[1:].isdigit())
        width = 0.6 * size * len(text.text)  # monospaced fonts have this width, of others few characters are wider
        x, y = float(text.get("x")), float(text.get("y"))
        left = {"start": x, "middle": x - width / 2, "end": x - width}[text.get("text-anchor", "start")]
        return left, y - 0.8 * size, left + width, y + 0.2 * size

    def sound(self, root):
        width, height = float(root.get("width")), float(root.get("height"))
        self.assertLess(max(width, height), 20000)
        boxes = []
        for kind in ("card", "end", "gap", "value"):
            for group in self.groups(root, kind):
                outer = self.box(group.find("rect"))
                boxes.append(outer)
                for text in group.findall("text"):
                    inner = self.extent(text)
                    self.assertTrue(outer[0] <= inner[0] and inner[2] <= outer[2] and outer[1] <= inner[1] and
                                    inner[3] <= outer[3], f"'{text.text}' leaves its box: {inner} in {outer}")
        for i, a in enumerate(boxes):
            for b in boxes[:i]:
                self.assertTrue(a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1], f"{a} lies over {b}")
        for group in self.groups(root, "weights"):
            for text in group.findall("text"):
                note = self.extent(text)
                for a in boxes:
                    self.assertTrue(a[2] <= note[0] or note[2] <= a[0] or a[3] <= note[1] or note[3] <= a[1],
                                    f"'{text.text}' lies over {a}")
        for rect in root.iter("rect"):
            x, y, right, bottom = self.box(rect)
            self.assertTrue(0 <= x and 0 <= y and right <= width and bottom <= height)
        for text in root.iter("text"):
            self.assertTrue(0 <= self.extent(text)[0] and self.extent(text)[2] <= width, text.text)
        for panel in ("legend", "memory", "extents"):
            for group in self.groups(root, panel):
                right = self.box(group.find("rect"))[2]
                for text in group.findall("text"):
                    self.assertLessEqual(self.extent(text)[2], right, text.text)

    def cards(self, root):
        return [int(g.get("data-group")) for g in self.groups(root, "card") if g.get("data-group")]

    def badges(self, root):
        return [g.find("text").text for g in self.groups(root, "region")]

    def test_small(self):
        for model in ("add.onnx", "product.onnx", "sum.onnx", "gather.onnx", "picture.onnx", "fixed.onnx"):
            page, root = self.picture(model)
            self.sound(root)
            self.assertEqual(len(self.cards(root)), page["launches"])
        self.assertIn("axis 1 is 3", self.text(self.picture("add.onnx")[1]))

    def text(self, root):
        return "\n".join(t.text for t in root.iter("text"))

    def test_layers_are_folded(self):
        page, root = self.picture("layers.onnx", "--shapes", "7")
        self.sound(root)
        self.assertEqual(self.badges(root), ["x 4"])
        self.assertEqual(set(self.cards(root)), set(range(page["kernels"])))
        self.assertLess(len(self.cards(root)), page["launches"])
        self.assertEqual(len([p for p in root.iter("path") if p.get("class") == "again"]), 1)
        self.assertIn("rows=7", self.text(root))

    def test_branches_are_lanes(self):
        page, root = self.picture("branch.onnx")
        self.sound(root)
        self.assertEqual(self.badges(root), ["if"])
        self.assertEqual(len(self.cards(root)), page["launches"])
        for lane in ("then", "else"):
            self.assertIn(lane, self.text(root))

    def test_layers_of_bert(self):
        page, root = self.picture(model("bert_tiny.onnx"), "--shapes", "1,128")
        self.sound(root)
        self.assertEqual(self.badges(root), ["x 2"])
        self.assertEqual(set(self.cards(root)), set(range(page["kernels"])), "every kernel is shown")
        left, top, right, bottom = self.box(self.groups(root, "region")[0].find("rect"))
        titles = []  # of what the frame holds
        for card in self.groups(root, "card"):
            x, y, end, low = self.box(card.find("rect"))
            if left <= x and end <= right and top <= y and low <= bottom:
                titles.append(card.find("title").text)
        # A layer: four projections, two products of attention, softmax, two of the feed-forward part, two norms.
        self.assertEqual((len(titles), sum("matmul" in title for title in titles)), (11, 8))
        self.assertEqual(page["launches"], len(self.cards(root)) + len(titles), "the second layer is the first's frame")
        for title in titles:
            self.assertIn("/layers.0/", title)

    def test_branches_of_silero(self):
        page, root = self.picture(model("silero_vad_v5.onnx"), "--shapes", "1,512,1")
        self.sound(root)
        self.assertEqual(self.badges(root), ["if"])
        self.assertEqual(len(self.cards(root)), page["launches"])
        lanes = [self.box(rect) for rect in root.iter("rect") if rect.get("class") == "lane"]
        self.assertEqual(len(lanes), 2)
        inside = [[], []]
        for card in self.groups(root, "card"):
            x, y, end, low = self.box(card.find("rect"))
            for lane, cards in zip(lanes, inside):
                if lane[0] <= x and end <= lane[2] and lane[1] <= y and low <= lane[3]:
                    cards.append([text.text for text in card.findall("text")])
        for own, cards in zip(("then", "else"), inside):
            self.assertIn(own, self.text(root))
            self.assertEqual(sum("lstm_steps" in texts for texts in cards), 1)
            for texts in cards:
                for text in texts:
                    self.assertTrue(not text.startswith("If_0_") or text.startswith(f"If_0_{own}_branch"), texts)
        # Only the test of the rate is outside.
        self.assertEqual(len(self.groups(root, "card")), len(inside[0]) + len(inside[1]) + 1)

    def test_loops_are_frames(self):
        page, root = self.picture("loop.onnx")
        self.sound(root)
        self.assertEqual(self.badges(root), ["loop"])
        self.assertEqual(len(self.cards(root)), page["launches"])
        self.assertGreaterEqual(len([p for p in root.iter("path") if p.get("class") == "again"]), 1)

    def test_hostile_names(self):
        page, root = self.picture("hostile.onnx")
        self.sound(root)
        self.assertEqual(len(self.cards(root)), page["launches"])
        self.assertIn("x<&\"'>", self.text(root))

    def test_memory(self):
        page, root = self.picture("layers.onnx", "--shapes", "1000")
        memory = self.groups(root, "memory")[0]
        buffers = [self.box(r) for r in memory.findall("rect") if r.get("class").startswith("buffer")]
        self.assertEqual(len(buffers), json.loads(run("explain", path("layers.onnx"), "--json").stdout)["arena_buffers"])
        for i, a in enumerate(buffers):  # places of the arena are never shared at one time (drawn to a tenth)
            for b in buffers[:i]:
                self.assertTrue(a[2] <= b[0] + .2 or b[2] <= a[0] + .2 or a[3] <= b[1] + .2 or b[3] <= a[1] + .2)
        peak = max(r["live_bytes"] for r in json.loads(run("bench", path("layers.onnx"), "--shapes", "1000", "--quick",
                                                           "--json").stdout)["shapes"])
        self.assertIn(f"Largest live set: {peak / 1024:.1f} KB", self.text(memory))

    def test_refused(self):
        self.assertIn("--output", run("view", path("add.onnx"), code=2).stderr)
        self.assertIn("too large", run("view", path("layers.onnx"), "--output", path("p.svg"), "--shapes", str(1 << 45),
                                       code=2).stderr)
        self.assertIn("one list", run("view", path("add.onnx"), "--output", path("p.svg"), "--shapes", "1..3",
                                      code=2).stderr)


if __name__ == "__main__":
    main()
