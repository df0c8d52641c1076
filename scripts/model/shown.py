"""What search would show for queries that nothing was learnt from, and how well a model that reads query and requirement
together tells what answers from what does not.

The queries are those of the tuning half of the quality set, those of the repositories left out, and everyday ones put to
either. Of a near miss or a stranger the grades (graded.py) say whether something answers it after all; where they are in doubt
it is left out.
"""

import json
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

import graded
import judge as judging
from evaluate import Quality, Written, area, bag
from train import DEVICE, Tokens

SEPARATOR = 102
FIRST = 10


class Pairs(judging.Pairs):
    """As the judge's, with a mark on what is the requirement's."""

    def batch(self, queries: torch.Tensor, texts: torch.Tensor):
        ids, mask = super().batch(queries, texts)
        asked = self.tokens.lengths[queries].clamp(max=judging.QUERY)[:, None]
        return ids, mask, (torch.arange(ids.shape[1], device=DEVICE)[None, :] >= asked).float()


class Shown:
    """Each query with the first that search shows."""

    def __init__(self, rows: list[dict], near, late) -> None:
        """`near` and `late`: sharpen.embedder and sharpen.lateness of what searches."""
        self.sets: dict[str, list[dict]] = {}
        whole = {row["item"]: row["whole"] for row in rows}
        # What is ranked whole is read in short.
        self.gist = {row["whole"]: row["gist"] for row in rows}
        self.grades = {
            (query, whole[item]): grade
            for kind, query, pairs in graded.lines()
            for item, grade in pairs
            if kind.startswith("left") and item in whole
        }
        foreign = graded.elsewhere(measuring=True)
        quality = Quality()
        texts = [text for _, text, _ in quality.queries] + quality.unanswerable + foreign
        dense, share = quality.scores(near, texts)
        wholes = [quality.passages[place] for place in quality.first]
        scores = (dense + 0.5 * late(texts, wholes) + 0.1 * share) / 1.5
        styles = [style for style, _, _ in quality.queries] + ["none"] * len(quality.unanswerable) + ["foreign"] * len(foreign)
        right = [[grades.get(name, 0) for name in quality.names] for _, _, grades in quality.queries]
        self.add("quality", texts, styles, scores, wholes, quality.bags, right)
        written = Written(rows)
        for wholes, parts, asked, missed in written.repositories:
            strangers = [query for other in written.repositories if other[0] is not wholes for query, _, _ in other[2][::4]]
            texts = [query for query, _, _ in asked] + missed + strangers + foreign
            scores = (written.scores(near, wholes, parts, texts) + 0.5 * late(texts, wholes)) / 1.5
            styles = [("paraphrase", "vague")[style] for _, _, style in asked]
            styles += ["missed"] * len(missed) + ["strange"] * len(strangers) + ["foreign"] * len(foreign)
            right = [[2 * (place == own) for own in range(len(wholes))] for _, place, _ in asked]
            self.add("written", texts, styles, scores, wholes, [bag(whole) for whole in wholes], right)

    def add(self, name: str, texts, styles, scores, wholes, bags, right) -> None:
        words = frozenset().union(*bags)
        for number, (text, style, row) in enumerate(zip(texts, styles, scores)):
            first = np.argsort(-row, kind="stable")[:FIRST]
            if style in ("missed", "strange", "foreign"):
                best = max((self.grades[text, wholes[n]] for n in first[:2] if (text, wholes[n]) in self.grades), default=None)
                if best == 1 or (best is None and name == "written"):
                    continue
                style = "found" if best == 2 else style
            known = len(bag(text) & words) / max(1, len(bag(text)))
            shown = {"query": text, "style": style, "known": known, "scores": row[first].tolist(), "texts": [self.gist.get(wholes[n], wholes[n]) for n in first]}
            shown["right"] = [right[number][n] for n in first] if number < len(right) else []
            self.sets.setdefault(name, []).append(shown)

    @torch.no_grad()
    def measure(self, model, tokenizer: Tokenizer, kind=Pairs, end: int = SEPARATOR, out: Path | None = None) -> dict[str, float]:
        """Areas under the curve, by what is said of the first two results, and together with the best score."""
        found: dict[str, float] = {}
        for name, rows in self.sets.items():
            many = FIRST if out else 2
            tokens = Tokens(tokenizer, [row["query"] for row in rows] + [text for row in rows for text in row["texts"][:many]])
            queries = torch.arange(len(rows), device=DEVICE)[:, None].expand(-1, many).reshape(-1)
            texts = torch.arange(len(rows) * many, device=DEVICE) + len(rows)
            said = kind(tokens, end).run(model, queries, texts, 60_000).view(-1, many).cpu().numpy()
            best = np.array([row["scores"][0] + 0.1 * row["known"] for row in rows])
            styles = np.array([row["style"] for row in rows])
            none = ("none", "missed", "strange", "foreign")
            answered, top = ~np.isin(styles, none), said[:, :2].max(-1)
            for style in set(styles) & set(none):
                other = styles == style
                found[f"{name} {style} ({other.sum()})"] = area(top[answered], top[other])
                for weight in (0, 0.2, 0.4):
                    both = best + weight * np.tanh(top / 4)
                    found[f"{name} {style} with {weight}"] = area(both[answered], both[other])
            if out:
                lines = [
                    json.dumps({key: row[key] for key in ("query", "style", "known", "scores", "right")} | {"said": own.tolist()})
                    for row, own in zip(rows, said.round(3))
                ]
                out.with_name(f"{out.name}-{name}.jsonl").write_text("\n".join(lines) + "\n")
        return {key: round(float(value), 4) for key, value in found.items()}
