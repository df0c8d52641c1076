"""The judge: a teacher that reads query and requirement together and says whether the one answers the other.

It begins as mpnet, tuned on the written queries as in the second stage. A query is put with its requirement and with others
that mpnet takes for it; a near miss (a query that only sounds as if its requirement answered it) with nothing that
answers. What the judge then says of every query and its candidates is what the student of the third stage learns from:
it is too slow to search with, and right more often than anything that reads the two apart.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from train import DEVICE, LENGTH, SEED, Tokens

QUERY = 48
CANDIDATES, MINED = 16, 48
# What is not known to answer may answer all the same, the more so the more mpnet thinks so.
SURE = 0.85


class Judge(nn.Module):
    def __init__(self, body: nn.Module, hidden: int = 768) -> None:
        super().__init__()
        self.body, self.hidden = body, hidden
        self.say = nn.Linear(2 * hidden, 1)
        nn.init.normal_(self.say.weight, std=0.01)
        nn.init.zeros_(self.say.bias)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.body.tokens(ids, mask).float()
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        return self.say(torch.cat([x[:, 0], mean], -1))[:, 0]


class Pairs:
    """Puts the tokens of a query before those of a text."""

    def __init__(self, tokens: Tokens, end: int = 2) -> None:
        self.tokens, self.end = tokens, end

    def batch(self, queries: torch.Tensor, texts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        tokens = self.tokens
        asked = tokens.lengths[queries].clamp(max=QUERY)[:, None]
        length = (asked + tokens.lengths[texts][:, None]).clamp(max=LENGTH)
        columns = torch.arange(int(-(-int(length.max()) // 8) * 8), device=DEVICE)[None, :]
        of_query = tokens.starts[queries][:, None] + columns.expand(len(queries), -1)
        of_text = tokens.starts[texts][:, None] + columns - asked
        place = torch.where(columns < asked, of_query, of_text).clamp(0, len(tokens.flat) - 1)
        ids = tokens.flat[place].long()
        ids = torch.where(columns == asked, torch.full_like(ids, self.end), ids)
        mask = columns < length
        return ids * mask, mask

    def run(self, judge: Judge, queries: torch.Tensor, texts: torch.Tensor, budget: int) -> torch.Tensor:
        """Like lengths together, as many at once as the budget of tokens allows."""
        order = torch.argsort(self.tokens.lengths[texts])
        lengths = (self.tokens.lengths[texts][order] + QUERY).tolist()
        said, at = [], 0
        while at < len(order):
            end = at + 1
            while end < len(order) and lengths[end] * (end + 1 - at) <= budget:
                end += 1
            piece = order[at:end]
            with torch.autocast(DEVICE, torch.bfloat16):
                said.append(judge(*self.batch(queries[piece], texts[piece])))
            at = end
        return torch.cat(said)[torch.argsort(order)].float()


class Cases:
    """Every query with the places of its candidates; the first is its own requirement."""

    def __init__(self, asked, vectors: torch.Tensor) -> None:
        """`vectors`: of asked.texts, by the tuned mpnet."""
        wholes = torch.tensor([own[0] for own in asked.of], device=DEVICE)
        bare = torch.tensor([own[1] if len(own) > 1 else own[0] for own in asked.of], device=DEVICE)
        # A scenario's name asks for the description: in the whole it would find itself.
        kinds = [(asked.written, wholes, 0), (asked.missed, wholes, 1), (asked.structural, bare, 2)]
        self.queries, self.texts, self.kind, self.near = [], [], [], []
        draw = np.random.default_rng(SEED)
        repository = torch.tensor(asked.repository, device=DEVICE)
        for pairs, texts, kind in kinds:
            for piece in np.array_split(np.array(pairs), max(1, len(pairs) // 512)):
                places = torch.from_numpy(piece).to(DEVICE)
                near = vectors[places[:, 0]].float() @ vectors[texts].float().T
                elsewhere = repository[None, :] != repository[places[:, 1]][:, None]
                near = near.masked_fill(elsewhere, -2).scatter(1, places[:, 1:], -3)
                most = near.topk(MINED, -1).indices
                # Half of the places to what is taken for it, the others by chance among the rest.
                first, rest = most[:, : CANDIDATES // 2], most[:, CANDIDATES // 2 :]
                chance = torch.from_numpy(draw.random(rest.shape)).to(DEVICE).argsort(-1)
                rest = rest.gather(1, chance)[:, : CANDIDATES - 1 - first.shape[1]]
                others = torch.cat([places[:, 1:], first, rest], -1)
                self.queries.append(places[:, 0])
                self.texts.append(texts[others])
                self.kind.append(torch.full((len(places),), kind, device=DEVICE))
                self.near.append((vectors[places[:, 0]].float()[:, None] * vectors[texts[others]].float()).sum(-1))
        self.queries, self.texts, self.kind, self.near = map(torch.cat, (self.queries, self.texts, self.kind, self.near))

    def draw(self, draw: np.random.Generator, counts: tuple[int, int, int]) -> torch.Tensor:
        places = []
        for kind, count in enumerate(counts):
            own = torch.nonzero(self.kind == kind)[:, 0]
            if len(own):
                places.append(own[torch.from_numpy(draw.choice(len(own), min(count, len(own)), replace=False)).to(DEVICE)])
        return torch.cat(places)


def losses(said: torch.Tensor, kind: torch.Tensor, near: torch.Tensor) -> torch.Tensor:
    """The right one before the others, and for each pair whether it answers at all."""
    answered = (kind != 1).float()
    right = torch.zeros_like(said)
    right[:, 0] = 1
    others = F.softmax(near[:, 1:] / 0.05, -1)
    wanted = torch.cat([torch.full_like(near[:, :1], SURE), (1 - SURE) * others], -1)
    ranking = -(wanted * F.log_softmax(said, -1)).sum(-1) * answered
    # Others than the right one may answer too, so they weigh less; of a near miss nothing answers.
    weight = torch.cat([torch.ones_like(said[:, :1]), torch.full_like(said[:, 1:], 0.15)], -1)
    truth = F.binary_cross_entropy_with_logits(said, right * answered[:, None], weight, reduction="none").sum(-1)
    return (ranking + 0.5 * truth).mean()


def train(judge: Judge, pairs: Pairs, cases: Cases, steps: int, rate: float, budget: int, size: int, optimizer_of, step_with, tell) -> None:
    optimizer, schedule = optimizer_of(judge, rate, steps, max(1, steps // 10))
    draw = np.random.default_rng(SEED)
    judge.train()
    for step in range(steps):
        places = cases.draw(draw, (size, size // 2, size // 2))
        texts = cases.texts[places]
        queries = cases.queries[places][:, None].expand_as(texts)
        said = pairs.run(judge, queries.reshape(-1), texts.reshape(-1), budget).view(texts.shape)
        loss = losses(said, cases.kind[places], cases.near[places])
        step_with(judge, optimizer, schedule, loss)
        if step % 50 == 0:
            tell(f"judge {step} {loss.item():.4f}")
    judge.eval()


@torch.no_grad()
def opinions(judge: Judge, pairs: Pairs, cases: Cases, budget: int, tell) -> torch.Tensor:
    """What it says of every case."""
    out = []
    for number, places in enumerate(torch.arange(len(cases.queries), device=DEVICE).split(4096)):
        texts = cases.texts[places]
        queries = cases.queries[places][:, None].expand_as(texts)
        out.append(pairs.run(judge, queries.reshape(-1), texts.reshape(-1), budget).view(texts.shape))
        if number % 4 == 0:
            tell(f"judged {len(out) * 4096} of {len(cases.queries)}")
    return torch.cat(out)
