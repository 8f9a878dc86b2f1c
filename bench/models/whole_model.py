# SPDX-License-Identifier: BSD-3-Clause
"""A whole model by PyTorch and transformers, as sitar-lab/NeuSight measured it: whole_model.py MODEL MODE SEQUENCE BATCH FILE [DEVICE].

bench/models.py runs it with `--kernels nvtx:timed --between skip`: of operations of PyTorch that are alike (operator, types, sizes and
strides), one is timed for all, the second where there are several, so that what is launched before it is as in the middle of the model. FILE
gets a list of the operations: operator and sizes, how often it comes in a step, whether it is timed. A range `timed N` is around the launches
of the Nth. DEVICE `meta` lists without a GPU. Weights are not written: times do not depend on them.
"""
import collections
import json
import sys

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModelForCausalLM, AutoModelForPreTraining, AutoModelForSequenceClassification, BertConfig, GPT2Config

# Of scripts/asplos/data/DLmodel_configs; what is not named has the value that transformers gives it.
BERT = {"bert_large": dict(hidden_size=1024, intermediate_size=4096, num_attention_heads=16, num_hidden_layers=24, pad_token_id=0)}
GPT = {"gpt2_large": dict(n_embd=1280, n_head=20, n_layer=36, n_positions=1024),
       "gpt3_xl": dict(n_embd=3072, n_head=24, n_layer=24, n_positions=2048),
       "gpt3_27": dict(n_embd=2560, n_head=32, n_layer=32, n_positions=2048)}


def made(name, training):
    if name in BERT:
        kind = AutoModelForPreTraining if training else AutoModelForSequenceClassification
        return kind.from_config(BertConfig(**BERT[name]), attn_implementation="eager")
    if name in GPT:
        return AutoModelForCausalLM.from_config(GPT2Config(**GPT[name]), attn_implementation="eager")
    sys.exit(f"whole_model.py: {name} is no model that is known here; there are {', '.join((*BERT, *GPT))}")


def described(value):
    """What a time may depend on, of an argument."""
    if isinstance(value, torch.Tensor):
        return [str(value.dtype).removeprefix("torch."), list(value.shape), list(value.stride())]
    if isinstance(value, (list, tuple)):
        return [described(each) for each in value]
    return value if isinstance(value, (int, bool, str, type(None))) else str(value)


class Operations(TorchDispatchMode):
    """Counts operations that are alike; with those of a whole step before it, puts a range around the one of each that is timed."""

    def __init__(self, step=None):
        super().__init__()
        self.step, self.seen, self.numbers = step, collections.Counter(), {}

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        key = json.dumps([str(function), described(arguments), described(sorted((named or {}).items()))])
        number = self.numbers.setdefault(key, len(self.numbers))
        self.seen[key] += 1
        timed = self.step and self.seen[key] == min(2, self.step[key])
        if timed:
            torch.cuda.nvtx.range_push(f"timed {number}")
        asked = function is torch.ops.aten._local_scalar_dense.default and arguments[0].is_meta
        result = False if asked else function(*arguments, **(named or {})) # launches that are left out leave zeros, too
        if timed:
            torch.cuda.nvtx.range_pop()
        return result


def step(model, ids, training):
    if not training:
        with torch.no_grad():
            model(ids)
        return
    result = model(ids)
    logits = result["prediction_logits"] if "prediction_logits" in result else result["logits"]
    torch.nn.functional.cross_entropy(logits.view(-1, logits.size(-1)), ids.view(-1)).backward()


def main():
    name, mode, sequence, batch, to, *device = sys.argv[1:]
    device, training = (device or ["cuda"])[0], mode == "train"
    with torch.device("meta"):
        model = made(name, training)
    model = model.to_empty(device=device) if device != "meta" else model
    model = model.train() if training else model.eval()
    ids = torch.ones(int(batch), int(sequence), dtype=torch.int64, device=device)
    with Operations() as first:
        step(model, ids, training)
    model.zero_grad()
    if device != "meta":
        torch.cuda.synchronize()
        with Operations(first.seen) as second:
            step(model, ids, training)
        torch.cuda.synchronize()
        if second.seen != first.seen:
            sys.exit("whole_model.py: two steps had different operations")
    with open(to, "w", encoding="utf-8") as out:
        json.dump([{"operation": json.loads(key), "times": first.seen[key], "number": number} for key, number in first.numbers.items()], out)


main()
