"""The parts of a BERT: our names for them, and those of the published weights."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

# Our names for the parts of a layer, and BERT's.
PARTS = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "mix": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm2": "output.LayerNorm",
}


def bert_names(layers: int) -> dict[str, str]:
    names = {
        "words.weight": "embeddings.word_embeddings.weight",
        "positions.weight": "embeddings.position_embeddings.weight",
        "types.weight": "embeddings.token_type_embeddings.weight",
        "norm.weight": "embeddings.LayerNorm.weight",
        "norm.bias": "embeddings.LayerNorm.bias",
    }
    for layer in range(layers):
        for ours, theirs in PARTS.items():
            for end in ("weight", "bias"):
                names[f"layers.{layer}.{ours}.{end}"] = f"encoder.layer.{layer}.{theirs}.{end}"
    return names


def read(path: Path) -> dict[str, np.ndarray]:
    """The weights of a student of six layers under BERT's names, from a file that has these or ours."""
    state = load_file(path)
    weights = {theirs: state[theirs] if theirs in state else state[ours] for ours, theirs in bert_names(6).items()}
    return {name: value.astype(np.float32) for name, value in weights.items()}
