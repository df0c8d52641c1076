#!/usr/bin/env python3
"""The fourth stage: a reader, which takes a query and a requirement together and says whether the one answers the other.

    reader.py teach FOLDER REQUIREMENTS LESSONS
        A judge is made of mpnet (judge.py), and says what it thinks of queries and their candidates.
    reader.py learn FOLDER REQUIREMENTS LESSONS OUT
        The reader is the model that is shipped, as it is, in four bits, with what lets it read two texts at once: beside each
        matrix two narrow ones (a low rank), norms of its own, a mark on the tokens of the requirement, and a last line.
        So it costs the program little, and vectors stay what they were.

What it learns from: written queries with their requirement and with what search would show beside it; near misses, of which
nothing answers; names and clauses of scenarios; strangers: queries put to other repositories than their own, where most of
what is found only sounds alike; and pairs that were read and graded one by one (graded.py), which count most.

FOLDER is what teachers.sh wrote, REQUIREMENTS what written.py wrote.
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
from torch import nn

import encoder
import judge as judging
import shipped
from adapt import Asked, optimizer_of, step_with
from graded import Distant, Graded, elsewhere
from sharpen import Student, embedder, lateness
from shown import SEPARATOR, Pairs, Shown
from train import DEVICE, SEED, UNSEEN, Tokens, embed

WRITTEN, MISSED, STRUCTURAL, STRANGE = range(4)
CANDIDATES, MINED = 8, 48
# The least and the most that the judge says.
FLOOR, CEILING = 0.05, 0.935


class Beside(nn.Module):
    """A frozen matrix and two narrow ones beside it."""

    def __init__(self, whole: nn.Linear, rank: int) -> None:
        super().__init__()
        self.whole = whole
        self.narrow = nn.Parameter(torch.randn(rank, whole.in_features) * whole.in_features**-0.5)
        self.wide = nn.Parameter(torch.zeros(whole.out_features, rank))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.whole(x) + F.linear(F.linear(x, self.narrow), self.wide)


class Reader(nn.Module):
    def __init__(self, trunk: encoder.Encoder, rank: int) -> None:
        super().__init__()
        self.body, self.rank = trunk, rank
        for parameter in trunk.parameters():
            parameter.requires_grad_(rank == 0)
        trunk.words.weight.requires_grad_(False)
        if rank:
            for layer in trunk.layers:
                for part in shipped.PARTS:
                    setattr(layer, part, Beside(getattr(layer, part), rank))
            for name, parameter in trunk.named_parameters():
                if "norm" in name:
                    parameter.requires_grad_(True)
        self.mark = nn.Parameter(torch.zeros(shipped.HIDDEN))
        self.say = nn.Linear(2 * shipped.HIDDEN, 1)
        nn.init.normal_(self.say.weight, std=0.01)
        nn.init.zeros_(self.say.bias)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
        body = self.body
        x = body.words(ids) + body.positions.weight[: ids.shape[1]] + second[:, :, None] * self.mark
        x = body.norm(x)
        bias = torch.zeros(mask.shape, device=ids.device).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in body.layers:
            x = layer(x, bias)
        x = x.float()
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        with torch.autocast(DEVICE, enabled=False):
            return self.say(torch.cat([x[:, 0], mean], -1))[:, 0]

    def own(self) -> dict[str, np.ndarray]:
        """What it has beside the model that is shipped."""
        state = {name: value.detach().float().cpu().numpy() for name, value in self.named_parameters() if value.requires_grad}
        return {name.removeprefix("body."): value for name, value in state.items()}


class Cases(judging.Cases):
    """Every query with the places of its candidates, `CANDIDATES` each; of strangers the first is no better than the others."""

    def __init__(self, asked: Asked, vectors: torch.Tensor, rounds: int) -> None:
        wholes = torch.tensor([own[0] for own in asked.of], device=DEVICE)
        bare = torch.tensor([own[1] if len(own) > 1 else own[0] for own in asked.of], device=DEVICE)
        repository = torch.tensor(asked.repository, device=DEVICE)
        self.queries, self.texts, self.kind = [], [], []
        draw = np.random.default_rng(SEED)
        chance = lambda shape: torch.from_numpy(draw.random(shape)).to(DEVICE)
        kinds = [(asked.written, wholes, WRITTEN), (asked.missed, wholes, MISSED), (asked.structural, bare, STRUCTURAL)]
        strangers = asked.written + asked.missed + [(place, -1) for place in asked.elsewhere]
        for pairs, texts, kind in kinds + [(strangers, wholes, STRANGE)] * rounds:
            for piece in np.array_split(np.array(pairs), max(1, len(pairs) // 512)):
                places = torch.from_numpy(piece).to(DEVICE)
                near = vectors[places[:, 0]].float() @ vectors[texts].float().T
                own = torch.where(places[:, 1] < 0, -1, repository[places[:, 1]])[:, None]
                if kind == STRANGE:
                    # Some other repositories, and what is found there.
                    visited = chance((len(places), int(repository.max()) + 1)) < 0.06
                    visited = visited.gather(1, repository[None, :].expand(len(places), -1)) & (repository[None, :] != own)
                    others = near.masked_fill(~visited, -2).topk(CANDIDATES, -1).indices
                else:
                    near = near.masked_fill(repository[None, :] != own, -2).scatter(1, places[:, 1:], -3)
                    most = near.topk(MINED, -1).indices
                    first, rest = most[:, : CANDIDATES // 2], most[:, CANDIDATES // 2 :]
                    rest = rest.gather(1, chance(rest.shape).argsort(-1))[:, : CANDIDATES - 1 - first.shape[1]]
                    others = torch.cat([places[:, 1:], first, rest], -1)
                self.queries.append(places[:, 0])
                self.texts.append(texts[others])
                self.kind.append(torch.full((len(places),), kind, device=DEVICE))
        self.queries, self.texts, self.kind = map(torch.cat, (self.queries, self.texts, self.kind))


def judged(said: torch.Tensor, kind: torch.Tensor) -> torch.Tensor:
    """The judge's losses: the right one before the others, and for each pair whether it answers at all."""
    has_answer = (kind == WRITTEN) | (kind == STRUCTURAL)
    ranking = F.cross_entropy(said, torch.zeros(len(said), dtype=torch.long, device=DEVICE), label_smoothing=0.1, reduction="none")
    # As the grades have it: beside the right one every third bears on a query too, and of near misses and strangers hardly any.
    right = torch.full_like(said, 0.03)
    right[has_answer] = 0.2
    right[has_answer, 0] = 0.97
    weight = torch.full_like(said, 0.5)
    weight[has_answer] = 0.15
    weight[kind != STRANGE, 0] = 1
    truth = F.binary_cross_entropy_with_logits(said, right, weight, reduction="none").sum(-1)
    return (0.5 * ranking * has_answer + truth).mean()


