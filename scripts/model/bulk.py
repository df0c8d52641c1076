#!/usr/bin/env python3
"""Write crates/search/model/bulk-int8.onnx: the small student for bulk indexing, behind the word table of model.onnx.

The graph of graph-int8.onnx is cut behind so many layers; the mean of the tokens and one more matrix follow. Words are
looked up in model.onnx, by offset; the few weights of its own are in the file.

Needs: pip install numpy onnx safetensors. Usage: bulk.py BULK.safetensors LAYERS [folder]
"""

import hashlib
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from names import bert_names


def main() -> None:
    weights = {name: value.astype(np.float32) for name, value in load_file(sys.argv[1]).items()}
    layers = int(sys.argv[2])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else "crates/search/model")
    model = onnx.load(folder / "graph-int8.onnx", load_external_data=False)
    graph = model.graph
    made = {out: node for node in graph.node for out in node.output}
    end = last_output(graph, layers)
    needed, nodes = {end}, []
    for node in reversed(graph.node):
        if needed.intersection(node.output):
            nodes.append(node)
            needed |= set(node.input)
    nodes.reverse()
    initializers = {tensor.name: tensor for tensor in graph.initializer if tensor.name in needed}
    readers: dict[str, list] = {}
    for node in nodes:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    put_weights(initializers, readers, weights, layers)
    turn = weights["turn.weight"].T
    initializers["turn"] = numpy_helper.from_array(np.ascontiguousarray(turn), "turn")
    nodes += [
        helper.make_node("ReduceMean", [end], ["mean"], axes=[1], keepdims=0),
        helper.make_node("MatMul", ["mean", "turn"], ["turned"]),
    ]
    inputs = [value for value in graph.input if value.name in needed]
    small = helper.make_graph(
        nodes,
        "bulk",
        inputs,
        [helper.make_tensor_value_info("turned", TensorProto.FLOAT, ["batch", 384])],
        list(initializers.values()),
        value_info=[value for value in graph.value_info if value.name in made and made[value.name] in nodes],
    )
    out = helper.make_model(small, opset_imports=model.opset_import, ir_version=model.ir_version)
    data = out.SerializeToString(deterministic=True)
    (folder / "bulk-int8.onnx").write_bytes(data)
    print(len(data), hashlib.sha256(data).hexdigest())


def last_output(graph: onnx.GraphProto, layers: int) -> str:
    """What the last layer norm of that layer gives."""
    name = f"inner.encoder.layer.{layers - 1}.output.LayerNorm.bias"
    node = next(node for node in graph.node if name in node.input)
    return node.output[0]


def put_weights(initializers: dict, readers: dict[str, list], weights: dict, layers: int) -> None:
    names = {theirs: f"body.{ours}" for ours, theirs in bert_names(layers).items()}
    for name, tensor in list(initializers.items()):
        known = name.removeprefix("inner.")
        if known in names and names[known] in weights:
            array = weights[names[known]].reshape(tuple(tensor.dims))
            initializers[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        elif name.endswith("_q") and "word_embeddings" not in name:
            base = name.removesuffix("_q")
            table = base.removeprefix("inner.")
            value = weights[names[table]] if table in names else weights[names[matrix(name, readers)]].T
            old = initializers[base + "_scale"]
            axis = 1 if old.dims[-1] == 1 else 0
            factor = np.maximum(np.abs(value).max(axis, keepdims=True) / 127, 1e-12).astype(np.float32)
            initializers[base + "_scale"] = numpy_helper.from_array(factor, base + "_scale")
            rounded = np.clip(np.rint(value / factor), -127, 127).astype(np.int8)
            initializers[name] = numpy_helper.from_array(np.ascontiguousarray(rounded), name)


def matrix(name: str, readers: dict[str, list]) -> str:
    """A matrix is known by the bias that is added to its product."""
    node = next(node for node in readers[name] if node.op_type == "MatMulInteger")
    while True:
        bias = next((i for i in node.input if i.endswith(".bias") and "LayerNorm" not in i), None)
        if bias:
            return bias.removeprefix("inner.").removesuffix("bias") + "weight"
        node = readers[node.output[0]][0]


if __name__ == "__main__":
    main()
