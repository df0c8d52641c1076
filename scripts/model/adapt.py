#!/usr/bin/env python3
"""The second stage: what people ask, learnt by the first teacher and passed on to the student.

1. mpnet is tuned on the queries of written.tsv and on what the structure of requirements gives (a scenario's name or first
   clause asks for its requirement), against requirements of the same spec and repository. The target of a query is seven
   parts its requirement and three parts what mpnet thought before, since a vague query may well mean a neighbour.
2. mpnet as it is now (counted three times), granite and e5 embed the corpus.
3. The student goes on from where train.py left it, with train.py's losses, and answers the same queries in each step.

Everything is measured on the tuning half of the quality set and on the written queries of the repositories left out.

Usage: adapt.py FOLDER CORPUS REQUIREMENTS STUDENT.safetensors OUT [options]
    FOLDER        what teachers.sh wrote
    REQUIREMENTS  what written.py wrote
    STUDENT       what train.py wrote, to go on from
"""

import argparse
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file
from tokenizers import Tokenizer

import encoder
from evaluate import Quality, Written
from names import read
from train import DEVICE, PASSAGES, SEED, UNSEEN, Teachers, Tokens, embed, losses, report, shuffled, unit

MIX, TEMPERATURE = 0.7, 0.05


class Asked:
    """Draws queries with their requirement and with neighbours that are not meant."""

    def __init__(self, rows: list[dict]) -> None:
        self.texts: list[str] = []
        self.of: list[list[int]] = []
        self.written: list[tuple[int, int]] = []
        self.missed: list[tuple[int, int]] = []
        self.structural: list[tuple[int, int]] = []
        by_spec, by_repository = {}, {}
        for number, row in enumerate(rows):
            by_spec.setdefault(row["spec"], []).append(number)
            by_repository.setdefault(row["repository"], []).append(number)
            self.of.append([self.place(text) for text in [row["whole"], *row["parts"][:1], *row["parts"][1:3]]])
            self.written += [(self.place(query), number) for query in row["asked"]]
            self.missed += [(self.place(query), number) for query in row["missed"]]
            self.structural += [(self.place(query), number) for query in row["names"][:2] + row["clauses"][:1]]
        self.repository = np.unique([row["repository"] for row in rows], return_inverse=True)[1].tolist()
        self.near = [by_spec[row["spec"]] for row in rows]
        self.far = [by_repository[row["repository"]] for row in rows]

    def place(self, text: str) -> int:
        self.texts.append(text)
        return len(self.texts) - 1

    def draw(self, draw: np.random.Generator, written: int, structural: int, others: int):
        pairs = [self.written[n] for n in draw.choice(len(self.written), written, replace=False)]
        pairs += [self.structural[n] for n in draw.choice(len(self.structural), structural, replace=False)]
        queries, passages, owners = [], [], []
        for place, (query, number) in enumerate(pairs):
            queries.append(query)
            # A scenario asks for the description: in the whole it would find itself.
            passages.append(self.of[number][1] if place >= written else self.of[number][draw.integers(min(3, len(self.of[number])))])
            owners.append(number)
        for place, (_, number) in enumerate(pairs):
            for _ in range(others):
                pool = self.near[number] if draw.random() < 0.5 and len(self.near[number]) > 1 else self.far[number]
                other = int(draw.choice(pool))
                passages.append(self.of[other][draw.integers(2)])
                owners.append(other)
        wanted = torch.tensor([number for _, number in pairs], device=DEVICE)
        same = torch.tensor(owners, device=DEVICE)[None, :] == wanted[:, None]
        return torch.tensor(queries, device=DEVICE), torch.tensor(passages, device=DEVICE), same


def asking(queries, passages, same, before) -> torch.Tensor:
    """Cross entropy to the right requirement, softened by what a teacher thought."""
    given = F.log_softmax(queries @ passages.T / TEMPERATURE, -1)
    right = same.float() / same.sum(-1, keepdim=True)
    wanted = MIX * right + (1 - MIX) * F.softmax(before / TEMPERATURE, -1)
    return -(wanted * given).sum(-1).mean()


def run(model, tokens: Tokens, places: torch.Tensor, pieces: int = 4) -> torch.Tensor:
    order = torch.argsort(tokens.lengths[places])
    out = []
    for piece in order.split(-(-len(order) // pieces)):
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            out.append(model(*tokens.batch(places[piece])))
    return torch.cat(out)[torch.argsort(order)].float()


def optimizer_of(model, rate: float, steps: int, warm: int):
    decayed = [p for p in model.parameters() if p.requires_grad and p.ndim > 1]
    other = [p for p in model.parameters() if p.requires_grad and p.ndim == 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": other, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, rate, betas=(0.9, 0.98), fused=DEVICE == "cuda")
    shape = lambda step: min(1, (step + 1) / warm) * max(0.5 * (1 + math.cos(math.pi * step / steps)), 0.01)
    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, shape)


def step_with(model, optimizer, schedule, loss) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], 1.0)
    optimizer.step()
    schedule.step()


