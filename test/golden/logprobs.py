"""Writes logprobs.json: greedy replies of the model in float32, with the log-probability of every token.

    python3 -m venv venv && venv/bin/pip install torch transformers gguf
    venv/bin/python test/golden/logprobs.py MODEL.gguf test/golden/logprobs.json

Runs transformers on the GGUF file's weights, dequantised to float32, on the CPU. All replies are written side by side,
left-padded; the log-probabilities come from one pass over each prompt and reply alone, without a cache, which also
checks that every token was the most probable one. A reply includes the end-of-turn token where the model sampled it.
"""

import json
import sys
from pathlib import Path

import torch
from tokenizers.pre_tokenizers import ByteLevel, Digits, Sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

MAX_TOKENS = 160
# Nats. Below it, rounding in the last digit of a float32 may choose the other token.
MIN_LEAD = 1e-3

PROMPTS = [
    "How do I boil an egg?",
    "What is the capital of France, and what is it known for?",
    "Write a short poem about the sea.",
    "Why do leaves turn red in autumn?",
    "Give me three tips for sleeping better.",
    "What is 6 times 7, and why?",
    "Write a Python function that reverses a string.",
    "Translate 'good morning' into Spanish, German and French.",
    "Why is the sky blue?",
    "Tell me a story about a fox and a crow.",
    "What should I cook with rice, eggs and spinach?",
    "Summarise the water cycle in five sentences.",
    "My bicycle makes a clicking noise. What could it be?",
    "List the planets of the solar system in order.",
    "Wie wird das Wetter morgen? Bitte kurz.",
    "How does a bank make money? 🏦",
]

CONVERSATIONS = [
    [("system", "You are a pirate. Answer like one."), ("user", "Where can I find good food in this town?")],
    [("system", "Answer in at most two short sentences."), ("user", "What is gravity?")],
    [("user", "Hi!"), ("assistant", "Hello! How can I help you today?"), ("user", "Recommend me a book about history.")],
]

LONG = [
    ("system", "You are a patient gardening adviser who answers thoroughly and in plain words."),
    ("user", "I have just moved into a house with a small garden. It faces south, the soil is heavy clay, and nothing has been planted there for years. I would like to grow vegetables for my family of four, but I have never done that before. Where should I begin?"),
    ("assistant", "Congratulations on the new house! A garden that faces south is a very good start, because most vegetables want at least six hours of sun. Heavy clay holds water and food well, but it is slow to warm up and hard to dig. I would begin with three things. First, dig over one small bed, no more than two metres by four, and mix in as much compost as you can get. Second, wait for a dry day, since digging wet clay makes hard lumps. Third, choose easy plants for the first year: potatoes, beans, lettuce, courgettes and onions. Potatoes are especially good on new ground because their roots break up the soil for whatever comes next."),
    ("user", "That sounds doable. When should I plant each of them? We sometimes have frost until the middle of May, and I am away for two weeks in July."),
    ("assistant", "With frost until the middle of May, plant in two rounds. In the second half of April put the potatoes and the onion sets into the ground, because they can stand a cold night while they are still under the soil. Sow lettuce from April on, a short row every two weeks, so that it does not all ripen at once. Beans and courgettes must wait until the frost is over, so sow them around the twentieth of May. For your two weeks in July, give everything a deep watering on the last evening, cover the soil with straw or cut grass, and ask a neighbour to pick the courgettes and beans. If they are not picked, the plants stop making new ones."),
    ("user", "Thank you. And what can I do about slugs without using poison? We have a dog."),
]


def render(messages):
    return [{"role": role, "content": content} for role, content in messages]


def main(model_path, out):
    torch.set_num_threads(1)
    source = {"gguf_file": model_path.name}
    tokenizer = AutoTokenizer.from_pretrained(str(model_path.parent), **source)
    # As SmolLM2's tokenizer.json has it; transformers' GGUF loader leaves the digits out (see tokenizer.py).
    tokenizer.backend_tokenizer.pre_tokenizer = Sequence(
        [Digits(individual_digits=True), ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=True)]
    )
    model = AutoModelForCausalLM.from_pretrained(
        str(model_path.parent), dtype=torch.float32, attn_implementation="eager", **source
    ).eval()

    chats = [render([("user", prompt)]) for prompt in PROMPTS] + [render(chat) for chat in [*CONVERSATIONS, LONG]]
    end = tokenizer.eos_token_id
    prompts = [tokenizer.apply_chat_template(chat, add_generation_prompt=True, return_dict=False) for chat in chats]
    longest = max(map(len, prompts))
    with torch.no_grad():
        whole = model.generate(
            torch.tensor([[end] * (longest - len(prompt)) + prompt for prompt in prompts]),
            attention_mask=torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]),
            do_sample=False, max_new_tokens=MAX_TOKENS, eos_token_id=end, pad_token_id=end,
        )
    cases, tokens, closest = [], 0, float("inf")
    for messages, prompt, ids in zip(chats, prompts, whole[:, longest:].tolist()):
        if end in ids:
            ids = ids[: ids.index(end) + 1]
        response = torch.tensor(ids)
        with torch.no_grad():
            logits = model(torch.tensor([prompt + ids]), use_cache=False).logits[0, len(prompt) - 1 : -1]
        assert torch.equal(logits.argmax(dim=-1), response), "padding changed a choice; choose another prompt"
        logprobs = torch.log_softmax(logits.double(), dim=-1)
        chosen = logprobs.gather(1, response[:, None])[:, 0]
        best = logprobs.topk(2, dim=-1).values
        lead = float((best[:, 0] - best[:, 1]).min())
        assert lead > MIN_LEAD, "two tokens are as good as equal; choose another prompt"
        closest = min(closest, lead)
        tokens += len(response)
        cases.append({
            "messages": messages,
            "prompt": prompt,
            "response": ids,
            "logprobs": [float(f"{value:.7g}") for value in chosen.tolist()],
        })
        print(len(prompt), len(response), repr(tokenizer.decode(response))[:100], flush=True)
    out.write_text("[\n" + ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases) + "\n]\n")
    print(f"{len(cases)} replies, {tokens} tokens, smallest lead of the best token {closest:.2g} nats")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
