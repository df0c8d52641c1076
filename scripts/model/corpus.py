#!/usr/bin/env python3
"""Build the training texts: what specifications say, and how people ask for it.

Reads bare git snapshots of the repositories in sources.tsv, WordNet's glosses, Debian's package descriptions and the
documentation of Rust crates. Writes one JSON object a line: text, kind, group (what counts as one capability), item
(texts with the same item mean the same thing). Everything is ordered and seeded: the same sources give the same file.

Usage: corpus.py MIRRORS WORDNET CRATES OUT
    MIRRORS  folder with OWNER+NAME/repo, each a bare git directory
    WORDNET  folder with data.noun, data.verb, data.adj, data.adv (Debian wordnet-base)
    CRATES   folder with unpacked crates, one a folder
Package descriptions are read from `apt-cache dumpavail`.
"""

import hashlib
import json
import random
import re
import subprocess
import sys
from pathlib import Path

SEED = 20
HERE = Path(__file__).parent
# Never read: OpenSpec itself and its forks, the programs hewto descends from, other tools for specifications.
LEFT_OUT = re.compile(r"openspec$|airsspec|spox|specman|preflights|ancplua|spec-kit|backlog\.md|spec-workflow|task-master", re.I)
STOP = set("the a an of to and or in on for is are be by with that this it as from at not when if then was will shall must".split())


