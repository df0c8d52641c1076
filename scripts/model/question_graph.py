#!/usr/bin/env python3
"""Write what places questions (question.py) into crates/search/model: what it has of its own, and the graphs that run it.

    question.bin       the narrow matrices and the head in int8
    question-int8.onnx graph-int8.onnx with these put in; question.onnx likewise graph.onnx

The graphs find it as `question.data` and everything else where the model's own graphs find it. They are given a question, and say of its
tokens what the model's own graphs say.

Needs: pip install numpy onnx safetensors. Usage: question_graph.py QUESTION.safetensors
"""

import sys

import numpy as np
from safetensors.numpy import load_file

from beside import Besides
from graph import Floats, write
from shipped import FOLDER, HIDDEN, trunk

# So much of what was learnt is taken: the whole ranked no better.
TAKEN = np.float32(0.8)


def main() -> None:
    own, data = {name: value.astype(np.float32) for name, value in load_file(sys.argv[1]).items()}, Floats()
    head = trunk()[1].numpy()
    own = {name: TAKEN * value if name.endswith(".wide") else value for name, value in own.items()}
    own["head"] = head + TAKEN * (own["head"] - head)
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
