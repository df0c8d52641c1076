#!/usr/bin/env python3
"""Write what places questions (question.py) into crates/search/model: what it has of its own, and the graphs that run it.

    question.bin       the narrow matrices and the head in int8
    question-int8.onnx graph-int8.onnx with these put in; question.onnx likewise graph.onnx

The graphs find it as `question.data` and everything else where the model's own graphs find it. They are given a question, and say of its
tokens what the model's own graphs say.

Several runs can be put together, each with its share: what they add to a matrix is added up, and of the sum the nearest matrix of the
same rank is taken, since each run has narrow matrices of its own choosing.

Needs: pip install numpy onnx safetensors. Usage: question_graph.py SHARE:QUESTION.safetensors ...
"""

import sys

import numpy as np

from beside import Besides, shares
from graph import Floats, write
from shipped import FOLDER, HIDDEN, trunk


def together(parts: list[tuple[np.float32, dict[str, np.ndarray]]]) -> dict[str, np.ndarray]:
    """What so much of each comes to."""
    head, first = trunk()[1].numpy(), parts[0][1]
    own = {"head": head + sum(share * (one["head"] - head) for share, one in parts)}
    for name in (name.removesuffix(".wide") for name in first if name.endswith(".wide")):
        added = sum(share * (one[f"{name}.wide"] @ one[f"{name}.narrow"]) for share, one in parts)
        left, size, right = np.linalg.svd(added, full_matrices=False)
        rank = len(first[f"{name}.narrow"])
        root = np.sqrt(size[:rank])
        own |= {f"{name}.wide": left[:, :rank] * root, f"{name}.narrow": root[:, None] * right[:rank]}
    return own


def main() -> None:
    own, data = together(shares(sys.argv[1:], "question")), Floats()
    for path, source in (("question-int8.onnx", "graph-int8.onnx"), ("question.onnx", "graph.onnx")):
        graph = Besides(FOLDER / source, own, data, "question.data")
        graph.all_beside()
        del graph.weights["head"]
        nodes, _ = graph.rounded("head", own["head"].T, 0)
        graph.put("layers.5.norm2.out", nodes)
        outputs = {"hidden": [1, "tokens", HIDDEN], "said": [1, "tokens", len(own["head"])]}
        graph.save(FOLDER / path, ["input_ids", "attention_mask"], outputs)
    write(FOLDER / "question.bin", data.data)


if __name__ == "__main__":
    main()
