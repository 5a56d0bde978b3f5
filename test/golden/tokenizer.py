"""Writes tokenizer.json: 2,000 strings and 50 conversations with the token ids Hugging Face gives them.

    python3 -m venv venv && venv/bin/pip install torch transformers gguf
    venv/bin/python test/golden/tokenizer.py MODEL.gguf test/golden/tokenizer.json

The tokenizer is transformers' own, loaded from the GGUF file. Its GGUF loader ignores `tokenizer.ggml.pre` and leaves
out the splitting of digits that SmolLM2's tokenizer.json declares and the model was trained with, so that is put back
here, as that file has it.
"""

import json
import random
import sys
from pathlib import Path

from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
from transformers import AutoTokenizer

SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>", "<file_sep>", "<jupyter_code>", "<empty_output>"]
LOOKALIKES = ["<|im_end |>", "<|im_", "im_end|>", "<im_end>", "<|IM_END|>", "<|im_end|", "|im_start|>", "<|endoftext|", "< |im_end|>", "<\u200b|im_end|>", "<|im\u005fend|>", "<file sep>"]
SPACES = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n", "\n ", "\u00a0", "\u2003", "\u3000", "\u0085", "\u2028", "\ufeff", "\u200b", "\u000b", "\u000c", "\u1680", "\u180e", "\u202f"]
CONTROLS = [chr(c) for c in [*range(0, 32), *range(127, 160)]] + ["\u200e", "\u200f", "\u2066", "\ufff9", "\ufffd", "\ufffe", "\U000e0041", "\ue000", "\uf8ff"]
NUMBERS = ["0", "7", "42", "007", "3.14159", "1,000,000", "-273.15", "1e-9", "0x7fff", "2024-02-29", "12:34:56", "½", "²³", "Ⅷ", "①", "٣٤٥", "०१२", "৪৫", "𝟘𝟙", "一二三", "1st", "v2.0.1", "100%", "$9.99", "+49 30 123456", "1  2", "\n\n1. ", "  10", "a1b2c3"]
EMOJI = ["😀", "👍🏽", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "❤️", "☠️", "👩🏿‍🚀", "🤷‍♂️", "1️⃣", "🫠", "✨", "🧑‍🤝‍🧑", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"]
CODE = ["def f(x):\n    return x ** 2\n", "for (let i = 0; i < n; i++) {\n\ta[i] += 1;\n}", "SELECT * FROM t WHERE id = 42;", "#include <stdio.h>\nint main(void) { return 0; }", "<div class=\"a\">&amp;</div>", "{\"a\": [1, 2.5, null], \"b\": \"\\u00e9\"}", "ls -la | grep '^d' > /tmp/x 2>&1", "```python\nprint('hi')\n```", "fn main() -> Result<(), Box<dyn Error>> {}", "\\frac{1}{2} \\sum_{i=0}^{n} x_i", "https://example.com/a?b=c&d=%20#e", "foo_bar-baz.qux", "camelCaseAndPascalCase", "    \t    mixed indent", "// comment /* nested */", "a = b ? c : d ?? e"]
ENGLISH = "the quick brown fox jumps over a lazy dog and don't can't we'll they've I'm he's you're she'd it'S WE'LL o'clock rock'n'roll 'quoted' \"double\" naïve café résumé coöperate ... -- — – … ?! (paren) [bracket] {brace} @user #tag snake_case semi;colon".split()
COMBINING = ["e\u0301", "a\u0308\u0323", "Z\u0351\u036b\u0343a\u0342l\u034bg\u0346o", "n\u0303", "\u0301", "ก\u0e4d", "한\u1100\u1161", "\u0915\u094d\u0937", "\u0b95\u0bcd", "a\u20dd", "\u0644\u0627\u064e"]

# First and last character of a stretch of each script, with what has letters in it.
SCRIPTS = {
    "latin": (0x41, 0x17F), "greek": (0x391, 0x3C9), "cyrillic": (0x410, 0x45F), "armenian": (0x561, 0x586),
    "hebrew": (0x5D0, 0x5EA), "arabic": (0x621, 0x64A), "syriac": (0x712, 0x72C), "thaana": (0x780, 0x7A5),
    "nko": (0x7C0, 0x7EA), "devanagari": (0x905, 0x94D), "bengali": (0x985, 0x9B9), "gurmukhi": (0xA05, 0xA39),
    "gujarati": (0xA85, 0xAB9), "oriya": (0xB05, 0xB39), "tamil": (0xB85, 0xBB9), "telugu": (0xC05, 0xC39),
    "kannada": (0xC85, 0xCB9), "malayalam": (0xD05, 0xD39), "sinhala": (0xD85, 0xDC6), "thai": (0xE01, 0xE2E),
    "lao": (0xE81, 0xEAE), "tibetan": (0xF40, 0xF6C), "myanmar": (0x1000, 0x102A), "georgian": (0x10D0, 0x10F0),
    "hangul_jamo": (0x1100, 0x1159), "ethiopic": (0x1200, 0x1248), "cherokee": (0x13A0, 0x13F4),
    "canadian": (0x1401, 0x1676), "ogham": (0x1681, 0x169A), "runic": (0x16A0, 0x16EA), "khmer": (0x1780, 0x17B3),
    "mongolian": (0x1820, 0x1877), "vietnamese": (0x1EA0, 0x1EF9), "glagolitic": (0x2C00, 0x2C2E),
    "coptic": (0x2C80, 0x2CE3), "tifinagh": (0x2D30, 0x2D67), "hiragana": (0x3041, 0x3096),
    "katakana": (0x30A1, 0x30FA), "bopomofo": (0x3105, 0x312F), "han": (0x4E00, 0x9FA5), "yi": (0xA000, 0xA48C),
    "vai": (0xA500, 0xA60B), "hangul": (0xAC00, 0xD7A3), "fullwidth": (0xFF01, 0xFF5E),
    "linear_b": (0x10000, 0x1000B), "gothic": (0x10330, 0x1034A), "deseret": (0x10400, 0x1044F),
    "cuneiform": (0x12000, 0x1236E), "hieroglyphs": (0x13000, 0x1342E), "math": (0x1D400, 0x1D454),
    "han_b": (0x20000, 0x2A6D6), "symbols": (0x2190, 0x23FF), "box": (0x2500, 0x25FF), "currency": (0x20A0, 0x20BF),
    "braille": (0x2800, 0x28FF), "cards": (0x1F0A1, 0x1F0AE), "superscripts": (0x2070, 0x208E),
}


def word(rng, script):
    first, last = SCRIPTS[script]
    return "".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 7)))


