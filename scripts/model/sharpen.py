#!/usr/bin/env python3
"""The third stage: the student learns to compare word by word, to tell what only sounds alike, and to do so in four bits.

    sharpen.py teach FOLDER CORPUS REQUIREMENTS STUDENT.safetensors LESSONS
        mpnet is tuned on the queries (adapt.tune), a judge is made of it (judge.py), and both say what they think.
    sharpen.py learn FOLDER CORPUS REQUIREMENTS STUDENT.safetensors LESSONS OUT
        The student goes on from there. Besides its vector of a text it gives each token a short vector and, in a query,
        a weight: how near a requirement comes to a query is the weighted mean, over the query's tokens, of the nearest token
        there. It learns the judge's ranking of each query's candidates by its vector, by its tokens and by both; whether the
        judge thinks that a candidate answers at all, by its tokens; and to keep its place in the corpus, among texts of all
        kinds. All the while its weights are rounded to four bits on the way (rounding.py), so that nothing is lost later.
        At last a small student of one layer for bulk indexing learns to point where it points.

FOLDER is what teachers.sh wrote, REQUIREMENTS what written.py wrote, STUDENT what adapt.py wrote.
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
from torch import nn
from torch.nn.utils import parametrize

import encoder
import judge as judging
from adapt import Asked, optimizer_of, run, step_with, tune, turned
from evaluate import Quality, Written
from names import read
from rounding import baked, round_all, save_packed
from small import Small, shrink
from train import DEVICE, SEED, UNSEEN, Tokens, embed, losses, report, shuffled, unit

TOKEN = 48
SHARP = 0.05
# How sure the judge should be, from how near the tokens come.
SCALE, SHIFT = 12.0, -8.0


class Student(nn.Module):
    def __init__(self, body: encoder.Encoder, tokenizer: Tokenizer) -> None:
        super().__init__()
        self.body = body
        self.head = nn.Linear(384, TOKEN + 1, bias=False)
        nn.init.orthogonal_(self.head.weight[:TOKEN])
        nn.init.zeros_(self.head.weight[TOKEN:])
        says = torch.zeros(30522, dtype=torch.bool)
        for word, number in tokenizer.get_vocab().items():
            says[number] = not word.startswith("[") and any(character.isalnum() for character in word)
        self.register_buffer("says", says, persistent=False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor):
        """The vector, the tokens' vectors, their weights, and which of them say something."""
        x = self.body.tokens(ids, mask)
        said = self.head(x.float())
        return self.body.pooled(x, mask), F.normalize(said[..., :TOKEN], dim=-1), F.softplus(said[..., TOKEN]), self.says[ids] & mask

    def vector(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.body(ids, mask)


def nearest(query, texts) -> torch.Tensor:
    """How near each text comes: queries [q, i, d], texts [q, c, j, d]."""
    (tokens, weights, says), (others, there) = query, texts
    near = torch.einsum("qid,qcjd->qcij", tokens, others).masked_fill(~there[:, :, None, :], 0).amax(-1)
    weights = weights * says
    return (near * weights[:, None, :]).sum(-1) / weights.sum(-1).clamp(min=1e-6)[:, None]


def padded(parts: list[torch.Tensor], width: int) -> torch.Tensor:
    return torch.cat([F.pad(part, (0, 0) * (part.ndim - 2) + (0, width - part.shape[1])) for part in parts])


def run_whole(student, tokens: Tokens, places: torch.Tensor, pieces: int):
    """As adapt.run, with everything that the student says of each text."""
    order = torch.argsort(tokens.lengths[places])
    found = []
    for piece in order.split(-(-len(order) // pieces)):
        with torch.autocast(DEVICE, torch.bfloat16):
            found.append(student(*tokens.batch(places[piece])))
    back, width = torch.argsort(order), max(part[1].shape[1] for part in found)
    vectors = torch.cat([part[0] for part in found])[back].float()
    return vectors, *(padded([part[n] for part in found], width)[back] for n in (1, 2, 3))


def embedder(student, tokenizer):
    return lambda texts, _: unit(embed(lambda *batch: student.vector(*batch), Tokens(tokenizer, texts)))


def lateness(student, tokenizer, asker=None):
    """For evaluate: how near each text comes to each query, token by token; queries may be read by another."""

    @torch.no_grad()
    def late(queries: list[str], texts: list[str]) -> np.ndarray:
        asked, there = Tokens(tokenizer, queries), Tokens(tokenizer, texts)
        everything = lambda model, tokens, n: run_whole(model, tokens, torch.arange(n, device=DEVICE), max(1, n // 256))
        _, tokens, _, says = everything(student, there, len(texts))
        _, own, weights, asks = everything(asker or student, asked, len(queries))
        rows = []
        for n in range(len(queries)):
            query = (own[n : n + 1], weights[n : n + 1], asks[n : n + 1])
            rows.append(nearest(query, (tokens[None], says[None]))[0])
        return torch.stack(rows).float().cpu().numpy()

    return late


def measured(label: str, student, tokenizer, measures, log) -> None:
    found: dict = {"at": label}
    for measure in measures:
        found |= {key: round(value, 4) for key, value in measure.sharpened(embedder(student, tokenizer), lateness(student, tokenizer)).items()}
    log.append(found)
    print(json.dumps(found), flush=True)


def teach(options, data, tell) -> None:
    rows, asked, measures = data
    mpnet = encoder.mpnet(load_file(options.folder / "mpnet.safetensors")).to(DEVICE).eval()
    tokenizer = Tokenizer.from_file(str(options.folder / "mpnet.json"))
    log: list = []

    def measure(label: str) -> float:
        found = report(label, measures, lambda texts, _: unit(embed(mpnet, Tokens(tokenizer, texts))), log)
        return found["fused"] + found["written MRR@10"]

    tune(mpnet, tokenizer, asked, options, measure)
    tell("tuned")
    tokens = Tokens(tokenizer, asked.texts)
    thought = embed(mpnet, tokens)
    corpus = embed(mpnet, Tokens(tokenizer, [row["text"] for row in rows]))
    tell("embedded")
    cases = judging.Cases(asked, thought)
    judge, pairs = judging.Judge(mpnet).to(DEVICE), judging.Pairs(tokens)
    judging.train(judge, pairs, cases, options.judge, options.judge_rate, options.budget, options.size, optimizer_of, step_with, tell)
    if options.test:
        test_judge(judge, tokenizer, measures, options, tell)
    said = judging.opinions(judge, pairs, cases, 4 * options.budget, tell)
    torch.save({"corpus": corpus, "queries": cases.queries, "texts": cases.texts, "kind": cases.kind, "said": said}, options.lessons)
    tell(f"{len(said)} cases")


@torch.no_grad()
def test_judge(judge, tokenizer, measures, options, tell) -> None:
    """The judge in the student's place: for each query the twenty that mpnet would show."""

    def late(queries: list[str], texts: list[str]) -> np.ndarray:
        tokens = Tokens(tokenizer, queries + texts)
        both = torch.cartesian_prod(torch.arange(len(queries), device=DEVICE), torch.arange(len(texts), device=DEVICE) + len(queries))
        said = [judging.Pairs(tokens).run(judge, piece[:, 0], piece[:, 1], 4 * options.budget) for piece in both.split(1 << 16)]
        return (torch.sigmoid(torch.cat(said)).view(len(queries), len(texts))).cpu().numpy()

    nothing = lambda texts, _: np.zeros((len(texts), 1), np.float32)
    tell(json.dumps({"judge": {key: round(value, 4) for key, value in measures[0].sharpened(nothing, late).items()}}))


def learn(options, data, tell) -> None:
    rows, asked, measures = data
    lessons = torch.load(options.lessons, map_location=DEVICE, weights_only=True)
    tokenizer = Tokenizer.from_file(str(options.folder / "minilm.json"))
    before = encoder.minilm(read(options.model)).to(DEVICE).eval()
    tokens, questions = Tokens(tokenizer, [row["text"] for row in rows]), Tokens(tokenizer, asked.texts)
    start, thought = embed(before, tokens), lessons["corpus"]
    # Texts are to lie to each other as half mpnet, half the student saw them.
    middle = lambda vectors: vectors[:100_000].float().mean(0)
    centred = lambda vectors: F.normalize(vectors.float() - middle(vectors), dim=-1).half()
    targets = torch.cat([centred(thought), centred(start)], -1) / 2**0.5
    points = turned(targets, start)
    student = Student(before, tokenizer).to(DEVICE)
    if options.bits:
        round_all(student.body)
    log: list = []
    measured("before", student.eval(), tokenizer, measures, log)
    optimizer, schedule = optimizer_of(student, options.rate, options.steps, max(1, options.steps // 12))
    for group in list(optimizer.param_groups):
        group["params"] = [p for p in group["params"] if p is not student.head.weight]
    optimizer.add_param_group({"params": [student.head.weight], "weight_decay": 0.0, "lr": options.rate * 5, "initial_lr": options.rate * 5})
    schedule.base_lrs.append(options.rate * 5)
    schedule.lr_lambdas.append(schedule.lr_lambdas[0])
    mean = {name: value.detach().clone() for name, value in student.state_dict().items()}
    groups = np.unique([row["group"] for row in rows], return_inverse=True)[1]
    cases = judging.Cases.__new__(judging.Cases)
    cases.queries, cases.texts, cases.kind = lessons["queries"], lessons["texts"], lessons["kind"]
    draw = np.random.default_rng(SEED)
    order, at = shuffled(groups, draw, options.chunk), 0
    for step in range(options.steps):
        student.train()
        if at + options.batch > len(order):
            order, at = shuffled(groups, draw, options.chunk), 0
        places = torch.from_numpy(order[at : at + options.batch]).to(DEVICE)
        at += options.batch
        with parametrize.cached():
            vectors = run(student.vector, tokens, places, 6)
            loss, near = losses(vectors, points[places].float(), targets[places].float(), options)
            drawn = cases.draw(draw, (options.asked // 2, options.asked // 4, options.asked // 4))
            own, parts = asked_losses(student, questions, cases, lessons["said"], drawn)
            step_with(student, optimizer, schedule, loss + options.asking * own)
        keep = min(0.998, (step + 1) / (step + 50))
        with torch.no_grad():
            now = student.state_dict()
            floats = [name for name in mean if mean[name].is_floating_point()]
            torch._foreach_lerp_([mean[name] for name in floats], [now[name] for name in floats], 1 - keep)
        if step % 50 == 0:
            tell(f"{step} loss {loss.item():.4f} near {near.item():.4f} " + " ".join(f"{part.item():.4f}" for part in parts))
        if (step + 1) % max(1, options.steps // 4) == 0:
            backup = {name: value.clone() for name, value in student.state_dict().items()}
            student.load_state_dict(mean)
            measured(f"step {step + 1}", student.eval(), tokenizer, measures, log)
            student.load_state_dict(backup)
    student.load_state_dict(mean)
    student.eval()
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{options.name}.json").write_text("\n".join(json.dumps(row) for row in log) + "\n")
    save_packed(options.out / f"{options.name}.safetensors", student.body, head=student.head.weight)
    whole = baked(student.body).eval()
    small = Small(whole, 1).to(DEVICE)
    if options.bits:
        round_all(small.body, table=False)
    shrink(options, rows, whole, small, tokenizer, time.time())
    mixed = lambda texts, what: unit(embed(whole if what == "query" else small, Tokens(tokenizer, texts)))
    report("bulk", measures, mixed, log)
    save_packed(options.out / f"{options.name}-bulk.safetensors", small.body, table=False, turn=small.turn.weight)
    (options.out / f"{options.name}.json").write_text("\n".join(json.dumps(row) for row in log) + "\n")


def asked_losses(student, questions: Tokens, cases, said: torch.Tensor, drawn: torch.Tensor):
    queries, texts, kind, wanted = cases.queries[drawn], cases.texts[drawn], cases.kind[drawn], said[drawn]
    count, many = texts.shape
    asked, own, weights, asks = run_whole(student, questions, queries, 2)
    vectors, tokens, _, says = run_whole(student, questions, texts.reshape(-1), 8)
    cosine = torch.einsum("qd,qcd->qc", asked, vectors.view(count, many, -1))
    shaped = (tokens.view(count, many, *tokens.shape[1:]), says.view(count, many, -1))
    late = nearest((own, weights, asks), shaped)
    answered = kind != 1
    ranked = lambda scores: F.kl_div(
        F.log_softmax(scores[answered] / SHARP, -1), F.log_softmax(wanted[answered], -1), reduction="batchmean", log_target=True
    )
    # The right one is in the first place of each row; rows of one requirement are not held against each other.
    right = torch.arange(count, device=DEVICE) * many
    same = texts.reshape(-1)[None, :] == texts[:, :1]
    same[torch.arange(count, device=DEVICE), right] = False
    all_of_batch = (asked @ vectors.T / SHARP).masked_fill(same, -1e4)[answered]
    among = F.cross_entropy(all_of_batch, right[answered], label_smoothing=0.05)
    truth = F.binary_cross_entropy_with_logits(SCALE * late + SHIFT, torch.sigmoid(wanted))
    parts = (ranked(cosine), ranked(late), ranked((cosine + late) / 2**0.5), among, truth)
    return sum(weight * part for weight, part in zip((1.0, 1.0, 1.0, 0.3, 2.0), parts)), parts


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("teach", "learn"))
    for name in ("folder", "corpus", "requirements", "model", "lessons"):
        parser.add_argument(name, type=Path)
    parser.add_argument("out", type=Path, nargs="?")
    parser.add_argument("--name", default="sharp")
    parser.add_argument("--texts", type=int, default=10**9)
    parser.add_argument("--structural", type=int, default=12_000, help="so many queries that structure gives")
    parser.add_argument("--tune", type=int, default=320)
    parser.add_argument("--tune-rate", type=float, default=2e-5)
    parser.add_argument("--judge", type=int, default=700)
    parser.add_argument("--judge-rate", type=float, default=3e-5)
    parser.add_argument("--size", type=int, default=24, help="written queries in a step of the judge")
    parser.add_argument("--budget", type=int, default=40_000, help="tokens at once")
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--batch", type=int, default=2048)
    parser.add_argument("--asked", type=int, default=64)
    parser.add_argument("--asking", type=float, default=0.3)
    parser.add_argument("--rank", type=float, default=1.0)
    parser.add_argument("--sharp", type=float, default=0.05)
    parser.add_argument("--chunk", type=int, default=16)
    parser.add_argument("--small", type=int, default=800)
    parser.add_argument("--no-test", dest="test", action="store_false", help="do not measure the judge")
    parser.add_argument("--no-bits", dest="bits", action="store_false", help="leave the weights in floats")
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.time()
    tell = lambda text: print(f"{text} ({time.time() - began:.0f} s)", flush=True)

    rows = [json.loads(line) for line in options.corpus.open(encoding="utf-8")]
    rows = [row for row in rows if not row["group"].startswith(UNSEEN)][: options.texts]
    requirements = [json.loads(line) for line in options.requirements.open(encoding="utf-8")]
    measures = [Quality(), Written([row for row in requirements if row["repository"].startswith(UNSEEN)])]
    asked = Asked([row for row in requirements if not row["repository"].startswith(UNSEEN)])
    some = np.random.default_rng(SEED).permutation(len(asked.structural))[: options.structural]
    asked.structural = [asked.structural[n] for n in some]
    tell(f"{len(rows)} texts, {len(asked.written)} written, {len(asked.missed)} missed, {len(asked.structural)} structural")
    (teach if options.what == "teach" else learn)(options, (rows, asked, measures), tell)
    tell("done")


if __name__ == "__main__":
    main()
