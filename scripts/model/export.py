#!/usr/bin/env python3
"""Write crates/search/model/model.onnx: the graph that is there, with a student's weights in int8 and four bits.

The student is averaged with the weights it began from (one part in five), which costs nothing where it was trained and
keeps what it knew elsewhere. Matrices are rounded to int8 with one factor a column, tables with one a row, the table of
words to four bits (nibbles.py), as the file that was there before has them: sizes, names and places stay, so everything
that loads the model loads this one.

The floats are written beside it, for scripts/minilm_check.py.

Needs: pip install numpy onnx safetensors.
Usage: export.py TEMPLATE.onnx START.safetensors STUDENT.safetensors OUT.onnx [SHARE_OF_START]
Then: scripts/minilm_graph.py
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file

from names import bert_names
from nibbles import TABLE, pack, unpack


def main() -> None:
    template, start, student, out = (Path(argument) for argument in sys.argv[1:5])
    share = float(sys.argv[5]) if len(sys.argv) > 5 else 0.2
    before, after = load_file(start), load_file(student)
    weights = {}
    for ours, theirs in bert_names(6).items():
        weights[theirs] = share * before[theirs].astype(np.float32) + (1 - share) * after[ours].astype(np.float32)

    model = onnx.load(template)
    graph = model.graph
    initializers = {tensor.name: tensor for tensor in graph.initializer}
    readers: dict[str, list] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    written = set()
    for name, tensor in list(initializers.items()):
        known = name.removeprefix("inner.")
        if known in weights:
            put(tensor, weights[known], np.float32)
            written.add(known)
        elif name == TABLE + "_q":
            known = TABLE.removeprefix("inner.")
            packed, factors = pack(weights[known])
            put(tensor, packed, np.uint8)
            put(initializers[TABLE + "_scale"], factors, np.float32)
            written.add(known)
        elif name.endswith("_q"):
            base = name.removesuffix("_q")
            known = base.removeprefix("inner.")
            value = weights[known] if known in weights else weights[known := matrix(base, readers)].T
            scale = initializers[base + "_scale"]
            axis = 1 if scale.dims[-1] == 1 else 0
            factor = np.maximum(np.abs(value).max(axis, keepdims=True) / 127, 1e-12).astype(np.float32)
            put(scale, factor, np.float32)
            put(tensor, np.clip(np.rint(value / factor), -127, 127), np.int8)
            written.add(known)
    missing = set(weights) - written
    if missing:
        raise SystemExit(f"no place for {sorted(missing)}")
    data = model.SerializeToString(deterministic=True)
    out.write_bytes(data)
    save_file(weights, out.with_suffix(".safetensors"))
    print(len(data), hashlib.sha256(data).hexdigest())


def read(path: Path) -> dict[str, np.ndarray]:
    """The weights in such a file, as floats, under BERT's names."""
    graph = onnx.load(path).graph
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    readers: dict[str, list] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    weights = {}
    for name, value in arrays.items():
        if not name.endswith("_q"):
            weights[name.removeprefix("inner.")] = value
            continue
        base = name.removesuffix("_q")
        if base == TABLE:
            weights[TABLE.removeprefix("inner.")] = unpack(value, arrays[base + "_scale"])
            continue
        real = value.astype(np.float32) * arrays[base + "_scale"]
        known = base.removeprefix("inner.")
        if known in bert_names(6).values():
            weights[known] = real
        else:
            weights[matrix(base, readers)] = real.T
    return weights


def matrix(name: str, readers: dict[str, list]) -> str:
    """A matrix has no name of its own: it is known by the bias that is added to its product."""
    node = next(node for node in readers[name] if node.op_type == "MatMul")
    while True:
        bias = next((i for i in node.input if i.endswith(".bias") and "LayerNorm" not in i), None)
        if bias:
            return bias.removeprefix("inner.").removesuffix("bias") + "weight"
        node = readers[node.output[0]][0]


def put(tensor, value: np.ndarray, kind) -> None:
    shape = tuple(tensor.dims)
    if value.shape != shape:
        raise SystemExit(f"{tensor.name} has the shape {shape}, not {value.shape}")
    tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value.astype(kind)), tensor.name))


if __name__ == "__main__":
    main()