def main() -> None:
    mirrors, wordnet, crates, out = (Path(argument) for argument in sys.argv[1:5])
    texts = Texts()
    for line in (HERE / "sources.tsv").read_text("utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        repository, commit, _, digest = line.split("\t")
        git = mirrors / repository.replace("/", "+") / "repo"
        files = listing(git, commit)
        if fingerprint(files) != digest:
            raise SystemExit(f"{repository} is not what it was")
        read_repository(texts, repository, git, commit, files)
    read_wordnet(texts, wordnet)
    read_debian(texts)
    read_crates(texts, crates)
    texts.ask()
    texts.write(out)


def listing(git: Path, commit: str) -> list[tuple[str, str]]:
    """(blob, path) of the Markdown files, by path."""
    tree = run(git, "ls-tree", "-r", "-z", commit).decode("utf-8", "replace")
    files = []
    for entry in tree.split("\0"):
        if entry.endswith(".md"):
            head, path = entry.split("\t", 1)
            files.append((head.split()[2], path))
    return sorted(files, key=lambda file: file[1])


def fingerprint(files: list[tuple[str, str]]) -> str:
    return hashlib.sha256("\n".join(f"{blob} {path}" for blob, path in files).encode()).hexdigest()


def run(git: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    return subprocess.run(["git", f"--git-dir={git}", *arguments], input=stdin, stdout=subprocess.PIPE, check=True).stdout


def read_repository(texts: "Texts", repository: str, git: Path, commit: str, files: list[tuple[str, str]]) -> None:
    wanted = [file for file in files if not re.search(r"(^|/)(\.|node_modules|vendor|AGENTS\.md|CLAUDE\.md|SKILL\.md)", file[1])]
    output = run(git, "cat-file", "--batch", stdin="\n".join(blob for blob, _ in wanted).encode())
    others = 0
    for _, path in wanted:
        head, _, output = output.partition(b"\n")
        size = int(head.split()[2])
        text, output = output[:size].decode("utf-8", "replace"), output[size + 1 :]
        if size > 400_000:
            continue
        if path.endswith("/spec.md"):
            read_spec(texts, repository, path, text)
        elif re.search(r"openspec/.*/(proposal|design)\.md$", path):
            read_prose(texts, "change", f"{repository}/{path.rsplit('/', 1)[0]}", text, 60)
        elif path.endswith("/tasks.md"):
            lines = re.findall(r"^\s*- \[.\] (?:[\d.]+ )?(.+)$", text, re.M)
            for line in lines[:40]:
                texts.add(line, "task", f"{repository}/{path.rsplit('/', 1)[0]}")
        elif others < 120:
            others += 1
            read_prose(texts, "docs", f"{repository}/{path}", text, 25)
    subjects = run(git, "log", "--no-merges", "-n", "400", "--format=%s", commit).decode("utf-8", "replace")
    for subject in subjects.splitlines():
        texts.add(re.sub(r"^\w+(\([^)]*\))?!?: ", "", subject), "commit", repository)


def read_spec(texts: "Texts", repository: str, path: str, text: str) -> None:
    """Requirements as hewto embeds them, and their parts."""
    group = f"{repository}/{path.rsplit('/', 1)[0]}"
    title = re.search(r"^# (.+)$", text, re.M)
    title = re.sub(r"\s*Specification$|^Spec: |^Delta.*$", "", plain(title[1])) if title else ""
    title = title or group.rsplit("/", 1)[1].replace("-", " ")
    purpose = re.search(r"^## Purpose\s*\n+(.+?)(?=\n#|\Z)", text, re.M | re.S)
    if purpose:
        texts.add(f"{title}\n{plain(purpose[1])}", "purpose", group)
    for number, block in enumerate(re.split(r"^### Requirement: ", text, flags=re.M)[1:]):
        block = re.split(r"^#{1,3} ", block, flags=re.M)[0]
        name, _, rest = block.partition("\n")
        parts = re.split(r"^#### Scenario: ", rest, flags=re.M)
        name, description = plain(name), plain(parts[0])
        item = f"{group}#{number}"
        head = f"{title}: {name}"
        scenarios = []
        for part in parts[1:]:
            scenario, _, clauses = part.partition("\n")
            scenario, clauses = plain(scenario), plain(clauses)
            scenarios.append(f"{scenario}. {clauses}")
            texts.add(scenario, "scenario-name", group, item)
            texts.add(f"{head}\n{scenario}. {clauses}", "scenario", group, item)
            for clause in re.findall(r"WHEN (.+?)(?= (?:THEN|AND) |$)", clauses):
                texts.add(clause, "when", group, item)
            for clause in re.findall(r"THEN (.+?)(?= AND |$)", clauses):
                texts.add(clause, "then", group, item)
        whole = "\n".join([head, description, *scenarios])
        texts.add(name, "name", group, item)
        texts.add(f"{head}\n{description}", "description", group, item)
        texts.add(description, "bare", group, item)
        texts.add(whole if len(whole) < 1000 else "\n".join([head, *scenarios])[:1000], "whole", group, item)


def read_prose(texts: "Texts", kind: str, group: str, text: str, most: int) -> None:
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    heading, kept = "", 0
    for block in re.split(r"\n\s*\n", text):
        block = block.strip()
        if block.startswith("#"):
            first, _, block = block.partition("\n")
            heading = plain(first.lstrip("# "))
        if block.startswith("|") or len(block) < 30 or kept >= most:
            continue
        kept += 1
        lines = re.split(r"\n\s*[-*] ", block) if re.match(r"\s*[-*] ", block) else [block]
        for line in lines[:8]:
            line = plain(line)
            texts.add(line, kind, group, f"{group}#{kept}")
            if heading and len(line) > 60:
                texts.add(f"{heading}: {line}", kind, group, f"{group}#{kept}")
            for sentence in re.split(r"(?<=[.!?]) ", line)[:6]:
                if len(sentence) < len(line):
                    texts.add(sentence, "sentence", group, f"{group}#{kept}")


def read_wordnet(texts: "Texts", folder: Path) -> None:
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text("utf-8").splitlines():
            if line.startswith(" "):
                continue
            head, _, gloss = line.partition(" | ")
            fields = head.split()
            if part == "noun" and fields[1] in ("05", "18", "20", "15"):  # animals, people's names, plants, places
                continue
            count = int(fields[3], 16)
            lemmas = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * i]).replace("_", " ") for i in range(count)]
            definition, *examples = [piece.strip(' "') for piece in re.split(r'; (?=")', gloss.strip())]
            item = f"wordnet/{part}/{fields[0]}"
            texts.add(f"{', '.join(lemmas[:4])}: {definition}", "gloss", f"wordnet/{fields[1]}", item)
            texts.add(definition, "definition", f"wordnet/{fields[1]}", item)
            for example in examples[:2]:
                texts.add(example, "example", f"wordnet/{fields[1]}", item)
            for lemma in lemmas:
                texts.synonyms.setdefault(lemma.lower(), []).extend(other for other in lemmas if other != lemma)


