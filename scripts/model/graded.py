"""Pairs of a query and a requirement of which it is known whether the one answers the other.

graded.tsv: what search would show for a query, read and graded one by one.

A line is a set, a query, and requirements with a grade each: 2 answers, 1 bears on it, 0 does not. The sets say where the query
came from and to whom it was put: to its own repository (own, everyday), a near miss (missed, everyday-missed), to a
repository that is not its own (strange, everyday-strange), or written to be answered by nothing (elsewhere). What begins with
"left" is of the repositories left out, or only put to them, and only measures.

everyday.tsv, distant.tsv: requirements written for this, with queries and near misses. Those of the second share no word with their
requirement: a paraphrase, a symptom, and what experts call it.

twins.tsv: requirements written for queries that are near misses of others (or were to be answered by nothing), each with that query,
a question or complaint that it answers, and one that it does not.
"""

import re
from pathlib import Path

import numpy as np
import torch

from train import DEVICE

HERE = Path(__file__).parent
# How sure a reader should be of a pair with such a grade.
WANTED = (0.0, 0.45, 1.0)


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


def requirement(name: str, number: int, fields: list[str], asked: int) -> dict:
    """One that was written for this, as written.py writes those of repositories."""
    title, heading, text, *queries = fields
    head, spec = f"{title}: {heading}", f"{name}/" + re.sub(r"\W+", "-", title.lower())
    scenario = re.match(r"^(.*?[.!?]) ([A-Z][^.]{2,60}\. (?:GIVEN|WHEN) .*)$", text)
    parts = list(scenario.groups()) if scenario else [text]
    return {
        "repository": name,
        "spec": spec,
        "item": f"{spec}#{number}",
        "whole": "\n".join([head, *parts])[:1280],
        "gist": "\n".join([head, *parts])[:480],
        "parts": [f"{head}\n{part}"[:960] for part in parts],
        "names": [],
        "clauses": [],
        "asked": queries[:asked],
        "missed": queries[asked:],
    }


def of_file(name: str, asked: int) -> list[dict]:
    text = (HERE / f"{name}.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [requirement(name, number, fields, asked) for number, fields in enumerate(rows)]


def everyday() -> list[dict]:
    return of_file("everyday", 2)


def distant() -> list[dict]:
    return of_file("distant", 3)


def twins() -> list[dict]:
    return of_file("twins", 2)


class Known:
    """Pairs as places in the texts of `asked` (adapt.Asked), and how sure a reader should be of each."""

    def __init__(self, queries: list[int], texts: list[int], wanted: list[float]) -> None:
        self.queries, self.texts = (torch.tensor(places, device=DEVICE) for places in (queries, texts))
        self.wanted = torch.tensor(wanted, device=DEVICE)

    def __len__(self) -> int:
        return len(self.queries)


class Graded(Known):
    """Those that were graded and that teach; `asked` is given the queries."""

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
        super().__init__(queries, texts, wanted)


class Distant(Known):
    """Queries that share no word with their requirement; `asked` is given them and the requirements, and `embed` gives vectors."""

    OTHERS = 2

    def __init__(self, asked, embed) -> None:
        rows = distant()
        wholes = [asked.place(row["whole"]) for row in rows]
        there = embed([row["whole"] for row in rows])
        spec = np.unique([row["spec"] for row in rows], return_inverse=True)[1]
        queries, texts, wanted = [], [], []
        for kind, grade in (("asked", 2), ("missed", 0)):
            owners = [(number, turn, query) for number, row in enumerate(rows) for turn, query in enumerate(row[kind])]
            near = embed([query for _, _, query in owners]) @ there.T
            for (number, turn, query), row in zip(owners, near):
                # What search would show of other products does not answer, as good as never; what experts call it may well be
                # the name of another product's too, so there what comes later is taken.
                row[spec == spec[number]] = -2
                begin = 20 if (kind, turn) == ("asked", 2) else 0
                places = [wholes[number]] + [wholes[other] for other in np.argsort(-row)[begin : begin + self.OTHERS]]
                queries += [asked.place(query)] * len(places)
                texts += places
                wanted += [WANTED[grade]] + [WANTED[0]] * self.OTHERS
        super().__init__(queries, texts, wanted)
