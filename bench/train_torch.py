"""The training peer: PyTorch + PEFT on the same weights, as a process that answers one line of JSON for each line it reads.

    {"ids", "rows", "learningRate"} -> {"ms", "loss", "rssMb"}: forward, backward and AdamW on one sequence

python train_torch.py FILE.gguf float32|bfloat16 RANK THREADS
"""

import json
import sys
import time
from pathlib import Path

import torch
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM, GgufConfig

path, dtype, rank, threads = sys.argv[1:]
PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
torch.set_num_threads(int(threads))
file = Path(path)
base = AutoModelForCausalLM.from_pretrained(
    file.parent,
    gguf_file=file.name,
    dtype=getattr(torch, dtype),
    quantization_config=GgufConfig(dequantize=True),  # packed weights have slower kernels: not the peer at its best
)
model = get_peft_model(base, LoraConfig(r=int(rank), lora_alpha=2 * int(rank), target_modules=PROJECTIONS))
lora = [weight for weight in model.parameters() if weight.requires_grad]
for weight in lora:
    weight.data = weight.data.float()
adamw = torch.optim.AdamW(lora, betas=(0.9, 0.95), weight_decay=0.0)


def peak_mb():
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) // 1000 for line in lines if line.startswith("VmHWM")), None)


def step(ids, rows, learningRate):
    """The clipped objective with one candidate a row and advantage 1 / rows, as the trainer computes it."""
    started = time.perf_counter()
    logits = model(input_ids=torch.tensor([ids])).logits[0, rows].float()
    logp = logits.log_softmax(-1).gather(1, torch.tensor(ids)[torch.tensor(rows) + 1, None])[:, 0]
    ratio = (logp - logp.detach()).exp()
    loss = -torch.minimum(ratio, ratio.clamp(0.8, 1.28)).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(lora, 1.0)
    adamw.param_groups[0]["lr"] = learningRate
    adamw.step()
    adamw.zero_grad()
    ms = (time.perf_counter() - started) * 1e3
    return dict(ms=ms, loss=loss.item(), logprob=logp.mean().item(), rssMb=peak_mb())


try:  # the peak of loading is not the peak of training
    Path("/proc/self/clear_refs").write_text("5")
except OSError:
    pass
for line in sys.stdin:
    print(json.dumps(step(**json.loads(line))), flush=True)
