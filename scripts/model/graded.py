"""Pairs of a query and a requirement that were read and graded, one by one: graded.tsv.

A line is a set, a query, and requirements with a grade each: 2 answers, 1 bears on it, 0 does not. The sets say where the query
came from and to whom it was put: to its own repository (own, everyday), a near miss (missed, everyday-missed), to a
repository that is not its own (strange, everyday-strange), or written to be answered by nothing (elsewhere). What begins with
"left" is of the repositories left out, or only put to them, and only measures.
"""

import re
from pathlib import Path

import torch

from train import DEVICE

HERE = Path(__file__).parent
# How sure a reader should be of a pair with such a grade.
WANTED = (0.03, 0.45, 0.97)


def lines(path: Path = HERE / "graded.tsv"):
    """Set, query, and (item, grade) of each requirement."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            kind, query, graded = line.split("\t")
            yield kind, query, [(item, int(grade)) for item, grade in (one.rsplit("=", 1) for one in graded.split(" "))]


def elsewhere(measuring: bool) -> list[str]:
    """Queries that were written to be answered by nothing."""
    wanted = "left-elsewhere" if measuring else "elsewhere"
    return sorted({query for kind, query, _ in lines() if kind == wanted})


def everyday():
    """Requirements of everyday undertakings, written for this, as written.py writes those of repositories."""
    text = (HERE / "everyday.tsv").read_text("utf-8")
    for number, line in enumerate(line for line in text.splitlines() if not line.startswith("#")):
        title, name, text, *asked = line.split("\t")
        head, spec = f"{title}: {name}", "everyday/" + re.sub(r"\W+", "-", title.lower())
        scenario = re.match(r"^(.*?[.!?]) ([A-Z][^.]{2,60}\. (?:GIVEN|WHEN) .*)$", text)
        parts = list(scenario.groups()) if scenario else [text]
        yield {
            "repository": "everyday",
            "spec": spec,
            "item": f"{spec}#{number}",
            "whole": "\n".join([head, *parts])[:1280],
            "parts": [f"{head}\n{part}"[:960] for part in parts],
            "names": [],
            "clauses": [],
            "asked": asked[:2],
            "missed": asked[2:],
        }


class Graded:
    """The pairs that teach, as places in the texts of `asked` (adapt.Asked), which is given the queries."""

    def __init__(self, rows: list[dict], asked) -> None:
        place = {row["item"]: own[0] for row, own in zip(rows, asked.of)}
        queries, texts, wanted = [], [], []
        for kind, query, graded in lines():
            if kind.startswith("left") or not any(item in place for item, _ in graded):
                continue
            asks = asked.place(query)
            for item, grade in graded:
                if item in place:
                    queries.append(asks)
                    texts.append(place[item])
                    wanted.append(WANTED[grade])
        self.queries, self.texts = (torch.tensor(places, device=DEVICE) for places in (queries, texts))
        self.wanted = torch.tensor(wanted, device=DEVICE)

    def __len__(self) -> int:
        return len(self.queries)
