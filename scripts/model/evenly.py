#!/usr/bin/env python3
"""The sixth stage: the reader goes on, with queries whose manner does not tell whether anything answers them.

Near misses had mostly been written as orders and topics, what is answered as questions and complaints, and the reader had learnt to
tell the one manner from the other. manner.tsv and twins.tsv turn that round: topics and orders that a requirement answers,
questions and complaints that it does not. Of both kinds as many are read as of the old ones, so that the manner says nothing.
What the reader that is shipped thinks of a pair counts where nothing is known of it.

It needs no accelerator: two cores with bfloat16 read some eighty pairs a second. Some repositories only measure (KEPT), besides those that always do.

Usage: evenly.py TOKENIZER.json REQUIREMENTS OUT [--steps N] [--each N]
    REQUIREMENTS is what `written.py … --farther` wrote
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

import shipped
from evaluate import area
from graded import WANTED, elsewhere, lines
from question import Asker
from reader import Reader
from sharpen import embedder, lateness
from shown import SEPARATOR, Pairs, Shown
from train import DEVICE, SEED, UNSEEN, Tokens

# Of manner.tsv, which only measure.
KEPT = ("beycom/onetool-mcp", "bobgru/manars-kitchen", "KrisMoody/cpq", "RafalOsieka/osi.time.tracker", "UseJunior/email-agent-mcp")
# So many pairs of each kind in a step: a query with its own requirement, and with others that search would show.
STEP = {"even": 40, "even others": 12, "evenly missed": 40, "written": 26, "written others": 12, "missed": 26, "strange": 18, "elsewhere": 8, "graded": 18}
# So many of the nearest others are candidates.
SHOWN = 2
# A repository that strangers visit has at least so many requirements.
LARGE = 40


def go_on_from(own: dict[str, np.ndarray]) -> Reader:
    """The reader whose weights these are."""
    reader = Reader(shipped.trunk()[0], len(own["layers.0.query.narrow"]))
    state = {name if hasattr(reader, name.split(".")[0]) else f"body.{name}": torch.from_numpy(value) for name, value in own.items()}
    reader.load_state_dict(reader.state_dict() | state)
    return reader.to(DEVICE).eval()


class Data:
    """Pairs of each kind as places in the texts, with what is known of each: how sure to be, and how much of that is the shipped reader's thought."""

    def __init__(self, rows: list[dict], tokenizer: Tokenizer, tell) -> None:
        self.texts = [row["gist"] for row in rows]
        self.pairs: dict[str, list[tuple[int, int, float, float]]] = {kind: [] for kind in STEP}
        alone, asker = Asker(tokenizer, 0).to(DEVICE).eval(), Asker(tokenizer, 8)
        asker.go_on_from_shipped()
        asker = asker.to(DEVICE).eval()
        self.there = torch.from_numpy(embedder(alone, tokenizer)(self.texts, "")).to(DEVICE)
        self.embed = lambda texts: torch.from_numpy(embedder(asker, tokenizer)(texts, "")).to(DEVICE)
        tell("requirements embedded")
        self.repository = torch.from_numpy(np.unique([row["repository"] for row in rows], return_inverse=True)[1]).to(DEVICE)
        large = torch.nonzero(torch.bincount(self.repository) >= LARGE)[:, 0]
        draw = np.random.default_rng(SEED)
        even = lambda row, kind: row.get("evenly", {}).get(kind, [])
        old = lambda row, kind: [query for query in dict.fromkeys(row[kind]) if query not in even(row, kind)]
        gather = lambda of, kind: [(query, number) for number, row in enumerate(rows) for query in of(row, kind)]
        some = lambda pairs, most: [pairs[n] for n in draw.permutation(len(pairs))[:most]]
        asked, missed = gather(even, "asked"), gather(even, "missed")
        count = len(asked)
        written, near = some(gather(old, "asked"), 2 * count), some(gather(old, "missed"), 2 * count)
        tell(f"{len(asked)} even, {len(missed)} evenly missed, {len(written)} written, {len(near)} missed")
        # Whoever wrote a query knows what answers it; what else is near may do so too.
        self.add("even", "even others", asked, (0.9, 0.1), (0.0, 1.0))
        self.add("evenly missed", "evenly missed", missed, (0.0, 0.05), (0.0, 0.4))
        self.add("written", "written others", written, (0.8, 0.2), (0.0, 1.0))
        self.add("missed", "missed", near, (0.0, 0.05), (0.0, 0.4))
        strangers = some(asked + missed + written + near, count)
        visited = large[torch.from_numpy(draw.integers(len(large), size=len(strangers))).to(DEVICE)]
        self.visit("strange", [query for query, _ in strangers], visited, self.repository[[number for _, number in strangers]], 0.5)
        nowhere = elsewhere(measuring=False) * 2
        visited = large[torch.from_numpy(draw.integers(len(large), size=len(nowhere))).to(DEVICE)]
        self.visit("elsewhere", nowhere, visited, torch.full((len(nowhere),), -1, device=DEVICE), 0.2)
        place = {row["item"]: number for number, row in enumerate(rows)}
        for kind, query, graded in lines():
            if not kind.startswith("left"):
                for item, grade in graded:
                    if item in place:
                        self.put("graded", query, place[item], WANTED[grade] * 0.98 + 0.01, 0.0)
        self.queries = sorted({query for pairs in self.pairs.values() for query, *_ in pairs})
        number = {query: len(self.texts) + n for n, query in enumerate(self.queries)}
        self.pairs = {kind: [(number[query], *rest) for query, *rest in pairs] for kind, pairs in self.pairs.items()}
        self.tokens = Tokens(tokenizer, self.texts + self.queries)
        tell(json.dumps({kind: len(pairs) for kind, pairs in self.pairs.items()}))

    def put(self, kind: str, query: str, text: int, known: float, thought: float) -> None:
        self.pairs[kind].append((query, text, known, thought))

    def add(self, kind: str, other: str, pairs: list[tuple[str, int]], own, others) -> None:
        for piece in range(0, len(pairs), 512):
            part = pairs[piece : piece + 512]
            numbers = torch.tensor([number for _, number in part], device=DEVICE)
            near = self.embed([query for query, _ in part]) @ self.there.T
            near = near.masked_fill(self.repository[None, :] != self.repository[numbers][:, None], -2).scatter(1, numbers[:, None], -2)
            for (query, number), found in zip(part, near.topk(SHOWN, -1).indices.tolist()):
                self.put(kind, query, number, *own)
                for place in found:
                    if self.repository[place] == self.repository[number]:
                        self.put(other, query, place, *others)

    def visit(self, kind: str, queries: list[str], visited: torch.Tensor, own: torch.Tensor, believed: float) -> None:
        for piece in range(0, len(queries), 512):
            part = slice(piece, piece + 512)
            near = self.embed(queries[part]) @ self.there.T
            near = near.masked_fill(self.repository[None, :] != visited[part][:, None], -2)
            for query, found, there, home in zip(queries[part], near.topk(SHOWN, -1).indices.tolist(), visited[part].tolist(), own[part].tolist()):
                for place in found if there != home else ():
                    self.put(kind, query, place, 0.0, believed)

    def plan(self, steps: int) -> list[torch.Tensor]:
        """The pairs of each step: query, text, what is known, and how much the thought counts. Each kind is gone through again and again."""
        draw = np.random.default_rng(SEED)
        rows = []
        for kind, count in STEP.items():
            pairs = torch.tensor(self.pairs[kind], dtype=torch.float64)
            order = np.concatenate([draw.permutation(len(pairs)) for _ in range(math.ceil(steps * count / len(pairs)))])[: steps * count]
            rows.append(pairs[torch.from_numpy(order)].view(steps, count, 4))
        return list(torch.cat(rows, 1))


