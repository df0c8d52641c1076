"""A small student for bulk indexing."""

import copy
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import encoder
from adapt import optimizer_of, run, step_with
from train import DEVICE, SEED, Tokens, embed


class Small(nn.Module):
    """The first layers of a student behind its own word table, and a matrix behind the mean."""

    def __init__(self, student: encoder.Encoder, layers: int) -> None:
        super().__init__()
        self.body = copy.deepcopy(student)
        self.body.layers = self.body.layers[:layers]
        for part in (self.body.words, self.body.positions, self.body.types):
            part.requires_grad_(False)
        self.turn = nn.Linear(384, 384, bias=False)
        nn.init.eye_(self.turn.weight)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return F.normalize(self.turn(self.body(ids, mask).float()), dim=-1)


def shrink(options, rows, student, small, tokenizer, began) -> None:
    """The small one learns to point where the student points."""
    tokens = Tokens(tokenizer, [row["text"] for row in rows])
    wanted = embed(student, tokens)
    optimizer, schedule = optimizer_of(small, 1e-3, options.small, 50)
    draw = np.random.default_rng(SEED)
    size = min(8192, len(rows))
    for step in range(options.small):
        small.train()
        places = torch.from_numpy(draw.integers(0, len(rows), size)).to(DEVICE)
        vectors, right = run(small, tokens, places, 8), wanted[places].float()
        loss = 1 - (vectors * right).sum(-1).mean()
        given, meant = vectors[:2048] @ vectors[:2048].T / 0.05, right[:2048] @ right[:2048].T / 0.05
        loss = loss + 0.3 * F.kl_div(F.log_softmax(given, -1), F.log_softmax(meant, -1), reduction="batchmean", log_target=True)
        step_with(small, optimizer, schedule, loss)
        if step % 200 == 0:
            print(f"bulk {step} {loss.item():.4f} {time.time() - began:.0f} s", flush=True)
    small.eval()
