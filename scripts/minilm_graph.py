#!/usr/bin/env python3
"""Write crates/search/model/graph.onnx: the graph of model.onnx with its large weights left where they are.

The int8 weights are not copied: they are declared as external data, by offset and length in model.onnx. One thing is
changed in the graph. The export turns the whole word table into floats and then looks words up in it (47 MB at run
time); here the words are looked up first and only their rows are turned into floats. The numbers are the same.

Needs: pip install onnx numpy. Usage: scripts/minilm_graph.py [folder]
"""

import sys
from pathlib import Path

import onnx
from onnx import TensorProto, helper

TABLE = "inner.embeddings.word_embeddings.weight"
# What the graph calls model.onnx: rten takes external data only under such an ending.
LOCATION = "model.data"


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "crates/search/model")
    data = (folder / "model.onnx").read_bytes()
    model = onnx.load_from_string(data)
    graph = model.graph

    for tensor in graph.initializer:
        if tensor.data_type == TensorProto.INT8 and len(tensor.raw_data) >= 4096:
            refer(tensor, data)

    nodes = []
    for node in graph.node:
        if TABLE + "_f" in node.output or TABLE in node.output:
            continue
        if node.op_type == "Gather" and node.input[0] == TABLE:
            ids, out = node.input[1], node.output[0]
            nodes += [
                helper.make_node("Gather", [TABLE + "_q", ids], [out + "_q"], axis=0),
                helper.make_node("Cast", [out + "_q"], [out + "_f"], to=TensorProto.FLOAT),
                helper.make_node("Gather", [TABLE + "_scale", ids], [out + "_scale"], axis=0),
                helper.make_node("Mul", [out + "_f", out + "_scale"], [out]),
            ]
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    del graph.value_info[:]

    (folder / "graph.onnx").write_bytes(model.SerializeToString(deterministic=True))


def refer(tensor: TensorProto, data: bytes) -> None:
    raw = tensor.raw_data
    offset = data.find(raw)
    if offset < 0 or data.find(raw, offset + 1) >= 0:
        raise SystemExit(f"cannot place {tensor.name} in model.onnx")
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", LOCATION), ("offset", str(offset)), ("length", str(len(raw)))):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value


if __name__ == "__main__":
    main()
