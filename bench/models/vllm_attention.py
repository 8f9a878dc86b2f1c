# SPDX-License-Identifier: BSD-3-Clause
"""Attention as vLLM calls the FlashAttention of its wheel: vllm_attention.py PHASE SEQUENCES CONTEXT HEADS KV_HEADS D WINDOW CALLS.

bench/models.py runs it where rows of vLLM were measured. The wheel's vllm/ lies beside torch; its libraries are loaded, the package is not.
A call writes keys and values of its tokens to the cache and attends over it, as ai-dynamo/aiconfigurator, collector/vllm/collect_attn.py,
has it; it is a graph of its own, launched CALLS times. FlashAttention-3 on compute capability 9.0, elsewhere FlashAttention-2. Inputs are
not written: times do not depend on them.
"""
import pathlib
import sys

import torch

PAGE = 64
WHEEL = pathlib.Path(torch.__file__).parent.parent / "vllm"
MOST_SPLITS, MOST_TOKENS = 32, 512 # vllm/v1/attention/backends/flash_attn.py, where the framework's graphs hold all tokens


def whole(numbers):
    return torch.tensor(numbers, dtype=torch.int32).cuda()


def attention_2(q, keys, values, out, starts, lengths, table, queries, context, windows):
    torch.ops.load_library(WHEEL / "vllm_flash_attn" / "_vllm_fa2_C.abi3.so")
    unused, scale = torch.zeros_like(starts), q.shape[-1] ** -0.5
    return lambda: torch.ops._vllm_fa2_C.varlen_fwd(q, keys, values, out, starts, unused, lengths, None, table, None, queries, context, 0.0,
                                                    scale, False, True, *windows, 0.0, False, 0, None)


def attention_3(q, keys, values, out, starts, lengths, table, queries, context, windows):
    torch.ops.load_library(WHEEL / "vllm_flash_attn" / "_vllm_fa3_C.abi3.so")
    (tokens, heads, d), kv_heads, sequences = q.shape, keys.shape[2], lengths.shape[0]
    splits = MOST_SPLITS if tokens <= min(2 * sequences, MOST_TOKENS) else 0
    schedule = torch.ops._vllm_fa3_C.get_scheduler_metadata(
        sequences, queries, context, heads, kv_heads, d, d, torch.bfloat16, lengths, starts, None, None, None, None, PAGE, 0, True, *windows,
        False, splits, None, 0)
    return lambda: torch.ops._vllm_fa3_C.fwd(
        q, keys, values, None, None, None, out, starts, None, None, None, lengths, queries, context, table, None, None, None, None, None, None,
        None, None, d ** -0.5, True, *windows, 0.0, True, schedule, splits, None, 0, None, 1, 0, None)


def main():
    phase, *numbers = sys.argv[1:]
    sequences, context, heads, kv_heads, d, window, calls = map(int, numbers)
    torch.ops.load_library(WHEEL / "_C_stable_libtorch.abi3.so")
    queries = context if phase == "prefill" else 1
    tokens, each = sequences * queries, -(-context // PAGE)
    q = torch.empty(tokens, heads, d, dtype=torch.bfloat16, device="cuda")
    k, v = (torch.empty(tokens, kv_heads, d, dtype=torch.bfloat16, device="cuda") for _ in range(2))
    one, pages = torch.ones((), device="cuda"), sequences * each + 1
    keys, values = torch.empty(pages, 2, PAGE, kv_heads, d, dtype=torch.bfloat16, device="cuda").unbind(1)
    table = [[1 + (i * each + j) * 2654435761 % (pages - 1) for j in range(each)] for i in range(sequences)]
    slots = torch.tensor([table[i][p // PAGE] * PAGE + p % PAGE for i in range(sequences) for p in range(context - queries, context)]).cuda()
    starts, lengths = whole([i * queries for i in range(sequences + 1)]), whole([context] * sequences)
    attend = (attention_3 if torch.cuda.get_device_capability()[0] == 9 else attention_2)(
        q, keys, values, torch.empty_like(q), starts, lengths, whole(table), queries, context, (window - 1, 0) if window else (-1, -1))
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph, stream=torch.cuda.Stream()):
        torch.ops._C_cache_ops.reshape_and_cache_flash(k, v, keys, values, slots, "auto", one, one)
        attend()
    torch.cuda.synchronize()
    for _ in range(calls):
        graph.replay()
    torch.cuda.synchronize()


main()
