#!/usr/bin/env python3
"""The sixth stage: the reader goes on, with queries whose manner does not tell whether anything answers them.

Near misses had mostly been written as orders and topics, what is answered as questions and complaints, and the reader had learnt to
tell the one manner from the other. manner.tsv and twins.tsv turn that round: topics and orders that a requirement answers,
questions and complaints that it does not. What the reader that is shipped thinks of the other candidates counts where nothing is known of them.

Two readers go on from the one that is shipped, each with dice of its own; `mixed` in reader_graph.py takes the mean of their weights. Some
repositories only measure (KEPT), besides those that always do.

Usage: evenly.py TOKENIZER.json REQUIREMENTS OUT [--seconds N]
    REQUIREMENTS is what `written.py … --farther` wrote
"""

import argparse
import json
import lzma
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer

import reader as reading
import shipped
from adapt import Asked, optimizer_of, step_with
from evaluate import area
from graded import Distant, Graded, Twins, elsewhere
from reader import EVEN, EVENLY_MISSED, MISSED, STRANGE, STRUCTURAL, WRITTEN, Cases, Reader
from sharpen import Student, embedder, lateness
from shown import SEPARATOR, Pairs, Shown
from train import DEVICE, SEED, UNSEEN, Tokens, embed

# Of manner.tsv, which only measure.
KEPT = ("beycom/onetool-mcp", "bobgru/manars-kitchen", "KrisMoody/cpq", "RafalOsieka/osi.time.tracker", "UseJunior/email-agent-mcp")
# So many cases of each kind are judged by the reader that is shipped.
CASES = {WRITTEN: 22_000, MISSED: 12_000, STRUCTURAL: 7_000, STRANGE: 16_000, EVEN: 12_000, EVENLY_MISSED: 12_000}


def go_on_from(options) -> Reader:
    """The reader that is shipped, or the mean of those that a run before wrote."""
    known = [load_file(path) for path in options.after] or [shipped.beside("reader")]
    own = {name: torch.from_numpy(np.mean([one[name] for one in known], 0, np.float32)) for name in known[0]}
    reader = Reader(shipped.trunk()[0], len(own["layers.0.query.narrow"]))
    state = {name if hasattr(reader, name.split(".")[0]) else f"body.{name}": value for name, value in own.items()}
    reader.load_state_dict(reader.state_dict() | state)
    return reader.to(DEVICE).eval()


