#!/usr/bin/env python3
"""The seventh stage: the reader learns to say what is worth showing for a query, from a judge that read every one beside many requirements.

    widely.py draw TOKENIZER.json REQUIREMENTS CASES
        Every query beside its own requirement, what search shows of the same repository, and what it shows of two others.
        The requirements that were invented (graded.py) are a repository of many trades too, where all but the query's own
        product is strange to it.
    widely.py judge FOLDER CASES OUT
        A judge is made of mpnet by what is known of these pairs, and says what it thinks of all of them.
    widely.py learn TOKENIZER.json CASES OUT JUDGE...
        The reader that is shipped goes on by what is known and what the judges (what they said, as `judge` wrote it) think; without
        judges by what is known alone.

A near miss (a query that a requirement is about, and that it does not answer) is held neither against the requirement nor for it: who asks
such a thing wants to see what there is about it. The reader before had learnt to be so strict with these that it turned away answers in other words.

FOLDER is what teachers.sh wrote, REQUIREMENTS what `written.py … --farther` wrote. It needs an accelerator.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import load_file
from tokenizers import Tokenizer

import encoder
import judge as judging
import shipped
from adapt import optimizer_of, step_with
from evenly import KEPT, LARGE, go_on_from, put, save
from graded import elsewhere, lines
from question import Asker
from sharpen import embedder
from shown import SEPARATOR, Pairs
from train import DEVICE, SEED, UNSEEN, Tokens

# Places of a case: its own requirement, others of the same repository, and what two other repositories show.
OTHERS, VISITS, SHOWN = 4, 2, 3
PLACES = 1 + OTHERS + VISITS * SHOWN
ASKED, MISSED, EVENLY_ASKED, EVENLY_MISSED, ELSEWHERE, GRADED = range(6)
# How much of a step each kind is. Of either manner as many are answered as are not.
SHARE = {ASKED: 0.22, MISSED: 0.18, EVENLY_ASKED: 0.22, EVENLY_MISSED: 0.18, ELSEWHERE: 0.04, GRADED: 0.16}
# How sure to be of a pair that was graded so (graded.py): what bears on a query is worth showing.
WORTH = (0.0, 0.8, 1.0)
TEACH = ("own", "strange", "elsewhere", "everyday", "everyday-strange")
# What is believed of a pair of which nothing is known, and how much that counts. What a near miss comes near to is left open.
OTHERS_OF_ANSWERED, OTHERS_OF_MISSED, STRANGE = (0.3, 0.1), (0.1, 0.1), (0.03, 0.5)
# The least and the most that a judge so taught says.
FLOOR, CEILING = 0.03, 0.97
# What a judge's thought counts beside what is known.
THOUGHT = 0.4


class Repositories:
    """Where requirements lie, and what search would show of a repository for a query."""

    def __init__(self, rows: list[dict], tokenizer: Tokenizer) -> None:
        alone, asker = Asker(tokenizer, 0).to(DEVICE).eval(), Asker(tokenizer, 8)
        asker.go_on_from_shipped()
        asker = asker.to(DEVICE).eval()
        self.there = torch.from_numpy(embedder(alone, tokenizer)([row["gist"] for row in rows], "")).to(DEVICE)
        self.embed = lambda texts: torch.from_numpy(embedder(asker, tokenizer)(texts, "")).to(DEVICE)
        number = lambda names: torch.from_numpy(np.unique(names, return_inverse=True)[1]).to(DEVICE)
        # What was invented is one repository to visitors, and many products to its own queries.
        self.of = number(["invented" if "/" not in row["repository"] else row["repository"] for row in rows])
        self.home = number([row["spec"] if "/" not in row["repository"] else row["repository"] for row in rows])
        large = torch.nonzero(torch.bincount(self.of) >= LARGE)[:, 0]
        invented = self.of[next(n for n, row in enumerate(rows) if "/" not in row["repository"])]
        # Every third visit is to what was invented.
        self.visited = torch.cat([large, invented.expand(len(large) // 2)])

    def near(self, vectors: torch.Tensor, among: torch.Tensor, count: int) -> torch.Tensor:
        """The nearest of those that are `among` for each, and -1 where there are fewer."""
        found = (vectors @ self.there.T).masked_fill(~among, -2).topk(count, -1)
        return torch.where(found.values > -2, found.indices, -1)


def drawn(rows: list[dict], tokenizer: Tokenizer) -> dict:
    repositories = Repositories(rows, tokenizer)
    draw = np.random.default_rng(SEED)
    even = lambda row, kind: row.get("evenly", {}).get(kind, [])
    old = lambda row, kind: [query for query in dict.fromkeys(row[kind]) if query not in even(row, kind)]
    gather = lambda of, kind: [(query, number) for number, row in enumerate(rows) for query in of(row, kind)]
    kinds = {ASKED: gather(old, "asked"), MISSED: gather(old, "missed"), EVENLY_ASKED: gather(even, "asked"), EVENLY_MISSED: gather(even, "missed")}
    kinds[ELSEWHERE] = [(query, -1) for query in elsewhere(measuring=False)] * 4
    place = {row["item"]: number for number, row in enumerate(rows)}
    known = {(query, number): 1.0 for kind in (ASKED, EVENLY_ASKED) for query, number in kinds[kind]}
    grades = [(query, [(place[item], WORTH[grade]) for item, grade in graded if item in place]) for kind, query, graded in lines() if kind in TEACH]
    grades = [(query, graded[:PLACES]) for query, graded in grades if graded]
    known |= {(query, number): wanted for query, graded in grades for number, wanted in graded}
    cases = {"queries": [], "kind": [], "places": [], "known": []}
    for kind, pairs in kinds.items():
        for at in range(0, len(pairs), 512):
            part = pairs[at : at + 512]
            vectors = repositories.embed([query for query, _ in part])
            own = torch.tensor([number for _, number in part], device=DEVICE)[:, None]
            has_own, home = own >= 0, repositories.home[own.clamp(min=0)]
            there = torch.arange(len(rows), device=DEVICE)[None, :]
            at_home = (repositories.home[None, :] == home) & has_own
            found = [own, repositories.near(vectors, at_home & (there != own), OTHERS)]
            for _ in range(VISITS):
                visited = repositories.visited[torch.from_numpy(draw.integers(len(repositories.visited), size=len(part))).to(DEVICE)]
                found.append(repositories.near(vectors, (repositories.of[None, :] == visited[:, None]) & ~at_home, SHOWN))
            for (query, _), places in zip(part, torch.cat(found, -1).tolist()):
                cases["queries"].append(query)
                cases["kind"].append(kind)
                cases["places"].append(places)
                cases["known"].append([known.get((query, number), -1.0) for number in places])
    for query, graded in grades:
        empty = [-1] * (PLACES - len(graded))
        cases["queries"].append(query)
        cases["kind"].append(GRADED)
        cases["places"].append([number for number, _ in graded] + empty)
        cases["known"].append([wanted for _, wanted in graded] + empty)
    return cases | {"texts": [row["gist"] for row in rows]}


class Cases:
    def __init__(self, path: Path, tokenizer: Tokenizer, kind, end: int) -> None:
        cases = json.loads(path.read_text("utf-8"))
        self.kind, self.places, self.known = (torch.tensor(cases[name], device=DEVICE) for name in ("kind", "places", "known"))
        self.queries = torch.arange(len(self.kind), device=DEVICE) + len(cases["texts"])
        self.pairs = kind(Tokens(tokenizer, cases["texts"] + cases["queries"]), end)
        self.of_kind = [torch.nonzero(self.kind == kind)[:, 0].cpu().numpy() for kind in SHARE]

    def draw(self, draw: np.random.Generator, count: int) -> torch.Tensor:
        """Cases of a step, of each kind as many as its share."""
        picked = [own[draw.integers(len(own), size=round(count * share))] for own, share in zip(self.of_kind, SHARE.values())]
        return torch.from_numpy(np.concatenate(picked)).to(DEVICE)

    def flat(self, some: torch.Tensor):
        """Queries and texts of all pairs there, and which places of the cases these are."""
        there = self.places[some] >= 0
        queries = self.queries[some][:, None].expand_as(there)
        return queries[there], self.places[some][there], there

    def believed(self, some: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """How sure to be of each pair by what is known, and how much that counts."""
        known, kind = self.known[some], self.kind[some]
        wanted, weight = (torch.full_like(known, value) for value in STRANGE)
        for kinds, others in (((ASKED, EVENLY_ASKED), OTHERS_OF_ANSWERED), ((MISSED, EVENLY_MISSED), OTHERS_OF_MISSED)):
            own = (kind == kinds[0]) | (kind == kinds[1])
            wanted[own, 1 : 1 + OTHERS], weight[own, 1 : 1 + OTHERS] = others
        weight[:, 0] = 0
        told = known >= 0
        return torch.where(told, FLOOR + (CEILING - FLOOR) * known, wanted), torch.where(told, torch.ones_like(weight), weight)

    @torch.no_grad()
    def read(self, model, budget: int) -> torch.Tensor:
        said = torch.full(self.places.shape, float("nan"), device=DEVICE)
        for some in torch.arange(len(self.kind), device=DEVICE).split(4096):
            queries, texts, there = self.flat(some)
            said[some] = torch.full(there.shape, float("nan"), device=DEVICE).masked_scatter(there, self.pairs.run(model, queries, texts, budget))
        return said


def go_on(model, cases: Cases, options, wanted, tell, each=None):
    """Trains by `wanted` (how sure to be and what it counts, for each of some cases), and leaves the running mean of the weights."""
    optimizer, schedule = optimizer_of(model, options.rate, options.steps, max(1, options.steps // 15))
    draw = np.random.default_rng(options.seed)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    mean = [parameter.detach().clone() for parameter in trained]
    for step in range(options.steps):
        model.train()
        some = cases.draw(draw, options.size)
        queries, texts, there = cases.flat(some)
        sure, weight = (value[there] for value in wanted(some))
        said = cases.pairs.run(model, queries, texts, options.budget)
        loss = (F.binary_cross_entropy_with_logits(said, sure, reduction="none") * weight).sum() / weight.sum()
        step_with(model, optimizer, schedule, loss)
        with torch.no_grad():
            torch._foreach_lerp_(mean, trained, 1 - min(options.keep, (step + 1) / (step + 20)))
        if step % 50 == 0:
            tell(f"{step} {loss.item():.4f}")
        if each and (step + 1) % max(1, options.steps // 3) == 0 and step + 1 < options.steps:
            kept = [parameter.detach().clone() for parameter in trained]
            put(trained, mean)
            each(model.eval(), step + 1)
            put(trained, kept)
    put(trained, mean)
    return model.eval()


@torch.no_grad()
def also(model, tokenizer: Tokenizer, kind, end: int, options, name: str) -> None:
    """What it says of pairs that only measure."""
    if options.also:
        pairs = json.loads(options.also.read_text("utf-8"))
        tokens = Tokens(tokenizer, [query for query, _ in pairs] + [text for _, text in pairs])
        places = torch.arange(len(pairs), device=DEVICE)
        said = kind(tokens, end).run(model, places, places + len(pairs), options.budget)
        np.save(options.out / f"{name}.also.npy", said.cpu().numpy().astype(np.float16))


def judge(options, tell) -> None:
    tokenizer = Tokenizer.from_file(str(options.folder / "mpnet.json"))
    cases = Cases(options.cases, tokenizer, judging.Pairs, 2)
    model = judging.Judge(encoder.mpnet(load_file(options.folder / "mpnet.safetensors"))).to(DEVICE)
    tell(f"{len(cases.kind)} cases, {int((cases.places >= 0).sum())} pairs")
    go_on(model, cases, options, cases.believed, tell)
    also(model, tokenizer, judging.Pairs, 2, options, f"judge-{options.seed}")
    said = cases.read(model, 4 * options.budget)
    np.save(options.out / f"judge-{options.seed}.npy", said.cpu().numpy().astype(np.float16))


def learn(options, tell) -> None:
    tokenizer = Tokenizer.from_file(str(options.folder))
    cases = Cases(options.cases, tokenizer, Pairs, SEPARATOR)
    if options.judges:
        said = torch.stack([torch.from_numpy(np.load(path).astype(np.float32)) for path in options.judges]).mean(0).to(DEVICE)
        thought = ((torch.sigmoid(said) - FLOOR) / (CEILING - FLOOR)).clamp(0.003, 0.997)

    def taught(some: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        known, told = cases.known[some], cases.known[some] >= 0
        sure = torch.where(told, (1 - THOUGHT) * known + THOUGHT * thought[some], thought[some])
        return sure, torch.where(told, 2.0, 1.0)

    model = go_on_from(shipped.beside("reader"))
    also(model, tokenizer, Pairs, SEPARATOR, options, "shipped")

    def each(model, step: int) -> None:
        save(model, options.out / f"reader-{options.seed}-{step}.safetensors")
        also(model, tokenizer, Pairs, SEPARATOR, options, f"reader-{options.seed}-{step}")

    go_on(model, cases, options, taught if options.judges else cases.believed, tell, each)
    each(model, options.steps)


def draw(options, tell) -> None:
    with options.cases.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    rows = [row for row in rows if not row["repository"].startswith(UNSEEN + KEPT)][:: options.every]
    options.out.write_text(json.dumps(drawn(rows, Tokenizer.from_file(str(options.folder))), ensure_ascii=False), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("draw", "judge", "learn"))
    for name in ("folder", "cases", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("judges", type=Path, nargs="*")
    parser.add_argument("--steps", type=int, default=1_200)
    parser.add_argument("--size", type=int, default=50, help="cases in a step")
    parser.add_argument("--rate", type=float, default=3e-5)
    parser.add_argument("--keep", type=float, default=0.99, help="of the running mean, in each step")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--budget", type=int, default=60_000, help="tokens at once")
    parser.add_argument("--every", type=int, default=1, help="of the requirements, to try the code")
    parser.add_argument("--also", type=Path, help="pairs of query and text in JSON, to say what is thought of them")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.time()
    tell = lambda text: print(f"{text} ({time.time() - began:.0f} s)", flush=True)
    if options.what != "draw":
        options.out.mkdir(parents=True, exist_ok=True)
    {"draw": draw, "judge": judge, "learn": learn}[options.what](options, tell)
    tell("done")


if __name__ == "__main__":
    main()