def read_debian(texts: "Texts") -> None:
    available = subprocess.run(["apt-cache", "dumpavail"], stdout=subprocess.PIPE, check=True).stdout.decode("utf-8", "replace")
    for package in sorted(available.split("\n\n")):
        name = re.search(r"^Package: (.+)$", package, re.M)
        text = re.search(r"^Description(?:-en)?: (.+(?:\n .+)*)", package, re.M)
        section = re.search(r"^Section: (.+)$", package, re.M)
        if not (name and text):
            continue
        short, _, long = text[1].partition("\n")
        item = f"debian/{name[1]}"
        group = f"debian/{section[1] if section else ''}"
        texts.add(short, "package", group, item)
        long = plain(re.split(r"\n \.\n", long)[0])
        if long:
            texts.add(long, "package", group, item)


def read_crates(texts: "Texts", folder: Path) -> None:
    for crate in sorted(path for path in folder.iterdir() if path.is_dir()):
        manifest = crate / "Cargo.toml"
        if manifest.exists():
            description = re.search(r'^description = """?\s*(.+?)"""?$', manifest.read_text("utf-8", "replace"), re.M | re.S)
            if description:
                texts.add(plain(description[1].strip('"')), "package", "crates")
        for path in sorted(crate.glob("*.md"))[:3]:
            read_prose(texts, "docs", f"crate/{crate.name}/{path.name}", path.read_text("utf-8", "replace"), 20)
        kept = 0
        for path in sorted(crate.glob("src/**/*.rs")):
            if kept >= 150:
                break
            source = path.read_text("utf-8", "replace")
            for comment in re.findall(r"(?:^[ \t]*//[/!] ?[^\n]*\n)+", source, re.M)[:20]:
                lines = [re.sub(r"^[ \t]*//[/!] ?", "", line) for line in comment.splitlines()]
                paragraph = plain(" ".join(lines).split("  ")[0].split("# ")[0])
                texts.add(paragraph, "comment", f"crate/{crate.name}")
                kept += 1