class Data:
    def __init__(self, options, tell) -> None:
        opener = lzma.open if options.requirements.suffix == ".xz" else open
        with opener(options.requirements, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        measuring = UNSEEN + KEPT
        # As the program reads them.
        learnt = [row | {"whole": row["gist"]} for row in rows if not row["repository"].startswith(measuring)][:: options.every]
        self.tokenizer = tokenizer = Tokenizer.from_file(str(options.tokenizer))
        self.asked = asked = Asked(learnt)
        asked.elsewhere = [asked.place(query) for query in elsewhere(measuring=False)]
        body, head = shipped.trunk()
        student = Student(body, tokenizer).to(DEVICE).eval()
        student.head.weight.data.copy_(head)
        near = embedder(student, tokenizer)
        alone = lambda texts: near(texts, "")
        self.known = [Graded(learnt, asked), Distant(asked, alone), Twins(asked, alone)]
        self.pairs = Pairs(Tokens(tokenizer, asked.texts), SEPARATOR)
        with torch.no_grad():
            self.cases = Cases(asked, embed(student.vector, self.pairs.tokens), 1)
        self.draw_some()
        self.shown = Shown([row for row in rows if row["repository"].startswith(UNSEEN)], near, lateness(student, tokenizer))
        self.kept = [row for row in rows if row["repository"].startswith(KEPT) and "evenly" in row]
        counts = torch.bincount(self.cases.kind, minlength=6).tolist()
        tell(f"{len(learnt)} requirements, cases {counts}, {[len(one) for one in self.known]} known, {len(self.kept)} kept")

    def draw_some(self) -> None:
        draw, cases = np.random.default_rng(SEED), self.cases
        some = []
        for kind, most in CASES.items():
            own = torch.nonzero(cases.kind == kind)[:, 0].cpu().numpy()
            some.append(draw.permutation(own)[:most])
        places = torch.from_numpy(np.concatenate(some)).to(DEVICE)
        cases.queries, cases.texts, cases.kind = (part[places] for part in (cases.queries, cases.texts, cases.kind))

    @torch.no_grad()
    def opinions(self, model: Reader, budget: int) -> torch.Tensor:
        texts = self.cases.texts
        queries = self.cases.queries[:, None].expand_as(texts)
        pieces = zip(queries.reshape(-1).split(1 << 17), texts.reshape(-1).split(1 << 17))
        return torch.cat([self.pairs.run(model, *piece, budget) for piece in pieces]).view(texts.shape)

    @torch.no_grad()
    def evenly(self, model: Reader) -> dict[str, float]:
        """How well it tells what a requirement answers from what it does not, each query with its own requirement."""
        pairs = [(query, row["gist"], kind) for row in self.kept for kind in ("asked", "missed") for query in row["evenly"][kind]]
        tokens = Tokens(self.tokenizer, [pair[0] for pair in pairs] + [pair[1] for pair in pairs])
        places = torch.arange(len(pairs), device=DEVICE)
        said = Pairs(tokens, SEPARATOR).run(model, places, places + len(pairs), 60_000).cpu().numpy()
        of = lambda kind: said[[place for place, pair in enumerate(pairs) if pair[2] == kind]]
        found = {"evenly": area(of("asked"), of("missed"))} if pairs else {}
        return {key: round(float(value), 4) for key, value in found.items()}

    def measure(self, model: Reader, label: str, tell) -> None:
        model.eval()
        tell(f"{label} {json.dumps(self.evenly(model) | self.shown.measure(model, self.tokenizer))}")


def wanted_of(data: Data, thought: torch.Tensor, strange: float) -> torch.Tensor:
    """How sure a reader should be of each pair."""
    kind, wanted = data.cases.kind, thought.clone()
    wanted[kind == STRANGE] *= strange
    first = {WRITTEN: (0.7, 0.3), STRUCTURAL: (0.5, 0.5), EVEN: (0.9, 0.1), MISSED: (0.0, 0.2), EVENLY_MISSED: (0.0, 0.1)}
    for which, (least, share) in first.items():
        wanted[kind == which, 0] = least + share * thought[kind == which, 0]
    return wanted


def go_on(data: Data, said: torch.Tensor, seed: int, options, tell) -> Reader:
    """Trains for so many seconds, and leaves the reader as the running mean of its weights."""
    model, cases = go_on_from(options), data.cases
    for one in data.known:
        one.wanted = one.wanted.clamp(0.01, 0.99)
    thought = torch.sigmoid(said)
    wanted = wanted_of(data, thought, options.strange)
    has_answer = (cases.kind == WRITTEN) | (cases.kind == STRUCTURAL) | (cases.kind == EVEN)
    of_kind = [torch.nonzero(cases.kind == kind)[:, 0] for kind in range(6)]
    size = options.size
    counts = {WRITTEN: size, MISSED: size // 2, STRUCTURAL: size // 3, STRANGE: int(size * options.strangers), EVEN: size, EVENLY_MISSED: size}
    draw = np.random.default_rng(seed)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    mean = [parameter.detach().clone() for parameter in trained]
    optimizer, _ = optimizer_of(model, options.rate, 1, 1)
    began, part = time.time(), 0.0
    step = 0
    while part < 1:
        model.train()
        rate = options.rate * min(1, (step + 1) / 60) * max(0.5 * (1 + np.cos(np.pi * part)), 0.02)
        for group in optimizer.param_groups:
            group["lr"] = rate
        some = [of_kind[kind][torch.from_numpy(draw.choice(len(of_kind[kind]), min(count, len(of_kind[kind])), replace=False)).to(DEVICE)] for kind, count in counts.items()]
        places = torch.cat(some)
        texts = cases.texts[places]
        queries = cases.queries[places][:, None].expand_as(texts)
        known = [torch.from_numpy(draw.choice(len(one), min(options.known, len(one)), replace=False)).to(DEVICE) for one in data.known]
        all_queries = torch.cat([queries.reshape(-1)] + [one.queries[own] for one, own in zip(data.known, known)])
        all_texts = torch.cat([texts.reshape(-1)] + [one.texts[own] for one, own in zip(data.known, known)])
        told = data.pairs.run(model, all_queries, all_texts, options.budget)
        read, rest = told[: texts.numel()].view(texts.shape), told[texts.numel() :]
        weight = torch.full_like(read, 0.4)
        weight[:, 0] = 2
        weight[cases.kind[places] == STRANGE] = options.strange_weight
        truth = F.binary_cross_entropy_with_logits(read, wanted[places], weight)
        ranked = F.kl_div(F.log_softmax(read, -1), F.log_softmax(said[places], -1), reduction="none", log_target=True)
        certain = F.binary_cross_entropy_with_logits(rest, torch.cat([one.wanted[own] for one, own in zip(data.known, known)]))
        loss = truth + 0.1 * (ranked.sum(-1) * has_answer[places]).mean() + options.known_weight * certain
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(mean, trained, 1 - min(0.99, (step + 1) / (step + 20)))
        if step % 50 == 0:
            tell(f"{step} {loss.item():.4f} truth {truth.item():.4f} known {certain.item():.4f}")
        step += 1
        part = (time.time() - began) / options.seconds if options.seconds else step / options.steps
    with torch.no_grad():
        for parameter, value in zip(trained, mean):
            parameter.copy_(value)
    tell(f"{step} steps")
    return model.eval()


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("tokenizer", "requirements", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--steps", type=int, default=900)
    parser.add_argument("--seconds", type=float, default=0, help="for each of the readers, instead of steps")
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--every", type=int, default=1, help="of the requirements, to try the code")
    parser.add_argument("--size", type=int, default=20, help="written queries in a step")
    parser.add_argument("--known", type=int, default=160, help="so many pairs of each kind of which the truth is known, in a step")
    parser.add_argument("--known-weight", type=float, default=1.0)
    parser.add_argument("--rate", type=float, default=6e-4)
    parser.add_argument("--after", type=Path, nargs="*", default=[], help="go on from the mean of these instead of what is shipped")
    parser.add_argument("--strange", type=float, default=0.5, help="so much of what is thought of strangers is believed")
    parser.add_argument("--strange-weight", type=float, default=0.5)
    parser.add_argument("--strangers", type=float, default=1.0, help="so many for each written query")
    parser.add_argument("--budget", type=int, default=120_000, help="tokens at once")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.time()
    tell = lambda text: print(f"{text} ({time.time() - began:.0f} s)", flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    data = Data(options, tell)
    before = go_on_from(options)
    data.measure(before, "before", tell)
    said = data.opinions(before, 2 * options.budget)
    tell("opinions")
    readers = []
    for number in range(options.readers):
        readers.append(go_on(data, said, options.seed + number, options, tell))
        own = readers[-1].own()
        save_file({name: value.astype(np.float16) for name, value in own.items()}, options.out / f"evenly-{options.seed + number}.safetensors")
        data.measure(readers[-1], f"reader {number}", tell)
    if len(readers) > 1:
        first, second = readers
        with torch.no_grad():
            for one, other in zip(first.parameters(), second.parameters()):
                one.copy_((one + other) / 2)
        data.measure(first, "mean", tell)
    tell("done")


if __name__ == "__main__":
    main()
