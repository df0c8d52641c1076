#!/usr/bin/env python3
"""Write sources.tsv for the snapshots in a folder: repository, commit, Markdown files, SHA-256 over their ids and paths.

Usage: sources.py MIRRORS > sources.tsv
"""

import sys
from pathlib import Path

from corpus import LEFT_OUT, fingerprint, listing, run


def main() -> None:
    print("# repository\tcommit\tMarkdown files\tSHA-256 of the lines `blob path` of these files, by path")
    for git in sorted(Path(sys.argv[1]).glob("*/repo"), key=lambda path: path.parent.name.lower()):
        repository = git.parent.name.replace("+", "/", 1)
        commit = run(git, "rev-parse", "HEAD").decode().strip()
        files = listing(git, commit)
        if LEFT_OUT.search(repository) or not any("openspec/" in path for _, path in files):
            continue
        print(repository, commit, len(files), fingerprint(files), sep="\t")


if __name__ == "__main__":
    main()
