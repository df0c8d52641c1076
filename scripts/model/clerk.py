#!/usr/bin/env python3
"""The clerk: a small judge, which looks at the few best results where it is in doubt whether they answer.

Two more layers behind the student's last one, which read what the student made of a query and of a requirement side by side, and
say whether the one answers the other. They learn to say what the judge said (sharpen.py teach) of each query's candidates; the
student stays as it is. Their weights are rounded to four bits on the way.

Usage: clerk.py FOLDER REQUIREMENTS STUDENT.safetensors LESSONS OUT [options]
"""

import argparse
import copy
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn
from torch.nn.utils import parametrize

import encoder
import judge as judging
from adapt import Asked, optimizer_of
from evaluate import Quality, Written, area
from rounding import round_all, save_packed, unpacked
from train import DEVICE, SEED, UNSEEN, Tokens


class Clerk(nn.Module):
    def __init__(self, student: encoder.Encoder, layers: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(copy.deepcopy(student.layers[-layers:]))
        # Added to what was asked, to tell it from what is there.
        self.asked = nn.Parameter(torch.zeros(384))
        self.say = nn.Linear(768, 1)
        nn.init.normal_(self.say.weight, std=0.01)
        nn.init.zeros_(self.say.bias)

    def forward(self, query, asks: torch.Tensor, text, there: torch.Tensor) -> torch.Tensor:
        x = torch.cat([query + self.asked, text], 1)
        mask = torch.cat([asks, there], 1)
        bias = torch.zeros(mask.shape, device=x.device).masked_fill(~mask, -1e4)[:, None, None, :]
        for layer in self.layers:
            x = layer(x, bias)
        own = x[:, : query.shape[1]].float()
        mean = (own * asks[:, :, None]).sum(1) / asks.sum(1, keepdim=True)
        return self.say(torch.cat([own[:, 0], mean], -1))[:, 0]


class Reader:
    """What the student makes of texts, and what the clerk says of queries with each of their texts."""

    def __init__(self, student, clerk, tokens: Tokens, pieces: int) -> None:
        self.student, self.clerk, self.tokens, self.pieces = student, clerk, tokens, pieces

    def read(self, places: torch.Tensor):
        ids, mask = self.tokens.batch(places)
        with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            return self.student.tokens(ids, mask), mask

    def said(self, queries: torch.Tensor, texts: torch.Tensor) -> torch.Tensor:
        """For each query, [q], what is said of each of its texts, [q, c]."""
        count, many = texts.shape
        of = torch.arange(count, device=DEVICE)[:, None].expand_as(texts).reshape(-1)
        flat = texts.reshape(-1)
        order = torch.argsort(self.tokens.lengths[flat])
        asked, asks = self.read(queries)
        out = []
        for piece in order.split(-(-len(order) // self.pieces)):
            text, there = self.read(flat[piece])
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                out.append(self.clerk(asked[of[piece]], asks[of[piece]], text, there))
        return torch.cat(out)[torch.argsort(order)].float().view(count, many)


def measured(student, clerk, tokenizer, quality, written) -> dict:
    """As if the clerk looked at everything."""

    @torch.no_grad()
    def said(queries: list[str], texts: list[str]) -> np.ndarray:
        reader = Reader(student, clerk, Tokens(tokenizer, queries + texts), 2)
        everything = torch.arange(len(texts), device=DEVICE)[None] + len(queries)
        rows = [reader.said(torch.tensor([place], device=DEVICE), everything) for place in range(len(queries))]
        return torch.cat(rows).cpu().numpy()

    texts = [text for _, text, _ in quality.queries] + quality.unanswerable
    scores = said(texts, [quality.passages[place] for place in quality.first])
    best, count = scores.max(-1), len(quality.queries)
    found = dict(quality.ranked({"clerk": scores[:count]}))
    found["area"] = area(best[:count], best[count:])
    answered, others = [], []
    for wholes, _, asked, missed in written.repositories:
        some, few = asked[:40], missed[:40]
        rows = said([query for query, _, _ in some] + few, wholes)
        answered.append(rows[: len(some)].max(-1))
        others.append(rows[len(some) :].max(-1))
    found["written area"] = area(np.concatenate(answered), np.concatenate(others))
    return {key: round(value, 4) for key, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "requirements", "student", "lessons", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=1500)
    parser.add_argument("--rate", type=float, default=4e-4)
    parser.add_argument("--size", type=int, default=64, help="cases in a step")
    parser.add_argument("--pieces", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=1e9, help="the rate falls to its end within so many")
    options = parser.parse_args()
    torch.manual_seed(SEED)
    torch.backends.cuda.matmul.allow_tf32 = True
    began = time.time()
    tell = lambda text: print(f"{text} ({time.time() - began:.0f} s)", flush=True)
    requirements = [json.loads(line) for line in options.requirements.open(encoding="utf-8")]
    quality, written = Quality(), Written([row for row in requirements if row["repository"].startswith(UNSEEN)])
    asked = Asked([row for row in requirements if not row["repository"].startswith(UNSEEN)])
    tokenizer = Tokenizer.from_file(str(options.folder / "minilm.json"))
    student = encoder.minilm(unpacked(options.student)).to(DEVICE).eval()
    clerk = Clerk(student, options.layers).to(DEVICE)
    round_all(clerk, table=False, leave=("say",))
    lessons = torch.load(options.lessons, map_location=DEVICE, weights_only=True)
    cases = judging.Cases.__new__(judging.Cases)
    cases.queries, cases.texts, cases.kind = lessons["queries"], lessons["texts"], lessons["kind"]
    wanted_of, reader = lessons["said"], Reader(student, clerk, Tokens(tokenizer, asked.texts), options.pieces)
    tell(f"{len(wanted_of)} cases")
    optimizer, _ = optimizer_of(clerk, options.rate, options.steps, 50)
    mean = {name: value.detach().clone() for name, value in clerk.state_dict().items()}
    floats = [name for name in mean if mean[name].is_floating_point()]
    draw = np.random.default_rng(SEED)
    clerk.train()
    started = time.time()
    for step in range(options.steps):
        # By steps or by seconds, whichever ends first.
        gone = max(step / options.steps, (time.time() - started) / options.seconds)
        if gone >= 1:
            break
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, (step + 1) / 50) * max(0.5 * (1 + np.cos(np.pi * gone)), 0.01)
        places = cases.draw(draw, (options.size // 2, options.size // 4, options.size // 4))
        texts, wanted, answered = cases.texts[places], wanted_of[places], cases.kind[places] != 1
        with parametrize.cached():
            given = reader.said(cases.queries[places], texts)
            ranking = F.kl_div(
                F.log_softmax(given[answered], -1), F.log_softmax(wanted[answered], -1), reduction="batchmean", log_target=True
            )
            truth = F.binary_cross_entropy_with_logits(given, torch.sigmoid(wanted))
            close = F.smooth_l1_loss(given, wanted.clamp(-8, 8))
            loss = ranking + 3 * truth + 0.3 * close
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
        torch.nn.utils.clip_grad_norm_(clerk.parameters(), 1.0)
        optimizer.step()
        with torch.no_grad():
            now = clerk.state_dict()
            keep = min(0.995, (step + 1) / (step + 20))
            torch._foreach_lerp_([mean[name] for name in floats], [now[name] for name in floats], 1 - keep)
        if step % 50 == 0:
            tell(f"{step} ranking {ranking.item():.4f} truth {truth.item():.4f} close {close.item():.4f}")
    tell(f"{step} steps")
    clerk.load_state_dict(mean)
    clerk.eval()
    options.out.mkdir(parents=True, exist_ok=True)
    save_packed(options.out / "clerk.safetensors", clerk, table=False, leave=("say",), say=clerk.say.weight, bias=clerk.say.bias, asked=clerk.asked)
    tell(json.dumps(measured(student, clerk, tokenizer, quality, written)))


if __name__ == "__main__":
    main()
