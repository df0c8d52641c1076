#!/usr/bin/env python3
"""Write the reader (reader.py) into crates/search/model: what it has of its own, and the graphs that run it.

    reader.bin       the narrow matrices in int8, norms, the mark of the requirement's tokens, the last line
    reader-int8.onnx graph-int8.onnx with these put in; reader.onnx likewise graph.onnx

The graphs find it as `reader.data` and everything else where the model's own graphs find it. Of a pair of texts they are
given which tokens are the second's, and say how sure it is that this answers the first, as log odds.

Needs: pip install numpy onnx safetensors. Usage: reader_graph.py READER.safetensors [folder]
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import load_file

from graph import Floats, write
from shipped import FOLDER, HEADS, HIDDEN, PARTS

ROOT = (HIDDEN // HEADS) ** -0.5


class Pair:
    """A graph of the model that is being made one that reads two texts."""

    def __init__(self, path: Path, own: dict[str, np.ndarray], data: Floats) -> None:
        self.model = onnx.load(path, load_external_data=False)
        self.own, self.data, self.nodes = own, data, list(self.model.graph.node)
        self.weights = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self.nodes = [node for node in self.nodes if node.output[0] not in ("hidden", "said")]
        del self.weights["head"]

    def weight(self, name: str, value: np.ndarray) -> str:
        kind = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int8): TensorProto.INT8}[value.dtype]
        tensor = TensorProto(name=name, data_type=kind, dims=value.shape, data_location=TensorProto.EXTERNAL)
        for key, entry in (("location", "reader.data"), ("offset", self.data.place(value)), ("length", value.nbytes)):
            tensor.external_data.add(key=key, value=str(entry))
        self.weights[name] = tensor
        return name

    def small(self, name: str, value: list[int]) -> str:
        self.weights[name] = onnx.numpy_helper.from_array(np.array(value, np.int64), name)
        return name

    def rounded(self, name: str, matrix: np.ndarray, along: int) -> tuple[list, str]:
        """In int8 with a factor for each of the few rows or columns, turned into floats when the graph is loaded."""
        factor = np.maximum(np.abs(matrix).max(along, keepdims=True) / 127, 1e-12).astype(np.float32)
        numbers = self.weight(f"{name}.q", np.rint(matrix / factor).astype(np.int8))
        nodes = [
            helper.make_node("Cast", [numbers], [f"{name}.real"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}.real", self.weight(f"{name}.c", factor)], [name]),
        ]
        return nodes, name

    def put(self, after: str, nodes: list) -> None:
        at = next(place for place, node in enumerate(self.nodes) if after in node.output)
        self.nodes[at + 1 : at + 1] = nodes

    def renamed(self, name: str, new: str) -> None:
        """What made `name` makes `new`; whoever reads `name` goes on to."""
        for node in self.nodes:
            if node.output[0] == name:
                node.output[0] = new

    def beside(self, name: str) -> None:
        """Two narrow matrices beside a large one."""
        product = f"{name}.product"
        self.renamed(product, f"{product}.alone")
        made = {node.output[0]: node for node in self.nodes}
        at = made[f"{product}.alone"]
        while at.op_type not in ("MatMulInteger", "MatMul"):
            at = made[at.input[0]]
        x = at.input[0].removesuffix(".u8")
        factor = np.float32(ROOT if name.endswith("query") else 1)
        first, narrow = self.rounded(f"{name}.narrow", self.own[f"{name}.narrow"].T, 0)
        second, wide = self.rounded(f"{name}.wide", self.own[f"{name}.wide"].T * factor, 1)
        self.put(f"{product}.alone", [
            *first,
            *second,
            helper.make_node("MatMul", [x, narrow], [f"{name}.few"]),
            helper.make_node("MatMul", [f"{name}.few", wide], [f"{name}.beside"]),
            helper.make_node("Add", [f"{product}.alone", f"{name}.beside"], [product]),
        ])

    def finish(self, path: Path) -> None:
        for layer in range(6):
            for part in PARTS:
                self.beside(f"layers.{layer}.{part}")
        for name in [name for name in self.own if "norm" in name]:
            self.weight(name, self.own[name])
        self.renamed("embedded", "unmarked")
        self.put("unmarked", [
            helper.make_node("Cast", ["token_type_ids"], ["pair.second"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["pair.second", self.small("pair.last", [-1])], ["pair.seconds"]),
            helper.make_node("Mul", ["pair.seconds", self.weight("mark", self.own["mark"])], ["pair.marks"]),
            helper.make_node("Add", ["unmarked", "pair.marks"], ["embedded"]),
        ])
        x = "layers.5.norm2.out"
        say = self.own["say.weight"].reshape(-1, 1)
        self.nodes += [
            helper.make_node("Slice", [x, self.small("pair.begin", [0]), self.small("pair.end", [1]), self.small("pair.axis", [1])], ["pair.head"]),
            helper.make_node("ReduceMean", [x, self.small("pair.axes", [1])], ["pair.mean"], keepdims=1),
            helper.make_node("Concat", ["pair.head", "pair.mean"], ["pair.all"], axis=-1),
            helper.make_node("MatMul", ["pair.all", self.weight("say", say)], ["pair.told"]),
            helper.make_node("Add", ["pair.told", self.weight("say.bias", self.own["say.bias"])], ["answers"]),
        ]
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in ("input_ids", "attention_mask", "token_type_ids")]
        outputs = [helper.make_tensor_value_info("answers", TensorProto.FLOAT, [1, 1, 1])]
        known = list(self.model.graph.value_info)
        graph = helper.make_graph(self.nodes, path.stem, inputs, outputs, list(self.weights.values()), value_info=known)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        write(path, model.SerializeToString(deterministic=True))


def main() -> None:
    own = {name: value.astype(np.float32) for name, value in load_file(sys.argv[1]).items()}
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    data = Floats()
    for path, source in (("reader-int8.onnx", "graph-int8.onnx"), ("reader.onnx", "graph.onnx")):
        Pair(folder / source, own, data).finish(folder / path)
    write(folder / "reader.bin", data.data)


if __name__ == "__main__":
    main()
