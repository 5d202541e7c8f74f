# SPDX-License-Identifier: Apache-2.0
"""The same-name law and the completeness of op folders.

One name per thing: an op's mnemonic is its folder, or a record of that folder's contract that says so; every file in
the folder starts with the folder's name and ends in a suffix that names its layer; a pass is called like its file.
"""

import re
from pathlib import PurePath

SUFFIXES = ("td", "shape.cpp", "ref.cpp", "decompose.cpp", "ir.cpp", "emit.cpp", "grad.cpp", "onnx.cpp", "test.cpp",
            "test.mlir")
PATTERNS = "Pointwise|Map|Reduce|Contraction|Kernel|Composite|Host|Source"


def op_folders(tree):
    """folder -> its file names, for every folder below src/ops."""
    folders = {}
    for file in tree.files:
        parts = PurePath(file).parts
        if parts[:2] == ("src", "ops") and len(parts) == 4:
            folders.setdefault(parts[2], set()).add(parts[3])
    return folders


def records(text):
    """(kind, name, base, mnemonic, body) of each class and def of a contract; mnemonic is empty for classes."""
    text = re.sub(r"//[^\n]*", "", text)
    found = re.split(r"^(?=(?:class|def)\s)", text, flags=re.M)
    for body in found:
        if match := re.match(r'(class|def)\s+(\w+)[^:{]*:\s*(\w+)<\s*"?(\w*)', body):
            kind, name, base, first = match.groups()
            yield kind, name, base, first if kind == "def" else "", body


def op_names(folder, file, text):
    """Findings of one contract, and the mnemonics that it defines."""
    placed = f'let folder = "{folder}"'
    families = {name for kind, name, _, _, body in records(text) if kind == "class" and placed in body}
    found, names = [], []
    for kind, name, base, mnemonic, body in records(text):
        if kind != "def" or not base.startswith("Pliant_"):
            continue
        names.append(mnemonic)
        if mnemonic != folder and base not in families and placed not in body:
            found.append(f"{file}: op '{mnemonic}' must say {placed} (or live in src/ops/{mnemonic})")
        want = "Pliant_" + "".join(part.capitalize() for part in mnemonic.split("_")) + "Op"
        if name != want:
            found.append(f"{file}: op '{mnemonic}' is defined as {name} instead of {want}")
    for other in set(re.findall(r'let folder = "(\w+)"', text)) - {folder}:
        found.append(f"{file}: names the folder '{other}' but lies in '{folder}'")
    return found, names


def names(tree):
    seen = {}
    for folder, files in op_folders(tree).items():
        for file in sorted(files):
            stem, _, suffix = file.partition(".")
            if stem != folder and not stem.startswith(folder + "_") or suffix not in SUFFIXES + ("h",):
                yield f"src/ops/{folder}/{file}: files here are called {folder}[_noun].({'|'.join(SUFFIXES)}|h)"
        contract = f"src/ops/{folder}/{folder}.td"
        if contract in tree.texts:
            found, mnemonics = op_names(folder, contract, tree.text(contract))
            yield from found
            for mnemonic in mnemonics:
                if seen.setdefault(mnemonic, contract) != contract:
                    yield f"{contract}: op '{mnemonic}' is already defined in {seen[mnemonic]}"
    yield from pass_names(tree)


def pass_names(tree):
    """A pass `fuse-groups` is src/passes/fuse_groups.cpp, and the other way round."""
    sources = {f for f in tree.texts if re.fullmatch(r"src/passes/\w+\.cpp", f)} - {"src/passes/pipeline.cpp"}
    called = {}
    for file in sources:
        match = re.search(r'getArgument\(\)[^"]*"(?:pliant-)?([\w-]+)"', tree.text(file))
        if match:
            called[file] = match[1]
    if "src/passes/passes.td" in tree.texts:
        for name in re.findall(r'Pass<"(?:pliant-)?([\w-]+)"', tree.text("src/passes/passes.td")):
            called.setdefault(f"src/passes/{name.replace('-', '_')}.cpp", name)
    for file, name in sorted(called.items()):
        if file not in tree.texts:
            yield f"src/passes/passes.td: pass '{name}' has no {file}"
        elif PurePath(file).stem != name.replace("-", "_"):
            yield f"{file}: holds the pass '{name}': the names must agree"


def ops(tree):
    """Every op folder has what its patterns owe."""
    lists = [tree.text(f) for f in ("src/CMakeLists.txt", "src/ops/CMakeLists.txt") if f in tree.texts]
    listed = set(re.findall(r"\w+", " ".join(re.findall(r"pliant_ops\(([^)]*)\)", "\n".join(lists)))))
    for folder, files in op_folders(tree).items():
        contract = f"src/ops/{folder}/{folder}.td"
        if contract not in tree.texts:
            yield f"{contract} is missing (every op needs its contract)"
            continue
        text = tree.text(contract)
        kinds = set(re.findall(rf'"({PATTERNS})"', text))
        computed = kinds - {"Composite", "Host", "Source"}
        owed = set()
        if kinds - {"Composite"}:
            owed.add("shape.cpp")
        if computed:
            owed.add("ref.cpp")
        if "Composite" in kinds:
            owed.add("decompose.cpp")
        if computed & {"Pointwise", "Reduce", "Kernel"} and not {"let emitted = 0", "let hosted = 1"} & set(re.findall(r"let \w+ = \d", text)):
            owed.add("emit.cpp")
        owed.add("test.mlir")
        for suffix in sorted(owed):
            if f"{folder}.{suffix}" not in files:
                yield f"src/ops/{folder}/{folder}.{suffix} is missing"
        if listed and folder not in listed:
            yield f"src/ops/{folder} is not in the list of pliant_ops()"
