#!/usr/bin/env python3
"""Distil three teachers into a student of MiniLM-L6's shape.

A teacher's vector of a text is moved to the centre of its cloud and brought to length one; the three, side by side, are
the target, mpnet counted three times: the cosine of two targets is the mean of their cosines. The student begins as
all-MiniLM-L6-v2 and learns (1) to point where the target points, once that is brought to 384 dimensions and turned towards
where the student pointed before, and (2) to rank the other texts of a batch as the teachers rank them, with all 384
dimensions and with the first 192 and 96 alone. A batch is made of runs of 16 texts of one capability: to those the teachers
give the small differences that are hard to learn.

Needs: pip install torch numpy safetensors tokenizers onnx. A GPU if there is one.
Usage: train.py FOLDER CORPUS OUT [options]; --help names them. FOLDER is what teachers.sh wrote.
"""

import argparse
import json
import lzma
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

import encoder
from evaluate import Quality, Unseen

SEED = 20
WIDTHS = {384: 1.0, 192: 0.5, 96: 0.25}
LENGTH = 256
# Left out of training, for evaluate.Unseen.
UNSEEN = ("FairLendInc/flpilot", "JuhoKon/paketti-tracker", "jrhampshire/Dentist", "ganjasan/mapsurvey", "trails-cool/trails")
# What is looked for rather than asked; e5 was taught to tell the two apart by a prefix.
PASSAGES = {"scenario", "description", "bare", "whole", "purpose", "docs", "gloss", "definition", "package", "comment"}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Tokens:
    """Token ids of many texts, one after the other."""

    def __init__(self, tokenizer: Tokenizer, texts: list[str]) -> None:
        tokenizer.no_padding()
        tokenizer.enable_truncation(LENGTH)
        ids = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        self.lengths = torch.tensor([len(row) for row in ids], device=DEVICE)
        self.starts = torch.cumsum(self.lengths, 0) - self.lengths
        self.flat = torch.from_numpy(np.concatenate([np.array(row, np.int32) for row in ids])).to(DEVICE)

    def batch(self, places: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        lengths = self.lengths[places]
        width = min(LENGTH, -(-int(lengths.max()) // 8) * 8)
        columns = torch.arange(width, device=DEVICE)
        mask = columns < lengths[:, None]
        ids = self.flat[(self.starts[places][:, None] + columns).clamp(max=len(self.flat) - 1)].long()
        return ids * mask, mask


def embed(model, tokens: Tokens, places: torch.Tensor | None = None, budget: int = 65536) -> torch.Tensor:
    """Vectors of all texts, like lengths together."""
    places = torch.arange(len(tokens.lengths), device=DEVICE) if places is None else places
    order = places[torch.argsort(tokens.lengths[places])]
    lengths = tokens.lengths[order].tolist()
    out, at = None, 0
    while at < len(order):
        count = max(1, budget // (-(-lengths[at] // 8) * 8))
        while count > 1 and lengths[min(at + count, len(order)) - 1] * count > 1.5 * budget:
            count //= 2
        with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16):
            vectors = model(*tokens.batch(order[at : at + count]))
        if out is None:
            out = torch.empty(len(tokens.lengths), vectors.shape[1], dtype=torch.float16, device=DEVICE)
        out[order[at : at + count]] = vectors.half()
        at += count
    return out


class Teachers:
    def __init__(self, folder: Path) -> None:
        granite, granite_tokenizer = encoder.granite(folder / "granite.hmsemb")
        plain = Tokenizer.from_file(str(folder / "minilm.json"))
        self.all = {
            "mpnet": (encoder.mpnet(load_file(folder / "mpnet.safetensors")), Tokenizer.from_file(str(folder / "mpnet.json"))),
            "granite": (granite, Tokenizer.from_str(granite_tokenizer)),
            "e5": (encoder.e5(folder / "e5.onnx"), plain),
        }
        self.all = {name: (model.to(DEVICE).eval(), tokenizer) for name, (model, tokenizer) in self.all.items()}
        self.middle: dict[str, torch.Tensor] = {}

    def one(self, name: str, texts: list[str], passages: list[bool]) -> torch.Tensor:
        model, tokenizer = self.all[name]
        if name == "e5":
            texts = [("passage: " if passage else "query: ") + text for text, passage in zip(texts, passages)]
        return embed(model, Tokens(tokenizer, texts))

    def joined(self, vectors: dict[str, torch.Tensor]) -> torch.Tensor:
        parts = [F.normalize(vectors[name].float() - self.middle[name], dim=-1) for name in vectors]
        return (torch.cat(parts, -1) / math.sqrt(len(parts))).half()


def unit(vectors: torch.Tensor) -> np.ndarray:
    return F.normalize(vectors.float(), dim=-1).cpu().numpy()


def report(label: str, measures: list, embedder, log: list) -> dict:
    found: dict = {"at": label}
    for measure in measures:
        found |= {key: round(value, 4) for key, value in measure.measure(embedder).items()}
    log.append(found)
    print(json.dumps(found), flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "corpus", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--steps", type=int, default=2600)
    parser.add_argument("--batch", type=int, default=4096)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--rank", type=float, default=1.0, help="weight of the ranking loss")
    parser.add_argument("--sharp", type=float, default=0.05, help="temperature of the ranking loss")
    parser.add_argument("--chunk", type=int, default=16, help="texts of one capability that stay together")
    parser.add_argument("--texts", type=int, default=10**9)
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--start", type=Path, help="weights of a student to go on from")
    parser.add_argument("--teachers", default="mpnet,mpnet,mpnet,granite,e5", help="one named thrice counts thrice")
    parser.add_argument("--name", default="student")
    parser.add_argument("--only-teachers", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.time()
    log: list = []

    opener = lzma.open if options.corpus.suffix == ".xz" else open
    with opener(options.corpus, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    unseen = [row for row in rows if row["group"].startswith(UNSEEN)]
    rows = [row for row in rows if not row["group"].startswith(UNSEEN)][: options.texts]
    measures = [Quality(), Unseen(unseen)]
    texts, passages = [row["text"] for row in rows], [row["kind"] in PASSAGES for row in rows]
    print(f"{len(rows)} texts, {len(unseen)} unseen, {time.time() - began:.0f} s", flush=True)

    student = encoder.minilm(load_file(options.folder / "minilm.safetensors")).to(DEVICE)
    tokenizer = Tokenizer.from_file(str(options.folder / "minilm.json"))
    embedder = lambda model: lambda asked, _: unit(embed(model, Tokens(tokenizer, asked)))
    report("all-MiniLM-L6-v2", measures, embedder(student.eval()), log)

    names = options.teachers.split(",")
    if options.cache and options.cache.exists():
        kept = torch.load(options.cache, map_location=DEVICE, weights_only=True)
    else:
        teachers = Teachers(options.folder)
        kept = {"vectors": {}, "middle": {}}
        for name in teachers.all:
            kept["vectors"][name] = vectors = teachers.one(name, texts, passages)
            kept["middle"][name] = vectors.float().mean(0)
            print(f"{name}: {time.time() - began:.0f} s", flush=True)
            report(name, measures, lambda asked, what, name=name: unit(teachers.one(name, asked, [what == "passage"] * len(asked))), log)
        teachers.middle = kept["middle"]
        for some in (("mpnet", "granite", "e5"), ("mpnet", "granite"), ("mpnet", "e5")):
            ask = lambda asked, what, some=some: unit(
                teachers.joined({name: teachers.one(name, asked, [what == "passage"] * len(asked)) for name in some})
            )
            report("+".join(some), measures, ask, log)
        kept["start"] = embed(student.eval(), Tokens(tokenizer, texts))
        if options.cache:
            torch.save(kept, options.cache)
        del teachers
    save_log(options, log)
    if options.only_teachers:
        return

    targets = torch.cat(
        [F.normalize(kept["vectors"][name].float() - kept["middle"][name], dim=-1).half() for name in names], -1
    ) / math.sqrt(len(names))
    sample = torch.randperm(len(targets), generator=torch.Generator().manual_seed(SEED))[:200_000].to(DEVICE)
    part = targets[sample].float()
    _, basis = torch.linalg.eigh(part.T @ part)
    basis = basis[:, -384:]
    u, _, v = torch.linalg.svd((part @ basis).T @ kept["start"][sample].float())
    basis = basis @ (u @ v)
    points = torch.empty(len(targets), 384, dtype=torch.float16, device=DEVICE)
    for at in range(0, len(targets), 100_000):
        points[at : at + 100_000] = F.normalize(targets[at : at + 100_000].float() @ basis, dim=-1).half()
    print(f"targets: {(points[sample].float() * kept['start'][sample].float()).sum(-1).mean():.3f} near the start", flush=True)
    del kept, part

    tokens = Tokens(tokenizer, texts)
    groups = np.unique([row["group"] for row in rows], return_inverse=True)[1]
    if options.start:
        student.load_state_dict({name: torch.from_numpy(value) for name, value in load_file(options.start).items()})
        student.to(DEVICE)
    decayed = [p for p in student.parameters() if p.ndim > 1]
    other = [p for p in student.parameters() if p.ndim == 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": other, "weight_decay": 0.0}], options.rate, betas=(0.9, 0.98), fused=DEVICE == "cuda")
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / 200) * max(0.5 * (1 + math.cos(math.pi * step / options.steps)), 0.01)
    )
    mean = {name: value.detach().clone() for name, value in student.state_dict().items()}
    draw = np.random.default_rng(SEED)
    order, at = shuffled(groups, draw, options.chunk), 0
    student.train()
    for step in range(options.steps):
        if at + options.batch > len(order):
            order, at = shuffled(groups, draw, options.chunk), 0
        places = torch.from_numpy(order[at : at + options.batch]).to(DEVICE)
        at += options.batch
        places = places[torch.argsort(tokens.lengths[places])]
        vectors = []
        for piece in places.split(max(1, options.batch // 8)):
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                vectors.append(student(*tokens.batch(piece)))
        vectors = torch.cat(vectors)
        loss, near = losses(vectors, points[places].float(), targets[places].float(), options)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        keep = min(0.999, (step + 1) / (step + 50))
        with torch.no_grad():
            now = student.state_dict()
            torch._foreach_lerp_(list(mean.values()), [now[name] for name in mean], 1 - keep)
        if step % 100 == 0:
            print(f"{step} loss {loss.item():.4f} near {near.item():.4f} {time.time() - began:.0f} s", flush=True)
        if (step + 1) % max(1, options.steps // 8) == 0 or step + 1 == options.steps:
            backup = {name: value.clone() for name, value in student.state_dict().items()}
            student.load_state_dict(mean)
            student.eval()
            report(f"step {step + 1}", measures, embedder(student), log)
            if step + 1 == options.steps:
                for width in (192, 96):
                    narrow = lambda asked, what: unit(embed(student, Tokens(tokenizer, asked))[:, :width])
                    report(f"{width} dimensions", measures, narrow, log)
            student.load_state_dict(backup)
            student.train()
    save_log(options, log)
    # One part in five stays what it was: that costs nothing where it was trained and keeps what it knew elsewhere.
    start = encoder.minilm(load_file(options.folder / "minilm.safetensors")).state_dict()
    mixed = {name: 0.8 * value.float().cpu() + 0.2 * start[name] for name, value in mean.items()}
    save_file({name: value.numpy().astype(np.float16) for name, value in mixed.items()}, options.out / f"{options.name}.safetensors")
    print(f"done after {time.time() - began:.0f} s", flush=True)


def losses(vectors, points, targets, options) -> tuple[torch.Tensor, torch.Tensor]:
    near = (vectors * points).sum(-1).mean()
    loss = 1 - near
    if options.rank:
        diagonal = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
        wanted = (targets @ targets.T / options.sharp).masked_fill(diagonal, -1e4)
        wanted = F.log_softmax(wanted, -1)
        for width, weight in WIDTHS.items():
            short = F.normalize(vectors[:, :width], dim=-1) if width < 384 else vectors
            given = F.log_softmax((short @ short.T / options.sharp).masked_fill(diagonal, -1e4), -1)
            loss = loss + options.rank * weight * F.kl_div(given, wanted, reduction="batchmean", log_target=True)
    return loss, near.detach()


def shuffled(groups: np.ndarray, draw: np.random.Generator, chunk: int) -> np.ndarray:
    """All texts in a new order in which some of one group stay together."""
    order = draw.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    pieces = [order[at : at + chunk] for at in range(0, len(order), chunk)]
    draw.shuffle(pieces)
    return np.concatenate(pieces)


def save_log(options, log: list) -> None:
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{options.name}.json").write_text("\n".join(json.dumps(row) for row in log) + "\n")


if __name__ == "__main__":
    main()
