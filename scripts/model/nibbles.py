"""The word table in four bits: two numbers a byte, one factor a row.

A row is looked up far more often than it is multiplied, so that it costs nothing to take it apart, and half of the table is a
quarter of the whole model. Number j of a row lies in the upper half of byte j, number j + 192 in the lower one, each plus 8.
"""

import numpy as np
import onnx
from onnx import TensorProto, helper

TABLE = "inner.embeddings.word_embeddings.weight"


def pack(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bytes and the factors. Of some factors the one with the smallest error is taken, row by row."""
    largest = np.maximum(np.abs(table).max(1, keepdims=True), 1e-12)
    numbers = np.zeros(table.shape, np.int8)
    factors = np.zeros((len(table), 1), np.float32)
    least = np.full(len(table), np.inf)
    for share in np.linspace(0.4, 1.0, 25):
        factor = (largest * share / 7.5).astype(np.float32)
        tried = np.clip(np.rint(table / factor), -8, 7)
        error = ((tried * factor - table) ** 2).sum(1)
        better = error < least
        numbers[better], factors[better], least[better] = tried[better], factor[better], error[better]
    halves = np.split((numbers + 8).astype(np.uint8), 2, axis=1)
    return halves[0] << 4 | halves[1], factors


def unpack(packed: np.ndarray, factors: np.ndarray) -> np.ndarray:
    numbers = np.concatenate([packed >> 4, packed & 15], axis=1).astype(np.float32) - 8
    return numbers * factors


def look_up(ids: str, out: str) -> tuple[list[onnx.NodeProto], list[onnx.TensorProto]]:
    """The nodes that turn ids into rows, and the two numbers that they need."""
    sixteen, eight = TABLE + "_16", TABLE + "_8"
    nodes = [
        helper.make_node("Gather", [TABLE + "_q", ids], [out + "_q"], axis=0),
        helper.make_node("Cast", [out + "_q"], [out + "_bytes"], to=TensorProto.INT32),
        helper.make_node("Div", [out + "_bytes", sixteen], [out + "_upper"]),
        helper.make_node("Mul", [out + "_upper", sixteen], [out + "_without_lower"]),
        helper.make_node("Sub", [out + "_bytes", out + "_without_lower"], [out + "_lower"]),
        helper.make_node("Concat", [out + "_upper", out + "_lower"], [out + "_both"], axis=-1),
        helper.make_node("Sub", [out + "_both", eight], [out + "_numbers"]),
        helper.make_node("Cast", [out + "_numbers"], [out + "_f"], to=TensorProto.FLOAT),
        helper.make_node("Gather", [TABLE + "_scale", ids], [out + "_scale"], axis=0),
        helper.make_node("Mul", [out + "_f", out + "_scale"], [out]),
    ]
    numbers = [helper.make_tensor(name, TensorProto.INT32, [], [n]) for name, n in ((sixteen, 16), (eight, 8))]
    return nodes, numbers