def plain(text: str) -> str:
    """Markdown without its marks, on one line."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^\s*(?:[-*+]|\d+\.) (?:\[.\] )?", "", text, flags=re.M)
    text = re.sub(r"\*\*|__|`|^>\s?|^#+ ", "", text, flags=re.M)
    text = re.sub(r"(?<!\w)\*([^*\n]+)\*(?!\w)", r"\1", text)
    return re.sub(r"\s+", " ", text).strip()


def is_english(text: str) -> bool:
    letters = sum(character.isascii() for character in text)
    if letters < 0.97 * len(text):
        return False
    words = re.findall(r"[a-z]+", text.lower())
    if len(words) < 2 or sum(map(len, words)) < 0.55 * len(text):
        return False
    return len(words) < 12 or sum(word in STOP for word in words) >= 0.1 * len(words)


class Texts:
    """What was found so far, each text once."""

    def __init__(self) -> None:
        self.rows: list[dict] = []
        self.seen: set[bytes] = set(own())
        self.synonyms: dict[str, list[str]] = {}

    def add(self, text: str, kind: str, group: str, item: str | None = None) -> None:
        text = text.strip()[:1200]
        if not 8 <= len(text) or not is_english(text):
            return
        mark = digest(text)
        if mark in self.seen:
            return
        self.seen.add(mark)
        self.rows.append({"text": text, "kind": kind, "group": group, "item": item or f"{group}#{len(self.rows)}"})

    def ask(self) -> None:
        """Questions for what was read: by template, in everyday words, with synonyms, as a handful of words."""
        colloquial = {}
        for line in (HERE / "colloquial.tsv").read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                term, ways = line.split("\t")
                colloquial[term.lower()] = ways.split(" | ")
        pattern = re.compile(r"\b(" + "|".join(sorted(map(re.escape, colloquial), key=len, reverse=True)) + r")\b", re.I)
        draw = random.Random(SEED)
        asked: list[tuple[str, str, str, str]] = []
        for row in self.rows:
            kind, text = row["kind"], row["text"]
            if kind not in ("name", "scenario-name", "when", "then", "bare", "task", "change") or len(text) > 400:
                continue
            where = (row["group"], row["item"])
            lower = text[0].lower() + text[1:].rstrip(".")
            if kind == "when":
                asked.append((draw.choice(WHEN).format(lower), "question", *where))
            elif kind == "then":
                asked.append((draw.choice(THEN).format(lower), "question", *where))
            elif kind in ("name", "scenario-name", "task"):
                asked.append((draw.choice(NAME).format(lower), "question", *where))
            if pattern.search(text):
                for _ in range(2):
                    said = pattern.sub(lambda found: draw.choice(colloquial[found[0].lower()]), text[:200])
                    asked.append((said, "everyday", *where))
            words = [word for word in re.findall(r"[A-Za-z][A-Za-z-]+", text) if word.lower() not in STOP and len(word) > 2]
            if len(words) > 6:
                start = draw.randrange(len(words) - 4)
                asked.append((" ".join(words[start : start + draw.randint(3, 5)]).lower(), "words", *where))
            if len(text) < 160:
                swapped = re.sub(r"[A-Za-z]{4,}", lambda word: self.other(word[0], draw), text)
                if swapped != text:
                    asked.append((swapped, "synonyms", *where))
        for entry in asked:
            self.add(*entry)

    def other(self, word: str, draw: random.Random) -> str:
        known = self.synonyms.get(word.lower(), [])
        return draw.choice(known) if known and draw.random() < 0.4 else word

    def write(self, out: Path) -> None:
        self.rows = sorted(filter(is_kept, self.rows), key=lambda row: (row["group"], row["item"], row["text"]))
        with out.open("w", encoding="utf-8") as file:
            for row in self.rows:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        kinds: dict[str, int] = {}
        for row in self.rows:
            kinds[row["kind"]] = kinds.get(row["kind"], 0) + 1
        print(len(self.rows), "texts,", sum(len(row["text"]) for row in self.rows), "characters", kinds)


def is_kept(row: dict) -> bool:
    """Of what is made up only a share, so that it does not outweigh what was written."""
    return digest(row["text"])[0] < 256 * KEPT.get(row["kind"], 1.0)


def digest(text: str) -> bytes:
    return hashlib.sha256(re.sub(r"\W+", " ", text.lower()).strip().encode()).digest()[:8]


def own() -> list[bytes]:
    """The marks of everything in our own quality set, so that none of it is trained on."""
    marks = []
    folder = HERE.parents[1] / "crates/bench/quality"
    for path in sorted(folder.glob("specs/*/spec.md")):
        marks += [digest(plain(line)) for line in path.read_text("utf-8").splitlines()]
        marks += [digest(plain(re.sub(r"^#+ (Requirement: |Scenario: )?", "", line))) for line in path.read_text("utf-8").splitlines()]
    for line in (folder / "queries.tsv").read_text("utf-8").splitlines():
        if "\t" in line:
            marks.append(digest(line.split("\t")[1]))
    return marks


KEPT = {"everyday": 0.4, "synonyms": 0.3, "words": 0.4, "question": 0.65, "definition": 0.7, "gloss": 0.7}
WHEN = ["what happens when {}", "what should happen if {}", "{}, and then?", "how does it behave when {}", "case: {}", "{} - is that handled?", "user says {}"]
THEN = ["why does {}", "where do we say that {}", "which rule makes sure {}", "who decides that {}", "expected: {}", "when is it that {}", "I want {}"]
NAME = ["how does {} work", "rules for {}", "what do we require about {}", "is there anything on {}", "{} does not work", "need to change {}", "where is {} described", "problem with {}", "tell me about {}", "add {}"]

if __name__ == "__main__":
    main()