def tune(model, tokenizer, asked: Asked, options, measure) -> None:
    """Stage 1. The best of four marks on the way is kept."""
    tokens = Tokens(tokenizer, asked.texts)
    before = embed(model.eval(), tokens).float()
    draw = np.random.default_rng(SEED)
    optimizer, schedule = optimizer_of(model, options.tune_rate, options.tune, 30)
    best, kept = measure("mpnet before"), None
    for step in range(options.tune):
        model.train()
        queries, passages, same = asked.draw(draw, 48, 48, 3)
        places = torch.cat([queries, passages])
        vectors = run(model, tokens, places, 3)
        loss = asking(vectors[: len(queries)], vectors[len(queries) :], same, before[queries] @ before[passages].T)
        loss = loss + (1 - (vectors * before[places]).sum(-1)).mean()
        step_with(model, optimizer, schedule, loss)
        if step % 20 == 0:
            print(f"tune {step} {loss.item():.4f}", flush=True)
        if (step + 1) % max(1, options.tune // 4) == 0:
            model.eval()
            found = measure(f"mpnet after {step + 1}")
            if found > best:
                best, kept = found, {name: value.clone() for name, value in model.state_dict().items()}
    if kept is not None:
        model.load_state_dict(kept)
    model.eval()


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "corpus", "requirements", "model", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--tune", type=int, default=240)
    parser.add_argument("--tune-rate", type=float, default=2e-5)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--batch", type=int, default=3072)
    parser.add_argument("--rate", type=float, default=3e-4)
    parser.add_argument("--rank", type=float, default=1.0)
    parser.add_argument("--sharp", type=float, default=0.05)
    parser.add_argument("--chunk", type=int, default=16)
    parser.add_argument("--asking", type=float, default=0.3, help="weight of the written queries")
    parser.add_argument("--texts", type=int, default=10**9)
    parser.add_argument("--name", default="adapted")
    parser.add_argument("--cache", type=Path)
    parser.add_argument("--smoke", action="store_true", help="try the code: no teachers, no corpus")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    began, log = time.time(), []

    rows = [json.loads(line) for line in options.corpus.open(encoding="utf-8")] if not options.smoke else []
    rows = [row for row in rows if not row["group"].startswith(UNSEEN)][: options.texts]
    requirements = [json.loads(line) for line in options.requirements.open(encoding="utf-8")]
    measures = [Quality(), Written([row for row in requirements if row["repository"].startswith(UNSEEN)])]
    asked = Asked([row for row in requirements if not row["repository"].startswith(UNSEEN)])
    print(f"{len(rows)} texts, {len(asked.written)} written, {len(asked.structural)} structural, {time.time() - began:.0f} s", flush=True)

    student = encoder.minilm(read(options.model)).to(DEVICE).eval()
    tokenizer = Tokenizer.from_file(str(options.folder / "minilm.json"))
    embedder = lambda model: lambda texts, _: unit(embed(model, Tokens(tokenizer, texts)))
    report("student before", measures, embedder(student), log)

    if options.cache and options.cache.exists():
        kept = torch.load(options.cache, map_location=DEVICE, weights_only=True)
        targets, points, thought = kept["targets"], kept["points"], kept["thought"]
    elif options.smoke:
        found = lambda label: report(label, measures, embedder(student), log)["fused"]
        tune(student, tokenizer, asked, options, found)
        rows = [{"text": text, "group": str(place // 8), "kind": "whole"} for place, text in enumerate(asked.texts[:20000])]
        thought = embed(student, Tokens(tokenizer, asked.texts))
        targets = points = embed(student, Tokens(tokenizer, [row["text"] for row in rows]))
    else:
        targets, points, thought = taught(options, rows, asked, measures, student, tokenizer, log, began)
        if options.cache:
            torch.save({"targets": targets, "points": points, "thought": thought}, options.cache)

    learn(options, rows, asked, measures, student, tokenizer, (targets, points, thought), log, began)
    state = {name: value.cpu().numpy().astype(np.float16) for name, value in student.state_dict().items()}
    save_file(state, options.out / f"{options.name}.safetensors")
    (options.out / f"{options.name}.json").write_text("\n".join(json.dumps(row) for row in log) + "\n")
    print(f"done after {time.time() - began:.0f} s", flush=True)


def taught(options, rows, asked, measures, student, tokenizer, log, began):
    """Stages 1 and 2: where each text of the corpus should point, and what the teachers think of the queries."""
    texts, passages = [row["text"] for row in rows], [row["kind"] in PASSAGES for row in rows]
    teachers = Teachers(options.folder)
    mpnet, mpnet_tokenizer = teachers.all["mpnet"]

    def measure(label: str) -> float:
        found = report(label, measures, lambda texts, _: unit(embed(mpnet, Tokens(mpnet_tokenizer, texts))), log)
        return found["fused"] + found["written MRR@10"]

    tune(mpnet, mpnet_tokenizer, asked, options, measure)
    print(f"tuned: {time.time() - began:.0f} s", flush=True)
    parts, thoughts = [], []
    shares = {"mpnet": 3, "granite": 1, "e5": 1}
    for name in teachers.all:
        weight = math.sqrt(shares[name] / sum(shares.values()))
        vectors = teachers.one(name, texts, passages)
        middle = vectors[:200_000].float().mean(0)
        parts.append((F.normalize(vectors.float() - middle, dim=-1) * weight).half())
        own = teachers.one(name, asked.texts, [len(text) > 120 for text in asked.texts])
        thoughts.append((F.normalize(own.float() - middle, dim=-1) * weight).half())
        teachers.middle[name] = middle
        print(f"{name}: {time.time() - began:.0f} s", flush=True)

    def joined(texts: list[str], what: str) -> np.ndarray:
        out = []
        for name in teachers.all:
            vectors = teachers.one(name, texts, [what == "passage"] * len(texts)).float() - teachers.middle[name]
            out.append(F.normalize(vectors, dim=-1) * math.sqrt(shares[name] / sum(shares.values())))
        return unit(torch.cat(out, -1))

    report("teachers", measures, joined, log)
    targets = torch.cat(parts, -1)
    start = embed(student, Tokens(tokenizer, texts))
    return targets, turned(targets, start), torch.cat(thoughts, -1)


def turned(targets: torch.Tensor, start: torch.Tensor) -> torch.Tensor:
    """The targets in 384 dimensions, turned towards where the student points now."""
    sample = torch.randperm(len(targets), generator=torch.Generator().manual_seed(SEED))[:200_000].to(DEVICE)
    part = targets[sample].float()
    _, basis = torch.linalg.eigh(part.T @ part)
    basis = basis[:, -384:]
    u, _, v = torch.linalg.svd((part @ basis).T @ start[sample].float())
    basis = basis @ (u @ v)
    return torch.cat([F.normalize(piece.float() @ basis, dim=-1).half() for piece in targets.split(100_000)])


def learn(options, rows, asked, measures, student, tokenizer, lessons, log, began) -> None:
    """Stage 3. The student becomes the running mean of its weights."""
    targets, points, thought = lessons
    tokens, questions = Tokens(tokenizer, [row["text"] for row in rows]), Tokens(tokenizer, asked.texts)
    groups = np.unique([row["group"] for row in rows], return_inverse=True)[1]
    optimizer, schedule = optimizer_of(student, options.rate, options.steps, 100)
    mean = {name: value.detach().clone() for name, value in student.state_dict().items()}
    draw = np.random.default_rng(SEED)
    order, at = shuffled(groups, draw, options.chunk), 0
    for step in range(options.steps):
        student.train()
        if at + options.batch > len(order):
            order, at = shuffled(groups, draw, options.chunk), 0
        places = torch.from_numpy(order[at : at + options.batch]).to(DEVICE)
        at += options.batch
        loss, near = losses(run(student, tokens, places, 8), points[places].float(), targets[places].float(), options)
        queries, passages, same = asked.draw(draw, 96, 96, 3)
        vectors = run(student, questions, torch.cat([queries, passages]), 4)
        before = thought[queries].float() @ thought[passages].float().T
        loss = loss + options.asking * asking(vectors[: len(queries)], vectors[len(queries) :], same, before)
        step_with(student, optimizer, schedule, loss)
        keep = min(0.998, (step + 1) / (step + 50))
        with torch.no_grad():
            now = student.state_dict()
            torch._foreach_lerp_(list(mean.values()), [now[name] for name in mean], 1 - keep)
        if step % 100 == 0:
            print(f"{step} loss {loss.item():.4f} near {near.item():.4f} {time.time() - began:.0f} s", flush=True)
        if (step + 1) % max(1, options.steps // 4) == 0:
            backup = {name: value.clone() for name, value in student.state_dict().items()}
            student.load_state_dict(mean)
            report(f"step {step + 1}", measures, lambda texts, _: unit(embed(student.eval(), Tokens(tokenizer, texts))), log)
            student.load_state_dict(backup)
    student.load_state_dict(mean)
    student.eval()


if __name__ == "__main__":
    main()
