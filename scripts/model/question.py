#!/usr/bin/env python3
"""The fifth stage: questions are placed by weights of their own.

    question.py FOLDER REQUIREMENTS OUT
        Requirements stay where the model that is shipped puts them, so no index has to be made again. Questions go through the same
        model with two narrow matrices beside each of its own (a low rank), and a line of their own for the tokens. These learn to
        place a question near the requirement that answers it, among all of its repository: by the vector, by the tokens, and by
        both as search adds them.

Only questions are run, which are short: a step takes a quarter of a second on one H200, and three on two cores. Several runs are put
together (question_graph.py): where a question lies hangs on the dice of a run by about as much as all that it has learnt is worth. FOLDER is what teachers.sh wrote, REQUIREMENTS what
`written.py … --farther` wrote.
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.numpy import save_file
from tokenizers import Tokenizer

import graded
import shipped
from adapt import optimizer_of, step_with
from evaluate import Quality, Written
from reader import Beside
from sharpen import Student, embedder, lateness, nearest, padded, run_whole
from train import DEVICE, SEED, UNSEEN, Tokens, unit

# A step's questions: written ones, and names and clauses of scenarios.
WRITTEN = 0.82
# A question's requirement, and what the model that is shipped thinks besides.
MIX = 0.7
SHARP, SHARPER = 0.05, 0.04
# What tokens count beside the vector, as in the program.
TOKENS = 0.5
CANDIDATES = 13
# How much of an answer a requirement is that was graded so (graded.py).
SHARE = (0.0, 0.3, 1.0)


class Asker(Student):
    """The model that is shipped, with what is its own beside it."""

    def __init__(self, tokenizer: Tokenizer, rank: int) -> None:
        body, head = shipped.trunk()
        super().__init__(body, tokenizer)
        self.head.weight.data.copy_(head)
        for parameter in body.parameters():
            parameter.requires_grad_(False)
        if rank:
            for layer in body.layers:
                for part in shipped.PARTS:
                    setattr(layer, part, Beside(getattr(layer, part), rank))

    def go_on_from_shipped(self) -> None:
        own = {name: torch.from_numpy(value) for name, value in shipped.beside("question").items()}
        head = own.pop("head")
        self.load_state_dict(self.state_dict() | {f"body.{name}": value for name, value in own.items()})
        self.head.weight.data.copy_(head)

    @torch.no_grad()
    def take(self, share: float) -> None:
        """So much of what it learnt."""
        for name, value in self.named_parameters():
            if name.endswith(".wide"):
                value.mul_(share)
        self.head.weight.lerp_(shipped.trunk()[1].to(DEVICE), 1 - share)

    def own(self) -> dict[str, np.ndarray]:
        state = {name: value.detach().float().cpu().numpy() for name, value in self.named_parameters() if value.requires_grad}
        return {name.removeprefix("body.").removesuffix(".weight") if name.startswith("head") else name.removeprefix("body."): value for name, value in state.items()}


class Places:
    """Where the requirements lie: their vectors, and their tokens one after the other."""

    def __init__(self, model: Student, tokenizer: Tokenizer, texts: list[str]) -> None:
        tokens = Tokens(tokenizer, texts)
        order = torch.argsort(tokens.lengths)
        found = []
        for piece in order.split(128):
            with torch.no_grad(), torch.autocast(DEVICE, torch.bfloat16):
                vectors, own, _, says = model(*tokens.batch(piece))
            found += [(vector.float(), row[said].half()) for vector, row, said in zip(vectors, own, says)]
        back = torch.argsort(order).tolist()
        self.vectors = torch.stack([found[n][0] for n in back])
        self.tokens = [found[n][1] for n in back]

    def of(self, places: torch.Tensor):
        """Tokens of so many texts for each question, and which of them are there."""
        one, back = places.unique(return_inverse=True)
        rows = [self.tokens[n] for n in one.tolist()]
        width = max(1, max(map(len, rows)))
        tokens = torch.stack([F.pad(row, (0, 0, 0, width - len(row))) for row in rows])
        there = torch.arange(width, device=DEVICE) < torch.tensor([len(row) for row in rows], device=DEVICE)[:, None]
        return tokens[back].float(), there[back]


class Questions:
    def __init__(self, rows: list[dict], tokenizer: Tokenizer) -> None:
        # Questions and complaints, and topics and orders where these were written too.
        asked = lambda row: dict.fromkeys(row["asked"] + row.get("evenly", {}).get("asked", []))
        pairs = [(query, number) for number, row in enumerate(rows) for query in asked(row)]
        self.written = len(pairs)
        pairs += [(query, number) for number, row in enumerate(rows) for query in row["names"][:2] + row["clauses"][:1]]
        self.texts = [query for query, _ in pairs]
        self.owner = torch.tensor([number for _, number in pairs], device=DEVICE)
        self.tokens = Tokens(tokenizer, self.texts)
        place = {row["item"]: number for number, row in enumerate(rows)}
        self.grades: dict[str, list[tuple[int, int]]] = {}
        for kind, query, graded_ in graded.lines():
            if not kind.startswith("left"):
                self.grades.setdefault(query, []).extend((place[item], grade) for item, grade in graded_ if item in place and grade)

    def draw(self, draw: np.random.Generator, count: int) -> torch.Tensor:
        written = int(count * WRITTEN)
        places = np.concatenate([draw.choice(self.written, written), self.written + draw.choice(len(self.texts) - self.written, count - written)])
        return torch.from_numpy(places).to(DEVICE)

    def right(self, places: torch.Tensor, among: int) -> torch.Tensor:
        """How the answer to each is shared among all requirements."""
        right = torch.zeros(len(places), among, device=DEVICE)
        for row, place in enumerate(places.tolist()):
            for number, grade in self.grades.get(self.texts[place], ()) if place < self.written else ():
                right[row, number] = SHARE[grade]
        right[torch.arange(len(places)), self.owner[places]] = 1
        return right / right.sum(-1, keepdim=True)


def loss_of(model: Asker, questions: Questions, there: Places, before: torch.Tensor, repository: torch.Tensor, drawn: torch.Tensor, keep: float):
    with torch.autocast(DEVICE, torch.bfloat16):
        vectors, tokens, weights, says = run_whole(model, questions.tokens, drawn, 3)
    own = questions.owner[drawn]
    elsewhere = repository[None, :] != repository[own][:, None]
    cosines = vectors @ there.vectors.T
    near = cosines.masked_fill(elsewhere, -1)
    right = questions.right(drawn, len(there.vectors))
    thought = F.softmax((before[drawn].float() @ there.vectors.T).masked_fill(elsewhere, -1) / SHARP, -1)
    with torch.no_grad():
        # The right one first, then what lies nearest.
        others = near.scatter(1, own[:, None], 2).topk(CANDIDATES, -1).indices
    few = lambda shares: (shares.gather(1, others) + 1e-9) / (shares.gather(1, others) + 1e-9).sum(-1, keepdim=True)
    close = nearest((tokens.float(), weights.float(), says), there.of(others))
    both = (cosines.gather(1, others) + TOKENS * close) / (1 + TOKENS)
    asked = lambda scores, wanted, sharp: -(wanted * F.log_softmax(scores / sharp, -1)).sum(-1).mean()
    wanted, among = MIX * right + (1 - MIX) * thought, MIX * few(right) + (1 - MIX) * few(thought)
    parts = (
        asked(near, wanted, SHARP),
        0.2 * F.cross_entropy(cosines / SHARP, own),
        0.5 * asked(close, among, SHARP),
        asked(both, among, SHARPER),
        keep * (1 - (vectors * before[drawn].float()).sum(-1)).mean(),
    )
    return sum(parts), parts


def measure(label: str, model: Asker, whole: Student, tokenizer: Tokenizer, measures, tell) -> None:
    """The measures of the third stage, with questions placed by the one and requirements by the other."""
    sides = embedder(whole, tokenizer), embedder(model, tokenizer)
    embed = lambda texts, what: sides[what == "query"](texts, what)
    late = lateness(whole, tokenizer, model)
    found = {}
    for one in measures:
        found |= {key: round(value, 4) for key, value in one.sharpened(embed, late).items()}
    tell(f"{label} {json.dumps(found)}")


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("folder", "requirements", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--on", action="store_true", help="go on from what is shipped")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--batch", type=int, default=320)
    parser.add_argument("--keep", type=float, default=0.3, help="how much questions are to stay where they were")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    began = time.time()
    tell = lambda text: print(f"{text} ({time.time() - began:.0f} s)", flush=True)
    rows = [json.loads(line) for line in options.requirements.open(encoding="utf-8")]
    measures = [Quality(), Written([row for row in rows if row["repository"].startswith(UNSEEN)])]
    rows = [row for row in rows if not row["repository"].startswith(UNSEEN)]
    tokenizer = Tokenizer.from_file(str(options.folder / "minilm.json"))
    whole = Asker(tokenizer, 0).to(DEVICE).eval()
    there = Places(whole, tokenizer, [row["whole"] for row in rows])
    questions = Questions(rows, tokenizer)
    before = torch.from_numpy(unit(torch.from_numpy(embedder(whole, tokenizer)(questions.texts, "")))).to(DEVICE)
    repository = torch.from_numpy(np.unique([row["repository"] for row in rows], return_inverse=True)[1]).to(DEVICE)
    model = Asker(tokenizer, options.rank)
    if options.on:
        model.go_on_from_shipped()
    model = model.to(DEVICE)
    tell(f"{questions.written} written, {len(questions.texts) - questions.written} structural, {sum(value.size for value in model.own().values())} numbers")
    measure("before", model.eval() if options.on else whole, whole, tokenizer, measures, tell)
    optimizer, schedule = optimizer_of(model, options.rate, options.steps, max(1, options.steps // 12))
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    mean = [parameter.detach().clone() for parameter in trained]
    draw = np.random.default_rng(options.seed)
    for step in range(options.steps):
        model.train()
        loss, parts = loss_of(model, questions, there, before, repository, questions.draw(draw, options.batch), options.keep)
        step_with(model, optimizer, schedule, loss)
        with torch.no_grad():
            torch._foreach_lerp_(mean, trained, 1 - min(0.99, (step + 1) / (step + 20)))
        if step % 25 == 0:
            tell(f"{step} loss {loss.item():.4f} " + " ".join(f"{part.item():.4f}" for part in parts))
    with torch.no_grad():
        for parameter, value in zip(trained, mean):
            parameter.copy_(value)
    options.out.mkdir(parents=True, exist_ok=True)
    save_file({name: value.astype(np.float16) for name, value in model.own().items()}, options.out / "question.safetensors")
    measure("at last", model.eval(), whole, tokenizer, measures, tell)
    model.take(0.8)
    measure("0.8 of it", model, whole, tokenizer, measures, tell)


if __name__ == "__main__":
    main()
