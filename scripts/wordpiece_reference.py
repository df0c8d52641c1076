#!/usr/bin/env python3
"""Write crates/search/src/wordpiece/reference.txt: texts with the ids that the reference tokenizer gives them.

The reference is the `tokenizers` package with the vocabulary of crates/search/model and BERT's uncased settings.

Needs: pip install tokenizers. Usage: scripts/wordpiece_reference.py
"""

import json
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import BertProcessing

FOLDER = Path("crates/search")

TEXTS = [
    "", " ", "hello", "Hello World", "The quick brown fox jumps over the lazy dog.",
    "A session SHALL end after `session_ttl` minutes without any request (default 30).",
    "**WHEN** a person submits a known address\n- **THEN** a session is created",
    "unaffable", "embeddings tokenization antidisestablishmentarianism", "x" * 100, "x" * 101, "é" * 100, "é" * 101,
    "naïve café résumé Übergröße Ångström", "ﬁne ﬂuid Ⅷ ½ ² ™", "İstanbul ıssız DİYARBAKIR", "ΑΒΓ ΣΊΣΥΦΟΣ σοφός ς",
    "STRASSE straße ẞ", "Ǆ ǅ ǆ Ǉ", "e\u0301 n\u0303 a\u030a o\u0308\u0304", "\u0301alone", "a\u200bb a\u200db a\ufeffb",
    "soft\u00adhyphen", "non\u00a0breaking\u2003em\u2009thin\u3000ideographic", "line\u2028sep\u2029para\u0085next\u000bvt\u000cff",
    "null\u0000here replacement\ufffdhere", "bell\u0007 escape\u001b[0m delete\u007f", "tab\there\r\nnew line",
    "検索の仕様を満たす", "漢字kanji混じり", "ひらがな カタカナ ﾊﾝｶｸ", "한국어 검색 요구사항", "中文搜索：规范，要求。", "𠀀𪚥 rare",
    "שלום עולם", "שָׁלוֹם", "مرحبا بالعالم", "مُحَمَّد", "हिन्दी में खोज", "ภาษาไทย", "ქართული", "Привет, мир! Ёлка йод",
    "emoji 🚢🎉 family 👨‍👩‍👧‍👦 flag 🇩🇪 heart ❤️", "→ ← ⇒ ≤ ≥ ≠ ± × ÷ ∞ √", "“quoted” ‘single’ «guillemets» — dash – en … ellipsis",
    "don't won't it's o'clock", "rock’n’roll", "a.b.c v1.2.3 3.14 1,000,000 10%", "user@example.com https://example.com/a?b=c&d=e#f",
    "snake_case camelCase PascalCase kebab-case SCREAMING_CASE dotted.name", "C++ C# F# .NET Node.js", "$100 €50 £20 ¥1000 ₿1",
    "^regex$ [a-z]+ (group|other)* \\d{3}", "<html> &amp; </html>", "# heading\n\n## Purpose\n\n```rust\nfn main() {}\n```",
    "[CLS] [SEP] [UNK] [PAD] [MASK]", "##ing ## #", "(a)(b)((c))", "!!!???...", "___---===", "1234567890 12ab34 0x1F",
    "Pneumonoultramicroscopicsilicovolcanoconiosis", "private\ue000use unassigned\u0378char", "zero\u200cwidth\u200ejoin\u2060er",
    "ﷺ ﷽", "Ω Ω K K Å Å", "①②③ ㈱ ㍿", "ｆｕｌｌｗｉｄｔｈ ＡＢＣ １２３", "\U0001d400\U0001d401 math bold", "a" * 50 + " " + "b" * 50,
    " ".join(["requirement"] * 300), "word " * 254 + "tail",
    "The system SHALL reject uploads larger than `max_upload_bytes` with HTTP 413 and error code E_TOO_LARGE.",
]


def main() -> None:
    vocabulary = {line: n for n, line in enumerate((FOLDER / "model/vocab.txt").read_text("utf-8").split("\n")) if line}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    tokenizer.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", vocabulary["[SEP]"]), ("[CLS]", vocabulary["[CLS]"]))
    tokenizer.enable_truncation(256)
    lines = ["# Written by scripts/wordpiece_reference.py: ids of the reference tokenizer, a tab, the text as JSON."]
    lines += [f"{json.dumps(tokenizer.encode(text).ids)}\t{json.dumps(text)}" for text in TEXTS]
    (FOLDER / "src/wordpiece/reference.txt").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
