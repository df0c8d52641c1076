#!/usr/bin/env python3
"""Write crates/search/model: the weights that sharpen.py saved, and the graphs that run them.

    words.bin       the table of words, two numbers a byte (nibbles.py)
    layers.bin      the matrices of the six layers in four bits (rounding.py); bulk.bin those of the small student
    floats.bin      what is not packed: factors, biases, norms, positions
    graph-int8.onnx multiplies integers: what a matrix is multiplied with is quantised on the way, by its own largest value
    graph.onnx      the same in floats, for processors that would lose some of such products
    bulk-int8.onnx  the small student: one layer, the mean of the tokens, a matrix

The graphs find the table as `words.data`, the floats as `floats.data` and the matrices, unpacked to one byte a number and one after the other, as
`layers.data` and `bulk.data`. None has a mask, since each text is run by itself. Besides the tokens as they leave the last
layer they give each its short vector, and behind that the number whose softplus is its weight in a query.

Needs: pip install numpy onnx safetensors. Usage: graph.py SHARP.safetensors SHARP-bulk.safetensors [folder]
"""

import hashlib
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

from rounding import GROUP, whole_bytes

HEADS, HIDDEN, LENGTH = 12, 384, 256
PARTS = ("query", "key", "value", "mix", "up", "down")


class Graph:
    """Collects nodes and weights."""

    def __init__(self, state: dict[str, np.ndarray], integers: bool, data: str, floats: "Floats") -> None:
        self.state, self.integers, self.data, self.floats = state, integers, data, floats
        self.nodes: list[onnx.NodeProto] = []
        self.weights: dict[str, onnx.TensorProto] = {}
        self.known: list[onnx.ValueInfoProto] = []
        self.quantised: set[str] = set()
        self.offset = 0

    def node(self, kind: str, inputs: list[str], out: str | list[str], **attributes) -> str:
        outputs = [out] if isinstance(out, str) else out
        self.nodes.append(helper.make_node(kind, inputs, outputs, **attributes))
        return outputs[0]

    def weight(self, name: str, value: np.ndarray) -> str:
        if value.dtype == np.float32:
            return self.elsewhere(name, value.shape, TensorProto.FLOAT, "floats.data", self.floats.place(value))
        if name not in self.weights:
            self.weights[name] = numpy_helper.from_array(value if value.ndim == 0 else np.ascontiguousarray(value), name)
        return name

    def elsewhere(self, name: str, shape: tuple[int, ...], kind: int, data: str, offset: int) -> str:
        tensor = TensorProto(name=name, data_type=kind, dims=shape, data_location=TensorProto.EXTERNAL)
        length = int(np.prod(shape)) * (4 if kind == TensorProto.FLOAT else 1)
        for key, value in (("location", data), ("offset", offset), ("length", length)):
            tensor.external_data.add(key=key, value=str(value))
        self.weights[name] = tensor
        return name

    def norm(self, x: str, name: str, eps: float = 1e-12) -> str:
        scale = self.weight(f"{name}.weight", self.state[f"{name}.weight"])
        bias = self.weight(f"{name}.bias", self.state[f"{name}.bias"])
        return self.node("LayerNormalization", [x, scale, bias], f"{name}.out", axis=-1, epsilon=eps)

    def multiply(self, x: str, name: str, bias: np.ndarray | None, factor: float = 1.0) -> str:
        """x × matrix + bias, both times a factor."""
        rows, columns = 2 * self.state[f"{name}.q"].shape[0], self.state[f"{name}.q"].shape[1]
        matrix = self.elsewhere(f"{name}.q", (rows, columns), TensorProto.INT8, self.data, self.offset)
        self.offset += rows * columns
        scale = self.weight(f"{name}.c", self.state[f"{name}.c"].reshape(-1) * np.float32(factor))
        if self.integers:
            if x not in self.quantised:
                self.quantised.add(x)
                self.node("DynamicQuantizeLinear", [x], [f"{x}.u8", f"{x}.step", f"{x}.zero"])
            both = self.node("Mul", [f"{x}.step", scale], f"{name}.factor")
            # Known to be a row, so that product and factor become one step.
            self.known.append(helper.make_tensor_value_info(both, TensorProto.FLOAT, [columns]))
            zero = self.weight("zero", np.array(0, np.int8))
            product = self.node("MatMulInteger", [f"{x}.u8", matrix, f"{x}.zero", zero], f"{name}.i32")
            product = self.node("Cast", [product], f"{name}.f32", to=TensorProto.FLOAT)
            product = self.node("Mul", [product, both], f"{name}.product")
        else:
            real = self.node("Cast", [matrix], f"{name}.real", to=TensorProto.FLOAT)
            real = self.node("Mul", [real, scale], f"{name}.scaled")
            product = self.node("MatMul", [x, real], f"{name}.product")
        if bias is None:
            return product
        return self.node("Add", [product, self.weight(f"{name}.bias", bias * np.float32(factor))], f"{name}.out")

    def own_bias(self, name: str) -> np.ndarray:
        return self.state[f"{name}.bias"]

    def mixing_bias(self, name: str) -> np.ndarray:
        """That of the values counts here: whatever is looked at, its shares add up to one."""
        matrix = whole_bytes(self.state[f"{name}.mix.q"], self.state[f"{name}.mix.m"]).astype(np.float32) * self.state[f"{name}.mix.c"]
        return self.own_bias(f"{name}.mix") + self.own_bias(f"{name}.value") @ matrix

    def rounded(self, name: str, table: np.ndarray) -> str:
        """A small table in int8 with one factor a row, turned into floats when the graph is loaded."""
        factor = np.maximum(np.abs(table).max(1, keepdims=True) / 127, 1e-12).astype(np.float32)
        numbers = np.rint(table / factor).astype(np.int8)
        numbers = self.elsewhere(f"{name}.q", numbers.shape, TensorProto.INT8, "floats.data", self.floats.place(numbers))
        real = self.node("Cast", [numbers], f"{name}.real", to=TensorProto.FLOAT)
        return self.node("Mul", [real, self.weight(f"{name}.c", factor)], name)

    def embeddings(self, words: int) -> str:
        one = lambda name, value: self.weight(name, np.array(value, np.int32))
        table = self.elsewhere("words.q", (words, HIDDEN // 2), TensorProto.UINT8, "words.data", 0)
        packed = self.node("Gather", [table, "input_ids"], "packed", axis=0)
        packed = self.node("Cast", [packed], "bytes", to=TensorProto.INT32)
        upper = self.node("Div", [packed, one("sixteen", 16)], "upper")
        without = self.node("Mul", [upper, "sixteen"], "without_lower")
        lower = self.node("Sub", [packed, without], "lower")
        numbers = self.node("Concat", [upper, lower], "both", axis=-1)
        numbers = self.node("Sub", [numbers, one("eight", 8)], "numbers")
        numbers = self.node("Cast", [numbers], "real", to=TensorProto.FLOAT)
        factor = self.node("Gather", [self.weight("words.c", self.state["words.c"]), "input_ids"], "factor", axis=0)
        found = self.node("Mul", [numbers, factor], "words")
        # Every token is of the first sentence.
        places = self.rounded("positions", self.state["positions.weight"][:LENGTH] + self.state["types.weight"][0])
        shape = self.node("Shape", ["input_ids"], "shape")
        index = lambda name, value: self.weight(name, np.array(value, np.int64))
        count = self.node("Slice", [shape, index("first", [1]), index("second", [2])], "count")
        places = self.node("Slice", [places, index("none", [0]), count, index("rows", [0])], "places")
        return self.norm(self.node("Add", [found, places], "embedded"), "norm")

    def layer(self, x: str, name: str) -> str:
        heads = self.weight("heads", np.array([0, 0, HEADS, HIDDEN // HEADS], np.int64))
        joined = self.weight("joined", np.array([0, 0, HIDDEN], np.int64))
        parts = []
        # Queries carry the division by the root of a head's width. What a bias of the keys adds is the same for all that is looked at.
        root, asked = (HIDDEN // HEADS) ** -0.5, self.own_bias(f"{name}.query")
        for part, order, bias, factor in (("query", [0, 2, 1, 3], asked, root), ("key", [0, 2, 3, 1], None, 1.0), ("value", [0, 2, 1, 3], None, 1.0)):
            found = self.multiply(x, f"{name}.{part}", bias, factor)
            found = self.node("Reshape", [found, heads], f"{name}.{part}.heads")
            parts.append(self.node("Transpose", [found], f"{name}.{part}.turned", perm=order))
        query, key, value = parts
        near = self.node("Softmax", [self.node("MatMul", [query, key], f"{name}.near")], f"{name}.share", axis=-1)
        mixed = self.node("MatMul", [near, value], f"{name}.mixed")
        mixed = self.node("Transpose", [mixed], f"{name}.back", perm=[0, 2, 1, 3])
        mixed = self.node("Reshape", [mixed, joined], f"{name}.joined")
        x = self.norm(self.node("Add", [self.multiply(mixed, f"{name}.mix", self.mixing_bias(name)), x], f"{name}.sum1"), f"{name}.norm1")
        inner = self.node("Gelu", [self.multiply(x, f"{name}.up", self.own_bias(f"{name}.up"))], f"{name}.gelu")
        return self.norm(self.node("Add", [self.multiply(inner, f"{name}.down", self.own_bias(f"{name}.down")), x], f"{name}.sum2"), f"{name}.norm2")

    def save(self, path: Path, outputs: dict[str, list]) -> None:
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, [1, "tokens"]) for name in ("input_ids", "attention_mask")]
        outs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, path.stem, inputs, outs, list(self.weights.values()), value_info=self.known)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        write(path, model.SerializeToString(deterministic=True))


class Floats:
    """All that is not packed of all graphs, each array once."""

    def __init__(self) -> None:
        self.data, self.places = b"", {}

    def place(self, value: np.ndarray) -> int:
        data = np.ascontiguousarray(value).tobytes()
        if data not in self.places:
            self.places[data] = len(self.data)
            # Floats are found at multiples of four.
            self.data += data + bytes(-len(data) % 4)
        return self.places[data]


def packed(state: dict[str, np.ndarray], layers: int) -> bytes:
    """How many matrices, the rows and columns of each, then each: numbers, then steps. In the order in which graphs use them."""
    names = [f"layers.{layer}.{part}" for layer in range(layers) for part in PARTS]
    sizes = [(2 * state[f"{name}.q"].shape[0], state[f"{name}.q"].shape[1]) for name in names]
    head = struct.pack("<I", len(names)) + b"".join(struct.pack("<II", *size) for size in sizes)
    return head + b"".join(state[f"{name}.{part}"].tobytes() for name in names for part in ("q", "m"))


def write(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    print(f"{path.name}\t{len(data):,}\t{hashlib.sha256(data).hexdigest()}")


def main() -> None:
    whole, small = (load_file(path) for path in sys.argv[1:3])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else "crates/search/model")
    words = len(whole["words.q"])
    write(folder / "words.bin", whole["words.q"].tobytes())
    write(folder / "layers.bin", packed(whole, 6))
    write(folder / "bulk.bin", packed(small, 1))
    floats = Floats()
    for name, integers in (("graph-int8.onnx", True), ("graph.onnx", False)):
        graph = Graph(whole, integers, "layers.data", floats)
        x = graph.embeddings(words)
        for layer in range(6):
            x = graph.layer(x, f"layers.{layer}")
        graph.node("Identity", [x], "hidden")
        graph.node("MatMul", [x, graph.weight("head", whole["head"].T)], "said")
        graph.save(folder / name, {"hidden": [1, "tokens", HIDDEN], "said": [1, "tokens", whole["head"].shape[0]]})
    small = {**small, "words.c": whole["words.c"]}
    graph = Graph(small, True, "bulk.data", floats)
    x = graph.layer(graph.embeddings(words), "layers.0")
    mean = graph.node("ReduceMean", [x, graph.weight("tokens", np.array([1], np.int64))], "mean", keepdims=0)
    graph.node("MatMul", [mean, graph.rounded("turn", small["turn"].T)], "turned")
    graph.save(folder / "bulk-int8.onnx", {"turned": [1, HIDDEN]})
    write(folder / "floats.bin", floats.data)
    if any(2 * whole[f"layers.0.{part}.m"].shape[0] * GROUP != 2 * whole[f"layers.0.{part}.q"].shape[0] for part in PARTS):
        raise SystemExit("the groups do not fit")
    for data, state, layers in (("layers", whole, 6), ("bulk", small, 1)):
        names = [f"layers.{layer}.{part}" for layer in range(layers) for part in PARTS]
        bytes_ = b"".join(whole_bytes(state[f"{name}.q"], state[f"{name}.m"]).tobytes() for name in names)
        print(f"{data} unpacked\t{len(bytes_):,}\t{hashlib.sha256(bytes_).hexdigest()}")


if __name__ == "__main__":
    main()