class Measures:
    def __init__(self, rows: list[dict], tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        alone = Asker(tokenizer, 0).to(DEVICE).eval()
        self.shown = Shown([row for row in rows if row["repository"].startswith(UNSEEN)], embedder(alone, tokenizer), lateness(alone, tokenizer))
        self.kept = [row for row in rows if row["repository"].startswith(KEPT) and "evenly" in row]

    @torch.no_grad()
    def evenly(self, model: Reader) -> dict[str, float]:
        """How well it tells what a requirement answers from what it does not: each query with its own requirement, of the new manner, the old and both."""
        pairs = []
        for row in self.kept:
            for kind in ("asked", "missed"):
                fresh = row["evenly"][kind]
                pairs += [(query, row["gist"], kind, "new") for query in fresh]
                pairs += [(query, row["gist"], kind, "old") for query in row[kind] if query not in fresh]
        tokens = Tokens(self.tokenizer, [pair[0] for pair in pairs] + [pair[1] for pair in pairs])
        places = torch.arange(len(pairs), device=DEVICE)
        said = Pairs(tokens, SEPARATOR).run(model, places, places + len(pairs), 16_000).cpu().numpy()
        of = lambda kind, manner: said[[n for n, pair in enumerate(pairs) if pair[2] == kind and manner in ("both", pair[3])]]
        return {manner: round(float(area(of("asked", manner), of("missed", manner))), 4) for manner in ("new", "old", "both")}

    def tell(self, model: Reader, label: str, tell) -> None:
        model.eval()
        tell(f"{label} {json.dumps(self.evenly(model) | self.shown.measure(model, self.tokenizer))}")


def go_on(data: Data, plan: list[torch.Tensor], options, tell, measures) -> Reader:
    model, before = go_on_from(shipped.beside("reader")), go_on_from(shipped.beside("reader"))
    pairs = Pairs(data.tokens, SEPARATOR)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    mean = [parameter.detach().clone() for parameter in trained]
    decayed = [parameter for parameter in trained if parameter.ndim > 1]
    rest = [parameter for parameter in trained if parameter.ndim == 1]
    optimizer = torch.optim.AdamW([{"params": decayed, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], options.rate, betas=(0.9, 0.98))
    for step, row in enumerate(plan):
        model.train()
        rate = options.rate * min(1, (step + 1) / 40) * max(0.5 * (1 + math.cos(math.pi * step / len(plan))), 0.02)
        for group in optimizer.param_groups:
            group["lr"] = rate
        queries, texts = row[:, 0].long().to(DEVICE), row[:, 1].long().to(DEVICE)
        known, share = row[:, 2].float().to(DEVICE), row[:, 3].float().to(DEVICE)
        thought = torch.zeros_like(known)
        open_ = share > 0
        with torch.no_grad():
            thought[open_] = torch.sigmoid(pairs.run(before, queries[open_], texts[open_], options.budget))
        wanted = (known + share * thought).clamp(0.01, 0.99)
        said = pairs.run(model, queries, texts, options.budget)
        loss = F.binary_cross_entropy_with_logits(said, wanted)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(mean, trained, 1 - min(0.99, (step + 1) / (step + 20)))
        if step % 25 == 0:
            tell(f"{step} {loss.item():.4f}")
        if (step + 1) % options.each == 0:
            kept = [parameter.detach().clone() for parameter in trained]
            put(trained, mean)
            save(model, options.out / f"reader-{step + 1}.safetensors")
            measures.tell(model, f"step {step + 1}", tell)
            put(trained, kept)
    put(trained, mean)
    return model.eval()


@torch.no_grad()
def put(parameters, values) -> None:
    for parameter, value in zip(parameters, values):
        parameter.copy_(value)


def save(model: Reader, path: Path) -> None:
    save_file({name: value.astype(np.float16) for name, value in model.own().items()}, path)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("tokenizer", "requirements", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--steps", type=int, default=1_000)
    parser.add_argument("--each", type=int, default=250, help="measure, and write, after so many steps")
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--budget", type=int, default=8_000, help="tokens at once")
    parser.add_argument("--every", type=int, default=1, help="of the requirements, to try the code")
    options = parser.parse_args()
    torch.manual_seed(SEED)
    began = time.time()
    tell = lambda text: print(f"{text} ({time.time() - began:.0f} s)", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    rows = [json.loads(line) for line in options.requirements.open(encoding="utf-8")]
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    measures = Measures(rows, tokenizer)
    tell("measures are ready")
    data = Data([row for row in rows if not row["repository"].startswith(UNSEEN + KEPT)][:: options.every], tokenizer, tell)
    measures.tell(go_on_from(shipped.beside("reader")), "before", tell)
    model = go_on(data, data.plan(options.steps), options, tell, measures)
    save(model, options.out / "reader.safetensors")
    measures.tell(model, "at last", tell)


if __name__ == "__main__":
    main()
