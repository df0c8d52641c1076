"""How well vectors find requirements: hewto's quality set (the half for tuning) and repositories that nobody trained on.

The ranking follows crates/search closely enough to choose by: passages as it cuts them, the mean of the whole and of the
best passage counts, words add a tenth. The figures that are reported come from `hewto-bench quality`, not from here.
"""

import hashlib
import math
import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
READ, LONGEST, MOST, WORDS = 1280, 960, 12, 0.1


def half(text: str) -> str:
    return "held out" if hashlib.sha256(text.encode()).digest()[7] % 2 else "tuned on"


class Quality:
    def __init__(self, folder: Path = ROOT / "crates/bench/quality", which: str = "tuned on") -> None:
        self.names, self.passages, self.owner, self.bags, self.first = [], [], [], [], []
        for path in sorted(folder.glob("specs/*/spec.md")):
            self.read(path.parent.name, path.read_text("utf-8"))
        self.queries, self.unanswerable = [], []
        for line in (folder / "queries.tsv").read_text("utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            style, text, *judged = line.split("\t")
            grades = dict(judgement.rsplit("=", 1) for judgement in "".join(judged).split(" | ") if judgement)
            if grades and half(text) == which:
                self.queries.append((style, text, {name: int(grade) for name, grade in grades.items()}))
            elif style == "none" and half(text) == which:
                self.unanswerable.append(text)
        counts: dict[str, int] = {}
        for bag in self.bags:
            for word in bag:
                counts[word] = counts.get(word, 0) + 1
        self.weight = lambda word: math.log(1 + len(self.bags) / (1 + counts.get(word, 0)))
        self.owner = np.array(self.owner)

    def read(self, spec: str, text: str) -> None:
        title = re.search(r"^# (.+)$", text, re.M)
        title = title[1].strip() if title else spec
        for block in re.split(r"^### Requirement: ", text, flags=re.M)[1:]:
            name, _, rest = re.split(r"^#{1,3} ", block, flags=re.M)[0].partition("\n")
            parts = re.split(r"^#### Scenario: ", rest, flags=re.M)
            flat = lambda part: re.sub(r"\s+", " ", re.sub(r"^\s*- |\*\*|`", "", part, flags=re.M)).strip()
            description = flat(parts[0])
            scenarios = [f"{scenario.partition(chr(10))[0].strip()}. {flat(scenario.partition(chr(10))[2])}" for scenario in parts[1:]]
            head = f"{title}: {name.strip()}"
            self.names.append(f"{spec}#{name.strip()}")
            self.bags.append(bag("\n".join([head, description, *scenarios])))
            passages = ["\n".join([head, description, *scenarios])[:READ]]
            if scenarios:
                passages += [f"{head}\n{part}"[:LONGEST] for part in [description, *scenarios]]
            passages = passages[:MOST]
            self.first.append(len(self.passages))
            self.passages += passages
            self.owner += [len(self.names) - 1] * len(passages)

    def measure(self, embed) -> dict[str, float]:
        dense, share = self.scores(embed, [text for _, text, _ in self.queries])
        return self.ranked({"dense": dense, "fused": dense + WORDS * share})

    def scores(self, embed, texts: list[str]) -> tuple[np.ndarray, np.ndarray]:
        """For each query and requirement: nearness by meaning, and the share of the query's words."""
        passages, queries = embed(self.passages, "passage"), embed(texts, "query")
        near, shares = [], []
        for text, row in zip(texts, queries @ passages.T):
            best = np.full(len(self.names), -1.0)
            np.maximum.at(best, self.owner, row)
            near.append((best + row[self.first]) / 2)
            asked = bag(text)
            total = sum(map(self.weight, asked)) or 1.0
            shares.append([sum(self.weight(word) for word in asked & bag) / total for bag in self.bags])
        return np.array(near), np.array(shares)

    def ranked(self, rankers: dict[str, np.ndarray]) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for ranker, matrix in rankers.items():
            for (style, _, grades), scores in zip(self.queries, matrix):
                value = ndcg(grades, [self.names[index] for index in np.argsort(-scores, kind="stable")[:10]])
                for key in (ranker, f"{ranker} {style}"):
                    found.setdefault(key, []).append(value)
        return {key: float(np.mean(values)) for key, values in found.items()}

    def sharpened(self, embed, late) -> dict[str, float]:
        """With the words of query and requirement compared one by one, added with several weights; and how well the
        best of the first ten tells queries that are answered from those that are not (area under the curve)."""
        texts = [text for _, text, _ in self.queries] + self.unanswerable
        dense, share = self.scores(embed, texts)
        close = late(texts, [self.passages[place] for place in self.first])
        fused, answered = dense + WORDS * share, len(self.queries)
        rankers = {f"late {weight}": (fused + weight * close)[:answered] for weight in (0, 0.3, 0.5, 1, 2)}
        found = self.ranked(rankers)
        for weight in (0, 0.5, 1, 2):
            first = np.sort(fused + weight * close, -1)[:, -10:].max(-1)
            found[f"area {weight}"] = area(first[:answered], first[answered:])
        return found


def area(answered: np.ndarray, others: np.ndarray) -> float:
    """How often something that is answered scores above something that is not."""
    return float((answered[:, None] > others[None, :]).mean()) if len(others) else 1.0


def bag(text: str) -> frozenset[str]:
    return frozenset(word[:6] for word in re.findall(r"[a-z0-9_]{2,}", text.lower()))


def ndcg(grades: dict[str, int], ranking: list[str]) -> float:
    gain = lambda values: sum((2**grade - 1) / math.log2(place) for place, grade in enumerate(values, 2))
    return gain(grades.get(name, 0) for name in ranking) / gain(sorted(grades.values(), reverse=True)[:10])


class Unseen:
    """In repositories left out of training: does a scenario's name or clause find its requirement's description?"""

    def __init__(self, rows: list[dict], most: int = 4000) -> None:
        described = {row["item"]: row["text"] for row in rows if row["kind"] == "bare"}
        self.items = sorted(described)
        self.texts = [described[item] for item in self.items]
        place = {item: index for index, item in enumerate(self.items)}
        asked = [row for row in rows if row["kind"] in ("scenario-name", "when", "everyday", "question") and row["item"] in place]
        asked = sorted(asked, key=lambda row: hashlib.sha256(row["text"].encode()).digest())[:most]
        self.queries = [row["text"] for row in asked]
        self.answers = np.array([place[row["item"]] for row in asked])

    def measure(self, embed) -> dict[str, float]:
        scores = embed(self.queries, "query") @ embed(self.texts, "passage").T
        right = scores[np.arange(len(self.answers)), self.answers]
        rank = (scores > right[:, None]).sum(1) + 1
        return {"unseen MRR@10": float(np.where(rank <= 10, 1 / rank, 0).mean()), "unseen found@10": float((rank <= 10).mean())}


class Written:
    """In the same repositories: do the queries that were written for a requirement find it among all of its repository?"""

    def __init__(self, rows: list[dict]) -> None:
        self.repositories = []
        for repository in sorted({row["repository"] for row in rows}):
            own = [row for row in rows if row["repository"] == repository]
            asked = [(query, place, style) for place, row in enumerate(own) for style, query in enumerate(row["asked"])]
            missed = [query for row in own for query in row["missed"]]
            if asked:
                self.repositories.append(([row["whole"] for row in own], [row["parts"] for row in own], asked, missed))

    def measure(self, embed) -> dict[str, float]:
        found: tuple[list, list] = ([], [])
        for wholes, parts, asked, _ in self.repositories:
            self.count(self.scores(embed, wholes, parts, [query for query, _, _ in asked]), asked, found)
        return {
            "written MRR@10": float(np.mean(found[0] + found[1])),
            "written paraphrase": float(np.mean(found[0])),
            "written vague": float(np.mean(found[1])),
        }

    def scores(self, embed, wholes: list[str], parts: list[list[str]], texts: list[str]) -> np.ndarray:
        queries = embed(texts, "query")
        whole = queries @ embed(wholes, "passage").T
        flat = queries @ embed([part for own in parts for part in own], "passage").T
        ends = np.cumsum([0] + [len(own) for own in parts])
        best = np.maximum(np.maximum.reduceat(flat, ends[:-1], axis=1), whole)
        return (whole + best) / 2

    def count(self, scores: np.ndarray, asked: list, found: tuple[list, list]) -> None:
        for row, (_, place, style) in zip(scores, asked):
            rank = int((row > row[place]).sum()) + 1
            found[style].append(1 / rank if rank <= 10 else 0)

    def sharpened(self, embed, late) -> dict[str, float]:
        """As Quality.sharpened; what is not answered are the near misses."""
        weights = (0, 0.3, 0.5, 1, 2)
        found = {weight: ([], []) for weight in weights}
        first = {weight: ([], []) for weight in weights}
        for wholes, parts, asked, missed in self.repositories:
            texts = [query for query, _, _ in asked] + missed
            dense, close = self.scores(embed, wholes, parts, texts), late(texts, wholes)
            for weight in weights:
                scores = dense + weight * close
                self.count(scores[: len(asked)], asked, found[weight])
                first[weight][0].append(scores[: len(asked)].max(-1))
                first[weight][1].append(scores[len(asked) :].max(-1))
        out = {}
        for weight in weights:
            answered, others = (np.concatenate(part) for part in first[weight])
            out[f"written late {weight}"] = float(np.mean(found[weight][0] + found[weight][1]))
            out[f"written area {weight}"] = area(answered, others)
        return out
