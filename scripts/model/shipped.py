"""The model that is in crates/search/model, read back into PyTorch: what the reader (reader.py) stands on.

Biases are folded there (graph.py): those of keys are gone, those of values are in the next step's, and every token is of the
first sentence.
"""

import struct
from pathlib import Path

import numpy as np
import onnx
import torch

import encoder
from nibbles import unpack
from rounding import GROUP, whole_bytes

FOLDER = Path(__file__).parents[2] / "crates/search/model"
PARTS = ("query", "key", "value", "mix", "up", "down")
HIDDEN, HEADS, LENGTH = 384, 12, 256


def matrices(packed: bytes) -> list[np.ndarray]:
    """As crates/search/src/model/packed.rs reads them: one byte a number."""
    count = struct.unpack_from("<I", packed)[0]
    sizes = [struct.unpack_from("<II", packed, 4 + 8 * n) for n in range(count)]
    at, found = 4 + 8 * count, []
    for rows, columns in sizes:
        numbers = np.frombuffer(packed, np.uint8, rows // 2 * columns, at).reshape(-1, columns)
        at += numbers.size
        steps = np.frombuffer(packed, np.uint8, rows // GROUP // 2 * columns, at).reshape(-1, columns)
        at += steps.size
        found.append(whole_bytes(numbers, steps))
    if at != len(packed):
        raise SystemExit("more than was told")
    return found


def floats(folder: Path, graph: str = "graph-int8.onnx", place: str = "floats") -> dict[str, np.ndarray]:
    """Everything that a graph finds in one file and that is not packed, by name."""
    data, found = (folder / f"{place}.bin").read_bytes(), {}
    kinds = {onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.INT8: np.int8}
    for tensor in onnx.load(folder / graph, load_external_data=False).graph.initializer:
        where = {entry.key: entry.value for entry in tensor.external_data}
        if where.get("location") == f"{place}.data":
            count = int(np.prod(tensor.dims))
            found[tensor.name] = np.frombuffer(data, kinds[tensor.data_type], count, int(where["offset"])).reshape(tensor.dims)
    return found


def beside(who: str, folder: Path = FOLDER) -> dict[str, np.ndarray]:
    """What questions (`question`) or the reader (`reader`) have beside the model, as question.py and reader.py name it."""
    known, own = floats(folder, f"{who}-int8.onnx", who), {}
    for name, value in known.items():
        if name.endswith(".q"):
            bare = name.removesuffix(".q")
            # Queries carry the division by the root of a head's width.
            root = (HIDDEN // HEADS) ** 0.5 if bare.endswith("query.wide") else 1.0
            own[bare] = (value.astype(np.float32) * known[f"{bare}.c"] * np.float32(root)).T.copy()
        elif "norm" in name or name == "mark":
            own[name] = value.copy()
    if who == "reader":
        own |= {"say.weight": known["say"].reshape(1, -1).copy(), "say.bias": known["say.bias"].copy()}
    return own


def trunk(folder: Path = FOLDER) -> tuple[encoder.Encoder, torch.Tensor]:
    """The encoder, and what it says of each token (its head)."""
    known = floats(folder)
    body = encoder.Encoder(
        vocabulary=30522, hidden=HIDDEN, layers=6, heads=HEADS, inner=4 * HIDDEN, positions=LENGTH, eps=1e-12, types=0
    )
    state = {
        "words.weight": unpack(np.frombuffer((folder / "words.bin").read_bytes(), np.uint8).reshape(-1, HIDDEN // 2), known["words.c"]),
        "positions.weight": known["positions.q"].astype(np.float32) * known["positions.c"],
        "norm.weight": known["norm.weight"],
        "norm.bias": known["norm.bias"],
    }
    names = [f"layers.{layer}.{part}" for layer in range(6) for part in PARTS]
    for name, numbers in zip(names, matrices((folder / "layers.bin").read_bytes())):
        root = (HIDDEN // HEADS) ** 0.5 if name.endswith("query") else 1.0
        state[f"{name}.weight"] = (numbers.astype(np.float32) * (known[f"{name}.c"] * root)).T
        state[f"{name}.bias"] = known.get(f"{name}.bias", np.zeros(numbers.shape[1], np.float32)) * np.float32(root)
    for layer in range(6):
        for norm in ("norm1", "norm2"):
            for end in ("weight", "bias"):
                state[f"layers.{layer}.{norm}.{end}"] = known[f"layers.{layer}.{norm}.{end}"]
    body.load_state_dict({name: torch.from_numpy(np.array(value, np.float32)) for name, value in state.items()})
    return body, torch.from_numpy(known["head"].T.copy())
