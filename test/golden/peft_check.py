"""Does PEFT read a policy that Claw exported, and does it mean the same? By hand:

    python test/golden/peft_check.py test/golden/tiny-llama/tied EXPORTED

EXPORTED is what `exportPolicy` wrote after `loadState(tiny-llama/tied/policy)`: PEFT has to find every tensor, and to
give the golden log-probabilities with them.
"""

import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from safetensors.torch import load_file
from tiny_llama import K, log_softmax
from transformers import LlamaForCausalLM

model, exported = map(Path, sys.argv[1:3])
policy = PeftModel.from_pretrained(LlamaForCausalLM.from_pretrained(model, dtype=torch.float32), exported)
loaded = {name.replace(".default", ""): w for name, w in policy.named_parameters() if "lora_" in name}
stored = load_file(exported / "adapter_model.safetensors")
assert loaded.keys() == stored.keys(), loaded.keys() ^ stored.keys()
assert all(torch.equal(loaded[name], stored[name]) for name in stored)

worst = 0.0
with torch.no_grad():
    for sequence in json.loads((model / "batch.json").read_text())["sequences"]:
        candidates = torch.tensor(sequence["candidates"]).view(-1, K)
        logprobs = log_softmax(policy, sequence).gather(1, candidates).flatten()
        worst = max(worst, (logprobs - torch.tensor(sequence["logprobs"])).abs().max().item())
print(f"{len(stored)} tensors, r {policy.peft_config['default'].r}, log-probabilities within {worst:.1e} of batch.json")
sys.exit(worst > 1e-4)
