"""Graphs of the model with narrow matrices beside its own, which make another one of it at little cost (reader_graph.py, strict_graph.py)."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper
from safetensors.numpy import load_file

import shipped
from graph import Floats, write
from shipped import HEADS, HIDDEN, PARTS, floats, matrices

ROOT = (HIDDEN // HEADS) ** -0.5
# A GELU gives nothing below this.
LIFT = np.float32(0.17)


def shares(arguments: list[str], who: str) -> list[tuple[np.float32, dict[str, np.ndarray]]]:
    """Of each SHARE:FILE the share and what the file holds; `shipped` in the place of a file is what `who` has in the program now."""
    parts = [argument.split(":", 1) for argument in arguments]
    found = [(np.float32(share), shipped.beside(who) if path == "shipped" else load_file(path)) for share, path in parts]
    return [(share, {name: value.astype(np.float32) for name, value in own.items()}) for share, own in found]


class Besides:
    """A graph of the model that is being given narrow matrices beside its own; `place` is what it finds them as."""

    def __init__(self, path: Path, own: dict[str, np.ndarray], data: Floats, place: str) -> None:
        self.model = onnx.load(path, load_external_data=False)
        self.own, self.data, self.place, self.nodes = own, data, place, list(self.model.graph.node)
        self.weights = {tensor.name: tensor for tensor in self.model.graph.initializer}
        self.matrices = matrices((path.parent / "layers.bin").read_bytes())
        self.scales = floats(path.parent)

    def weight(self, name: str, value: np.ndarray) -> str:
        kind = {np.dtype(np.float32): TensorProto.FLOAT, np.dtype(np.int8): TensorProto.INT8}[value.dtype]
        tensor = TensorProto(name=name, data_type=kind, dims=value.shape, data_location=TensorProto.EXTERNAL)
        for key, entry in (("location", self.place), ("offset", self.data.place(value)), ("length", value.nbytes)):
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

    def row_by_row(self) -> None:
        """Rounds what is multiplied by each token's largest number instead of by the largest of all: beside one that is large the
        others would keep few of their bits, and what is said in the end hangs on small ones. What a GELU gave is hardly ever
        negative, so it is lifted above zero and has all 255 levels; what that adds is taken away behind the product."""
        rows = {node.input[0]: node for node in self.nodes if node.op_type == "DynamicQuantizeLinear"}
        readers = {node.input[0].removesuffix(".u8"): node.output[0] for node in self.nodes if node.op_type == "MatMulInteger"}
        for x, node in rows.items():
            at = self.nodes.index(node)
            self.nodes[at : at + 1] = self.lifted(x) if readers[x].endswith(".down.i32") else self.around_zero(x)
        made = {node.output[0]: node for node in self.nodes}
        numbers = dict(zip((f"layers.{layer}.{part}" for layer in range(6) for part in PARTS), self.matrices))
        for node in [node for node in self.nodes if node.op_type == "Mul" and node.output[0].endswith(".factor")]:
            step, scale = node.input
            name = node.output[0].removesuffix(".factor")
            is_lifted = name.endswith(".down")
            product = made[f"{name}.product"]
            self.nodes.remove(node)
            product.input[1], product.output[0] = scale, f"{name}.columns"
            made[f"{name}.i32"].input[2] = self.number("row.zero", np.uint8(0)) if is_lifted else self.number("row.middle", np.uint8(128))
            after = [helper.make_node("Mul", [f"{name}.columns", step], [f"{name}.rows" if is_lifted else f"{name}.product"])]
            if is_lifted:
                added = LIFT * numbers[name].astype(np.float32).sum(0) * self.scales[scale]
                after.append(helper.make_node("Sub", [f"{name}.rows", self.weight(f"{name}.lift", added)], [f"{name}.product"]))
            self.put(f"{name}.columns", after)
        known = [info for info in self.model.graph.value_info if not info.name.endswith(".factor")]
        del self.model.graph.value_info[:]
        self.model.graph.value_info.extend(known)

    def around_zero(self, x: str) -> list:
        return [
            helper.make_node("Abs", [x], [f"{x}.size"]),
            *self.steps(x, f"{x}.size", 127),
            helper.make_node("Div", [x, f"{x}.step"], [f"{x}.levels"]),
            # Half a level more, since what is behind the point is cut off.
            helper.make_node("Add", [f"{x}.levels", self.number("row.above", np.float32(128.5))], [f"{x}.above"]),
            helper.make_node("Cast", [f"{x}.above"], [f"{x}.u8"], to=TensorProto.UINT8),
        ]

    def lifted(self, x: str) -> list:
        return [
            helper.make_node("Add", [x, self.number("row.lift", LIFT)], [f"{x}.size"]),
            *self.steps(x, f"{x}.size", 255),
            helper.make_node("Div", [f"{x}.size", f"{x}.step"], [f"{x}.levels"]),
            helper.make_node("Add", [f"{x}.levels", self.number("row.half", np.float32(0.5))], [f"{x}.above"]),
            helper.make_node("Cast", [f"{x}.above"], [f"{x}.u8"], to=TensorProto.UINT8),
        ]

    def steps(self, x: str, size: str, levels: int) -> list:
        return [
            helper.make_node("ReduceMax", [size, self.small("row.last", [-1])], [f"{x}.most"], keepdims=1),
            helper.make_node("Mul", [f"{x}.most", self.number(f"row.of{levels}", np.float32(1 / levels))], [f"{x}.bare"]),
            helper.make_node("Add", [f"{x}.bare", self.number("row.least", np.float32(1e-9))], [f"{x}.step"]),
        ]

    def number(self, name: str, value) -> str:
        self.weights[name] = onnx.numpy_helper.from_array(np.array(value), name)
        return name

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

    def all_beside(self) -> None:
        """Two narrow matrices beside each of the large ones, and norms of its own where it has them."""
        self.row_by_row()
        for layer in range(6):
            for part in PARTS:
                self.beside(f"layers.{layer}.{part}")
        for name in [name for name in self.own if "norm" in name]:
            self.weight(name, self.own[name])

    def save(self, path: Path, inputs: list[str], outputs: dict[str, list]) -> None:
        given = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in inputs]
        told = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
        known = list(self.model.graph.value_info)
        graph = helper.make_graph(self.nodes, path.stem, given, told, list(self.weights.values()), value_info=known)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        write(path, model.SerializeToString(deterministic=True))
