#!/usr/bin/env python3
"""Write the reader (reader.py) into crates/search/model: what it has of its own, and the graphs that run it.

    reader.bin       the narrow matrices in int8, norms, the mark of the requirement's tokens, the last line
    reader-int8.onnx graph-int8.onnx with these put in; reader.onnx likewise graph.onnx

The graphs find it as `reader.data` and everything else where the model's own graphs find it. Of a pair of texts they are
given which tokens are the second's, and say how sure it is that this answers the first, as log odds.

Several readers that began alike, or went on from one another, can be put together, each with its share: the mean of their weights knows what
each has learnt, better than any of them.

Needs: pip install numpy onnx safetensors. Usage: reader_graph.py SHARE:READER.safetensors ...
"""

import sys
from pathlib import Path

import numpy as np
from onnx import TensorProto, helper

from beside import Besides, shares
from graph import Floats, write
from shipped import FOLDER


class Pair(Besides):
    """A graph of the model that is being made one that reads two texts."""

    def __init__(self, path: Path, own: dict[str, np.ndarray], data: Floats) -> None:
        super().__init__(path, own, data, "reader.data")
        self.nodes = [node for node in self.nodes if node.output[0] not in ("hidden", "said")]
        del self.weights["head"]

    def finish(self, path: Path) -> None:
        self.all_beside()
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
        self.save(path, ["input_ids", "attention_mask", "token_type_ids"], {"answers": [1, 1, 1]})


def mixed(arguments: list[str]) -> dict[str, np.ndarray]:
    parts = shares(arguments, "reader")
    return {name: sum(share * own[name] for share, own in parts) for name in parts[0][1]}


def main() -> None:
    own, data = mixed(sys.argv[1:]), Floats()
    for path, source in (("reader-int8.onnx", "graph-int8.onnx"), ("reader.onnx", "graph.onnx")):
        Pair(FOLDER / source, own, data).finish(FOLDER / path)
    write(FOLDER / "reader.bin", data.data)


if __name__ == "__main__":
    main()
