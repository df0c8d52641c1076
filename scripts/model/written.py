#!/usr/bin/env python3
"""Write the requirements of the repositories in sources.tsv, each with its passages and with what is asked for it.

One JSON object a line: repository, spec, whole, parts (as hewto embeds them), names (of its scenarios), clauses, and
asked: the queries that were written for it by hand (written.tsv), a paraphrase and a vague one. missed: a near miss, which
only sounds as if the requirement answered it, where one was written. The requirements of everyday undertakings that were
written for the reader (everyday.tsv) come last.

--farther adds what was written since, in words that requirements do not use: farther.tsv, and the requirements of distant.tsv and twins.tsv.
Besides, as evenly: what was written so that its manner does not tell whether anything answers it (manner.tsv, twins.tsv), asked and missed.

Usage: written.py MIRRORS OUT [--farther]
"""

import json
import re
import sys
from pathlib import Path

from corpus import HERE, digest, is_english, listing, own, plain, run
from graded import distant, everyday, twins

MOST = 400
READ = 1_280
# Of a long one the program gives the reader so much, the names of all scenarios before their clauses (passage.rs).
GIST = 480


def main() -> None:
    mirrors, out = (Path(argument) for argument in sys.argv[1:3])
    farther = sys.argv[3:] == ["--farther"]
    asked: dict[str, list[str]] = {}
    missed: dict[str, list[str]] = {}
    for name, count in (("written", 2), ("farther", 4)) if farther else (("written", 2),):
        for line in (HERE / f"{name}.tsv").read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                item, *queries = line.split("\t")
                asked.setdefault(item, []).extend(queries[:count])
                missed.setdefault(item, []).extend(queries[count:])
    evenly = evenly_asked() if farther else {}
    seen = set(own())
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for line in (HERE / "sources.tsv").read_text("utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            repository, commit, _, _ = line.split("\t")
            for row in requirements(repository, mirrors / repository.replace("/", "+") / "repo", commit, asked, missed):
                mark = digest(row["parts"][0])
                if mark in seen:
                    continue
                seen.add(mark)
                count += bool(row["asked"])
                row |= evenly.get(row["item"], {})
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        for row in everyday() + (distant() + evenly_paired(twins()) if farther else []):
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    print(count, "of", len(asked), "were asked for")


def evenly_asked() -> dict[str, dict]:
    """By requirement: two queries that it answers, and two that it does not."""
    lines = (HERE / "manner.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    return {item: {"evenly": {"asked": queries[:2], "missed": queries[2:]}} for item, *queries in rows}


def evenly_paired(rows: list[dict]) -> list[dict]:
    return [row | {"evenly": {name: row[name] for name in ("asked", "missed")}} for row in rows]


def requirements(repository: str, git: Path, commit: str, asked: dict[str, list[str]], missed: dict[str, list[str]]):
    found = 0
    for blob, path in listing(git, commit):
        if not re.search(r"(^|/)openspec/specs/.*spec\.md$", path):
            continue
        text = run(git, "cat-file", "blob", blob).decode("utf-8", "replace")
        spec = f"{repository}/{path.rsplit('/', 1)[0]}"
        title = re.search(r"^# (.+)$", text, re.M)
        title = re.sub(r"\s*Specification$|^Spec: |^Delta.*$", "", plain(title[1])) if title else ""
        title = title or spec.rsplit("/", 1)[1].replace("-", " ")
        for number, block in enumerate(re.split(r"^### Requirement: ", text, flags=re.M)[1:]):
            block = re.split(r"^#{1,3} ", block, flags=re.M)[0]
            name, _, rest = block.partition("\n")
            parts = re.split(r"^#### Scenario: ", rest, flags=re.M)
            name, description = plain(name), plain(parts[0])
            queries = asked.get(f"{spec}#{number}", [])
            if not queries and (found >= MOST or len(description) < 40 or not is_english(description)):
                continue
            found += 1
            head = f"{title}: {name}"
            scenarios = [(plain(s.partition("\n")[0]), plain(s.partition("\n")[2])) for s in parts[1:]]
            lines = [f"{scenario}. {clauses}" for scenario, clauses in scenarios]
            whole = "\n".join([head, description, *lines])
            yield {
                "repository": repository,
                "spec": spec,
                "item": f"{spec}#{number}",
                "whole": whole[:READ],
                "gist": whole if len(whole) <= GIST else "\n".join([head, description, *map("\n".join, zip(*scenarios))])[:GIST],
                "parts": [f"{head}\n{line}"[:960] for line in [description, *lines]][:12],
                "names": [scenario for scenario, _ in scenarios if len(scenario) > 12][:4],
                "clauses": [c for _, clauses in scenarios for c in re.findall(r"WHEN (.+?)(?= (?:THEN|AND) |$)", clauses)][:3],
                "asked": queries,
                "missed": missed.get(f"{spec}#{number}", []),
            }


if __name__ == "__main__":
    main()
