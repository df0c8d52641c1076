#!/usr/bin/env python3
"""Run the graphs of the reader in onnxruntime and compare them with the weights that they were made from, in PyTorch.

The questions are those of the tuning half of crates/bench/quality, each with the first requirement of its spec. Prints what is
said of some pairs for the test of our own runtime (crates/search/src/model/tests.rs).

Needs: pip install numpy onnx onnxruntime safetensors tokenizers torch. Usage: reader_check.py TOKENIZER.json SHARE:READER.safetensors ...
    the shares and readers that reader_graph.py was given; `1:shipped` compares with the weights as they were written, in eight bits
"""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from tokenizers import Tokenizer

import shipped
from evaluate import Quality
from judge import QUERY
from reader import Reader
from reader_graph import mixed
from shown import SEPARATOR

TEXT = "Seats: Reserving a seat\nA visitor SHALL hold a seat of a concert for ten minutes before it is paid for."
QUESTIONS = ["how long is a seat kept for somebody who has not paid", "train seat reservation for bicycles", "refund to a card"]


def main() -> None:
    tokenizer = Tokenizer.from_file(sys.argv[1])
    tokenizer.no_padding()
    tokenizer.enable_truncation(shipped.LENGTH)
    own = {name: torch.from_numpy(value) for name, value in mixed(sys.argv[2:]).items()}
    reader = Reader(shipped.trunk()[0], len(own["layers.0.query.narrow"])).eval()
    reader.load_state_dict(reader.state_dict() | {name if hasattr(reader, name.split(".")[0]) else f"body.{name}": value for name, value in own.items()})
    quality = Quality()
    pairs = [(text, quality.passages[quality.first[n % len(quality.first)]]) for n, (_, text, _) in enumerate(quality.queries)]
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        for name in ("words", "floats", "reader"):
            shutil.copy(shipped.FOLDER / f"{name}.bin", work / f"{name}.data")
        numbers = shipped.matrices((shipped.FOLDER / "layers.bin").read_bytes())
        (work / "layers.data").write_bytes(b"".join(matrix.tobytes() for matrix in numbers))
        for name in ("reader.onnx", "reader-int8.onnx"):
            shutil.copy(shipped.FOLDER / name, work / name)
            session = onnxruntime.InferenceSession(work / name)
            off = []
            for question, text in pairs + [(question, TEXT) for question in QUESTIONS]:
                asked = tokenizer.encode(question).ids[:QUERY]
                ids = (asked + [SEPARATOR] + tokenizer.encode(text).ids[1:])[: shipped.LENGTH]
                seconds = [int(place >= len(asked)) for place in range(len(ids))]
                ids, seconds = np.array([ids]), np.array([seconds])
                said = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": seconds})[0].item()
                with torch.no_grad():
                    exactly = reader(torch.from_numpy(ids), torch.ones(ids.shape, dtype=torch.bool), torch.from_numpy(seconds).float()).item()
                off.append(abs(said - exactly))
                if text == TEXT:
                    print(name, question, round(said, 4))
            print(f"{name}: off by {np.mean(off):.4f} on average, {np.max(off):.4f} at most")


if __name__ == "__main__":
    main()