def steps_of(model, pairs, cases, known, options, steps: int, rate: float, counts, loss_of, tell, each=None) -> None:
    """Trains, and leaves the model as the running mean of its weights."""
    optimizer, schedule = optimizer_of(model, rate, steps, max(1, steps // 12))
    draw = np.random.default_rng(SEED)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    mean = [parameter.detach().clone() for parameter in trained]
    for step in range(steps):
        model.train()
        places = cases.draw(draw, counts)
        texts = cases.texts[places]
        queries = cases.queries[places][:, None].expand_as(texts)
        said = pairs.run(model, queries.reshape(-1), texts.reshape(-1), options.budget).view(texts.shape)
        truth = 0
        for one in known:
            some = torch.from_numpy(draw.choice(len(one), options.known, replace=False)).to(DEVICE)
            read = pairs.run(model, one.queries[some], one.texts[some], options.budget)
            truth = truth + F.binary_cross_entropy_with_logits(read, one.wanted[some])
        loss = loss_of(said, places) + options.known_weight * truth
        step_with(model, optimizer, schedule, loss)
        with torch.no_grad():
            torch._foreach_lerp_(mean, trained, 1 - min(0.99, (step + 1) / (step + 20)))
        if step % 50 == 0:
            tell(f"{step} {loss.item():.4f} known {truth.item():.4f}")
        if each and (step + 1) % max(1, steps // 3) == 0 and step + 1 < steps:
            each(model.eval(), f"step {step + 1}")
    with torch.no_grad():
        for parameter, value in zip(trained, mean):
            parameter.copy_(value)
    model.eval()


def start(options, tell):
    opener = lzma.open if options.requirements.suffix == ".xz" else open
    with opener(options.requirements, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    learnt = [row for row in rows if not row["repository"].startswith(UNSEEN)][: options.rows]
    asked = Asked(learnt)
    asked.elsewhere = [asked.place(query) for query in elsewhere(measuring=False)]
    known = [Graded(learnt, asked)]
    some = np.random.default_rng(SEED).permutation(len(asked.structural))[: options.structural]
    asked.structural = [asked.structural[n] for n in some]
    tokenizer = Tokenizer.from_file(str(options.folder / "minilm.json"))
    body, head = shipped.trunk()
    student = Student(body, tokenizer).to(DEVICE).eval()
    student.head.weight.data.copy_(head)
    if options.distant:
        known.append(Distant(asked, lambda texts: embedder(student, tokenizer)(texts, "")))
    shown = Shown([row for row in rows if row["repository"].startswith(UNSEEN)], embedder(student, tokenizer), lateness(student, tokenizer))
    tell(f"{len(asked.written)} written, {len(asked.missed)} missed, {len(asked.structural)} structural, {[len(one) for one in known]} known")
    return asked, known, student, tokenizer, shown


def teach(options, tell) -> None:
    asked, known, student, tokenizer, shown = start(options, tell)
    vectors = embed(lambda *batch: student.vector(*batch), Tokens(tokenizer, asked.texts))
    cases = Cases(asked, vectors, options.rounds)
    tell(f"{len(cases.queries)} cases")
    words = Tokenizer.from_file(str(options.folder / "mpnet.json"))
    judge = judging.Judge(encoder.mpnet(load_file(options.folder / "mpnet.safetensors"))).to(DEVICE)
    pairs = judging.Pairs(Tokens(words, asked.texts))
    size = options.size
    counts = (size, size // 2, size // 2, size)
    measure = lambda model, label: tell(f"judge {label} " + json.dumps(shown.measure(model, words, judging.Pairs, 2)))
    steps_of(judge, pairs, cases, known, options, options.judge, options.judge_rate, counts, lambda said, places: judged(said, cases.kind[places]), tell, measure)
    measure(judge, "at last")
    said = judging.opinions(judge, pairs, cases, 4 * options.budget, tell)
    with torch.no_grad():
        read = pairs.run(judge, known[0].queries, known[0].texts, 4 * options.budget)
    torch.save({"queries": cases.queries, "texts": cases.texts, "kind": cases.kind, "said": said, "read": read}, options.lessons)
    shown.measure(judge, words, judging.Pairs, 2, options.lessons.with_name("judge"))


def learn(options, tell) -> None:
    asked, known, _, tokenizer, shown = start(options, tell)
    lessons = torch.load(options.lessons, map_location=DEVICE, weights_only=True)
    cases = Cases.__new__(Cases)
    cases.queries, cases.texts, cases.kind = lessons["queries"], lessons["texts"], lessons["kind"]
    pairs = Pairs(Tokens(tokenizer, asked.texts), SEPARATOR)
    # What it was taught to be least and most sure of counts as none and whole.
    sure = lambda said: ((torch.sigmoid(said) - FLOOR) / (CEILING - FLOOR)).clamp(0.003, 0.997)
    thought = sure(lessons["said"])
    has_answer = (cases.kind == WRITTEN) | (cases.kind == STRUCTURAL)
    # What is known counts beside what the judge thinks.
    wanted = thought.clone()
    wanted[has_answer, 0] = 0.5 + 0.5 * thought[has_answer, 0]
    wanted[cases.kind == MISSED, 0] *= 0.5
    known[0].wanted = 0.7 * known[0].wanted + 0.3 * sure(lessons["read"])

    def loss_of(said: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        weight = torch.full_like(said, 0.5)
        weight[:, 0] = 2
        weight[cases.kind[places] == STRANGE] = 0.5
        truth = F.binary_cross_entropy_with_logits(said, wanted[places], weight)
        ranked = F.kl_div(F.log_softmax(said, -1), F.log_softmax(lessons["said"][places], -1), reduction="none", log_target=True)
        return truth + 0.3 * (ranked.sum(-1) * has_answer[places]).mean()

    options.out.mkdir(parents=True, exist_ok=True)
    size = options.size
    for variant in options.variants.split(","):
        rank, steps, rate = (float(part) for part in variant.split(":"))
        torch.manual_seed(SEED)
        body, _ = shipped.trunk()
        reader = Reader(body, int(rank)).to(DEVICE)
        measure = lambda model, label: tell(f"rank {rank:.0f} {label} " + json.dumps(shown.measure(model, tokenizer)))
        steps_of(reader, pairs, cases, known, options, int(steps), rate, (size, size // 2, size // 2, size), loss_of, tell, measure)
        measure(reader, "at last")
        name = f"reader-{int(rank)}-{int(steps)}-{rate:g}"
        shown.measure(reader, tokenizer, out=options.out / name)
        if rank:
            save_file({key: value.astype(np.float16) for key, value in reader.own().items()}, options.out / f"{name}.safetensors")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("teach", "learn"))
    for name in ("folder", "requirements", "lessons"):
        parser.add_argument(name, type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--rows", type=int, default=10**9)
    parser.add_argument("--structural", type=int, default=12_000, help="so many queries that structure gives")
    parser.add_argument("--rounds", type=int, default=2, help="how often each query visits strangers")
    parser.add_argument("--judge", type=int, default=800)
    parser.add_argument("--judge-rate", type=float, default=3e-5)
    parser.add_argument("--size", type=int, default=32, help="written queries in a step")
    parser.add_argument("--known", type=int, default=160, help="so many pairs of each kind of which the truth is known, in a step")
    parser.add_argument("--distant", action=argparse.BooleanOptionalAction, default=True, help="queries that share no word too")
    parser.add_argument("--known-weight", type=float, default=2.0)
    parser.add_argument("--budget", type=int, default=40_000, help="tokens at once")
    parser.add_argument("--variants", default="32:1500:1e-3", help="rank:steps:rate, with commas between")
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.time()
    tell = lambda text: print(f"{text} ({time.time() - began:.0f} s)", flush=True)
    (teach if options.what == "teach" else learn)(options, tell)
    tell("done")


if __name__ == "__main__":
    main()
