"""Golden numbers for the trainer: small random Llama models, PEFT LoRA weights on them, and what PyTorch makes of a batch.

    pip install torch==2.15.0 transformers==5.24.0 peft==0.21.2
    python test/golden/tiny_llama.py            # rewrites test/golden/tiny-llama/{tied,untied}/

Weights and inputs are stored in float32; everything computed from them is computed in float64 and rounded once.
A folder holds the model (config.json, model.safetensors), the policy as PEFT saves it (policy/), the batch with the
expected log-probabilities and loss (batch.json), the gradients of the loss (gradients.safetensors) and the policy's
weights after each of three AdamW steps (step-1..3.safetensors). Tensor names are PEFT's.
"""

import json
import math
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict
from safetensors.torch import save_file
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama import modeling_llama

HERE = Path(__file__).parent / "tiny-llama"
PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
K = 5  # candidates per response token: the token itself and the policy's four most probable
CLIP = (0.8, 1.28)
ADAMW = dict(lr=1e-2, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.0)
MAX_NORM = 1.0
STEPS = 3
SHAPES = {
    "tied": dict(vocab_size=320, hidden_size=64, num_attention_heads=4, tie_word_embeddings=True, rope_theta=1e4),
    # 6 heads of 16 on a width of 48: the size of a head is not width / heads.
    "untied": dict(vocab_size=288, hidden_size=48, num_attention_heads=6, tie_word_embeddings=False, rope_theta=1e5),
}
SEQUENCES = [(7, 12), (19, 5), (3, 21)]  # prompt and response tokens


# transformers computes norms and rotary angles in float32 whatever the model's type is; golden numbers need float64.
class ExactNorm(modeling_llama.LlamaRMSNorm):
    def forward(self, x):
        return self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon))


class ExactRotary(torch.nn.Module):
    def __init__(self, theta, size):
        super().__init__()
        self.theta, self.size = theta, size

    def forward(self, x, position_ids):
        frequencies = self.theta ** (-torch.arange(0, self.size, 2, dtype=torch.float64) / self.size)
        angles = (position_ids[..., None].double() * frequencies).repeat(1, 1, 2)
        return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


def make_policy(shape, folder):
    """A random model and random LoRA weights, saved in float32, returned in float64."""
    theta = shape.pop("rope_theta")
    config = LlamaConfig(
        intermediate_size=128, num_hidden_layers=2, num_key_value_heads=2, head_dim=16,
        max_position_embeddings=128, rms_norm_eps=1e-5, bos_token_id=1, eos_token_id=2, dtype="float32",
        rope_parameters=dict(rope_type="default", rope_theta=theta), attn_implementation="sdpa", **shape,
    )
    base = LlamaForCausalLM(config)
    with torch.no_grad():
        for name, weight in base.named_parameters():
            weight.normal_(1.0, 0.1) if "norm" in name else weight.normal_(0.0, 0.15)
    base.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    for name, child in list(base.named_modules()):
        if isinstance(child, modeling_llama.LlamaRMSNorm):
            child.__class__ = ExactNorm
    policy = get_peft_model(base, LoraConfig(r=4, lora_alpha=8, target_modules=PROJECTIONS, task_type="CAUSAL_LM"))
    with torch.no_grad():
        for name, weight in policy.named_parameters():
            if "lora_" in name:
                weight.normal_(0.0, 0.1)
    policy.peft_config["default"].base_model_name_or_path = "tiny-llama"
    policy.save_pretrained(folder / "policy", save_embedding_layers=False)
    (folder / "policy" / "README.md").unlink(missing_ok=True)
    base.model.rotary_emb = ExactRotary(theta, 16)
    return policy.double().eval()


def log_softmax(policy, sequence):
    """Log-probabilities of the whole vocabulary where a response token comes next. [response, vocabulary]"""
    logits = policy(input_ids=torch.tensor([sequence["ids"]])).logits[0]
    return logits[sequence["rows"]].log_softmax(-1)


def stored(values):
    """Values as float32 stores them, so that a float32 reader starts from the same numbers."""
    return values.float().double()


