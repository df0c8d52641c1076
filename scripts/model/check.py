#!/usr/bin/env python3
"""Run crates/search/model in onnxruntime and compare it with the weights that it was made from, in PyTorch.

The sentences are the first hundred requirement descriptions of crates/bench/quality/specs, in order of path. Prints the first
three numbers of some vectors for the test of our own runtime (crates/search/src/model/tests.rs).

Needs: pip install numpy onnxruntime safetensors tokenizers torch. Usage: check.py FOLDER SHARP.safetensors [model folder]
    FOLDER  what teachers.sh wrote
"""

import re
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import encoder
from rounding import unpacked
from shipped import matrices

TEXTS = [
    "A session SHALL end after `session_ttl` minutes without any request.",
    "how long do buyers have to send something back",
    "検索 naïve 🚢",
]


def main() -> None:
    teachers, sharp = (Path(argument) for argument in sys.argv[1:3])
    folder = Path(sys.argv[3] if len(sys.argv) > 3 else "crates/search/model")
    tokenizer = Tokenizer.from_file(str(teachers / "minilm.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    student = encoder.minilm(unpacked(sharp)).eval()
    head = torch.from_numpy(load_file(sharp)["head"])
    sentences = []
    for path in sorted(Path("crates/bench/quality/specs").glob("*/spec.md")):
        sentences += re.findall(r"^### Requirement: .*\n\n(.+)\n", path.read_text("utf-8"), re.M)
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for name in ("words", "floats", "question"):
            shutil.copy(folder / f"{name}.bin", work / f"{name}.data")
        for name in ("layers", "bulk"):
            (work / f"{name}.data").write_bytes(b"".join(numbers.tobytes() for numbers in matrices((folder / f"{name}.bin").read_bytes())))
        for name in ("graph.onnx", "graph-int8.onnx", "bulk-int8.onnx"):
            shutil.copy(folder / name, work / name)
            session = onnxruntime.InferenceSession(work / name)
            vectors, tokens = [], []
            for text in sentences[:100] + TEXTS:
                ids = np.array([tokenizer.encode(text).ids])
                given = [value.name for value in session.get_inputs()]
                out = session.run(None, {key: value for key, value in (("input_ids", ids), ("attention_mask", np.ones_like(ids))) if key in given})
                with torch.no_grad():
                    x = student.tokens(torch.from_numpy(ids), torch.ones(ids.shape, dtype=torch.bool))
                ours = torch.from_numpy(out[0].mean(1) if out[0].ndim == 3 else out[0])
                vectors.append(float(F.cosine_similarity(ours, x.mean(1))[0]))
                if len(out) > 1:
                    tokens.append(float(F.cosine_similarity(torch.from_numpy(out[1][..., :-1]), (x @ head.T)[..., :-1], -1).mean()))
                if text in TEXTS:
                    print(name, text, F.normalize(ours, dim=-1)[0, :3].numpy().round(6))
            print(f"{name}: mean cosine {np.mean(vectors):.6f}, lowest {np.min(vectors):.6f}", f"of tokens {np.mean(tokens):.6f}" if tokens else "")
        for name in ("question.onnx", "question-int8.onnx"):
            shutil.copy(folder / name, work / name)
            ids = np.array([tokenizer.encode(TEXTS[1]).ids])
            hidden = onnxruntime.InferenceSession(work / name).run(["hidden"], {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0]
            print(name, TEXTS[1], F.normalize(torch.from_numpy(hidden).mean(1), dim=-1)[0, :3].numpy().round(6))


if __name__ == "__main__":
    main()