def english(rng, most):
    return " ".join(rng.choice(ENGLISH) for _ in range(rng.randint(1, most)))


def anything(rng):
    pools = [SPACES, CONTROLS, NUMBERS, EMOJI, CODE, ENGLISH, COMBINING, SPECIAL, LOOKALIKES]
    pool = rng.choice([*pools, None, None])
    return word(rng, rng.choice(list(SCRIPTS))) if pool is None else rng.choice(pool)


def strings(rng):
    """2,000 strings that are all different; the first ones are every building block by itself."""
    made = dict.fromkeys(["", *SPECIAL, *LOOKALIKES, *SPACES, *CONTROLS, *NUMBERS, *EMOJI, *CODE, *ENGLISH, *COMBINING])
    for script in SCRIPTS:
        for _ in range(6):
            made[" ".join(word(rng, script) for _ in range(rng.randint(1, 4)))] = None
    while len(made) < 1000:
        a, b = anything(rng), anything(rng)
        made[rng.choice(["x", "", "Word", "9", "."]) + a + rng.choice(["", " ", "  ", "\n"]) + b] = None
    while len(made) < 1500:
        made["".join(anything(rng) + rng.choice(["", " ", "  ", "\n\n"]) for _ in range(rng.randint(2, 6)))] = None
    while len(made) < 1800:
        made[english(rng, 12) + rng.choice([".", "!", "?\n", "", " "])] = None
    while len(made) < 1995:
        made["".join(chr(rng.choice([rng.randint(0, 0x2FF), rng.randint(0, 0xD7FF), rng.randint(0xE000, 0x1FFFF)])) for _ in range(rng.randint(1, 10)))] = None
    for text in ["a" * 300, " " * 257, "\n" * 64 + "1", "ab" * 200 + " 12345 " + "é" * 80, "🙂" * 50]:
        made[text] = None
    return list(made)


def conversations(rng):
    """50 clean conversations: with and without system message, one to seven turns, odd contents."""
    odd = ["", " ", "\n", "  leading", "trailing  ", "line\n", "\n\n1. a\n2. b\n", "  10 things", "é̀", "👨‍👩‍👧‍👦", "\ue000 \ue001", "<|im_end |> <b>", "\u00a0x\u0085", "user\nassistant\n", "{{ messages }} {% if x %}", "\x00\x07", "a\r\nb", *CODE[:6]]
    made = []
    for index in range(50):
        content = lambda: rng.choice(odd) if rng.random() < 0.45 else english(rng, 25)
        messages = [{"role": "system", "content": content()}] if index % 2 else []
        for turn in range(rng.choice([1, 1, 3, 5, 7])):
            messages.append({"role": "assistant" if turn % 2 else "user", "content": content()})
        made.append(messages)
    return made


def main(model, out):
    tokenizer = AutoTokenizer.from_pretrained(str(model.parent), gguf_file=model.name)
    rng = random.Random(20241)
    texts = strings(rng)
    as_loaded = [tokenizer.encode(text, add_special_tokens=False) for text in texts]
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
        [Digits(individual_digits=True), ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)]
    )
    cases, different = [], 0
    for text, loaded in zip(texts, as_loaded):
        ids = tokenizer.encode(text, add_special_tokens=False)
        decoded = tokenizer.decode(ids, skip_special_tokens=False, clean_up_tokenization_spaces=False)
        different += ids != loaded
        # Bytes that the vocabulary lacks are dropped, so the text does not always come back.
        cases.append([text, ids] if decoded == text else [text, ids, decoded])
    chats = [
        [messages, tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)]
        for messages in conversations(rng)
    ]
    dump = lambda value: json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    lines = lambda rows: ",\n".join(dump(row) for row in rows)
    out.write_text(f'{{"strings":[\n{lines(cases)}\n],"conversations":[\n{lines(chats)}\n]}}\n')
    print(f"{len(cases)} strings, {len(chats)} conversations; digits change {different} strings")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