@torch.no_grad()
def make_sequence(policy, prompt, response, vocabulary):
    ids = torch.randint(3, vocabulary, (prompt + response,)).tolist()
    rows = list(range(prompt - 1, prompt + response - 1))
    sequence = dict(ids=ids, rows=rows)
    for position in rows[::3]:  # some response tokens are greedy ones, so the same candidate stands twice in a row
        ids[position + 1] = policy(input_ids=torch.tensor([ids[: position + 1]])).logits[0, -1].argmax().item()
    logp = log_softmax(policy, sequence)
    taken = torch.tensor(ids)[torch.tensor(rows) + 1]
    candidates = torch.cat([taken[:, None], logp.topk(K - 1).indices], 1)
    with policy.disable_adapter():
        reference = log_softmax(policy, sequence).gather(1, candidates)
    shape = candidates.shape
    # Ratios below, inside and above the clip, away from its corners.
    log_ratio = torch.tensor([-0.6, -0.35, -0.1, 0.0, 0.1, 0.4, 0.7])[torch.randint(0, 7, shape)]
    advantages = torch.randn(shape) * (torch.rand(shape) > 0.15) / (3 * response)
    kl_weights = torch.rand(shape) * (torch.rand(shape) > 0.3) * 0.1 / (3 * response)
    return sequence | dict(
        candidates=candidates,
        old=stored(logp.gather(1, candidates) - log_ratio),
        advantages=stored(advantages),
        reference=stored(reference),
        klWeights=stored(kl_weights),
    )


def objective(policy, batch):
    """The loss, the candidates' log-probabilities, and how near the nearest ratio is to a corner of the clip."""
    loss, logprobs, margin = 0.0, [], math.inf
    for s in batch:
        logp = log_softmax(policy, s).gather(1, s["candidates"])
        ratio = (logp - s["old"]).exp()
        surrogate = torch.minimum(ratio * s["advantages"], ratio.clamp(*CLIP) * s["advantages"])
        gap = s["reference"] - logp
        loss = loss - surrogate.sum() + (s["klWeights"] * (gap.exp() - gap - 1)).sum()
        logprobs.append(logp)
        margin = min(margin, *((logp - s["old"] - math.log(edge)).abs().min().item() for edge in CLIP))
    return loss, logprobs, margin


def lora_tensors(policy, of):
    named = {name: of(weight) for name, weight in policy.named_parameters() if "lora_" in name}
    return {name.replace(".default", ""): tensor.detach().float().contiguous() for name, tensor in named.items()}


def main():
    for seed, (name, shape) in enumerate(SHAPES.items()):
        torch.manual_seed(seed)
        folder = HERE / name
        folder.mkdir(parents=True, exist_ok=True)
        policy = make_policy(dict(shape), folder)
        assert set(lora_tensors(policy, lambda w: w)) == set(get_peft_model_state_dict(policy))
        batch = [make_sequence(policy, *lengths, shape["vocab_size"]) for lengths in SEQUENCES]
        loras = [weight for weight in policy.parameters() if weight.requires_grad]
        adamw = torch.optim.AdamW(loras, **ADAMW)
        losses, norms = [], []
        for step in range(1, STEPS + 1):
            adamw.zero_grad()
            loss, logprobs, margin = objective(policy, batch)
            assert margin > 1e-5, f"step {step}: a ratio at the corner of the clip has no gradient to agree on"
            loss.backward()
            losses.append(loss.item())
            if step == 1:
                save_file(lora_tensors(policy, lambda w: w.grad), folder / "gradients.safetensors")
                expected = logprobs
            norms.append(torch.nn.utils.clip_grad_norm_(loras, MAX_NORM).item())
            adamw.step()
            save_file(lora_tensors(policy, lambda w: w), folder / f"step-{step}.safetensors")
        listed = [
            {key: value.flatten().tolist() if torch.is_tensor(value) else value for key, value in s.items()}
            | dict(logprobs=logp.flatten().tolist())
            for s, logp in zip(batch, expected)
        ]
        optimizer = dict(learningRate=ADAMW["lr"], betas=ADAMW["betas"], epsilon=ADAMW["eps"], weightDecay=0, maxNorm=MAX_NORM)
        golden = dict(k=K, clip=CLIP, losses=losses, gradientNorms=norms, optimizer=optimizer, sequences=listed)
        (folder / "batch.json").write_text(json.dumps(golden) + "\n")
        print(name, "losses", losses, "norms", norms)


if __name__ == "__main__":
    main()
