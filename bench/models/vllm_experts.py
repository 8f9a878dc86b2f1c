# SPDX-License-Identifier: BSD-3-Clause
"""A layer of experts as vLLM's wheel has it: vllm_experts.py TOKENS HIDDEN WIDTH CHOICES EXPERTS RANKS SKEW CALLS.

bench/models.py runs it where rows of vLLM were measured. Kernels, in the order of vllm/model_executor/layers/fused_moe (experts/triton_moe.py,
fused_moe.py): choices by softmax, their order by expert, two products by the wheel's Triton kernel with the tiles that the wheel states, the
activation between them, and the sum. SKEW is 1 for an even routing, each call a graph of its own, or a power law's exponent in
hundredths, CALLS routings in one graph. Weights are not written: times do not depend on them.
"""
import ast
import importlib.util
import json
import pathlib
import random
import sys
import tempfile

import torch
import triton
import triton.language as tl

WHEEL = pathlib.Path(torch.__file__).parent.parent / "vllm"
FOLDER = WHEEL / "model_executor" / "layers" / "fused_moe"


def product_kernel():
    """The wheel's Triton kernel, without the package around it: its source goes to a module of its own."""
    text = (FOLDER / "fused_moe.py").read_text()
    wanted = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name in
              ("write_zeros_to_output", "fused_moe_kernel")]
    lines = text.splitlines()
    parts = ["\n".join(lines[node.decorator_list[0].lineno - 1:node.end_lineno]) for node in wanted]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "product.py"
        path.write_text("import triton\nimport triton.language as tl\n\n\n" + "\n\n\n".join(parts) + "\n")
        spec = importlib.util.spec_from_file_location("product", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for function in (module.write_zeros_to_output, module.fused_moe_kernel):
            function.src, function.hash # the source is read while it is there
    return module.fused_moe_kernel


def tiles(tokens, experts, width):
    """Those of the wheel's table for these experts, of the nearest number of tokens, or what it takes without one (get_default_config)."""
    name = "NVIDIA_H200" if torch.cuda.get_device_properties(0).total_memory > 100 << 30 else "NVIDIA_H100_80GB_HBM3"
    table = FOLDER / "configs" / f"E={experts},N={width},device_name={name}.json"
    if table.exists():
        found = {int(key): value for key, value in json.loads(table.read_text()).items() if key.isdigit()}
        return dict(found[min(found, key=lambda key: abs(key - tokens))])
    return {"BLOCK_SIZE_M": 16 if tokens <= 32 else 32 if tokens <= 96 else 64 if tokens <= 512 else 128,
            "BLOCK_SIZE_N": 64 if tokens <= 64 else 128, "BLOCK_SIZE_K": 128 if tokens <= 64 else 64,
            "GROUP_SIZE_M": 16 if tokens // experts > 128 else 1, "SPLIT_K": 1, "num_warps": 4 if tokens <= 128 else 8,
            "num_stages": 4 if tokens <= 32 else 3}


def power_law(tokens, choices, experts, ranks, skew, draw):
    """How many tokens choose each expert: the rank with the most choices comes first."""
    low, high = (1, tokens * 0.8) if tokens * choices > experts else (0.01, 2)
    exponent = 1 - skew / 100
    first, last = low ** exponent, max(high, low * 1.01) ** exponent
    shares = [((last - first) * draw.random() + first) ** (1 / exponent) for _ in range(experts)]
    counts, left = [], tokens * choices
    for share in shares:
        counts.append(min(round(share / sum(shares) * tokens * choices), tokens, left))
        left -= counts[-1]
    while left:
        expert = draw.randrange(experts)
        if counts[expert] < tokens:
            counts[expert] += 1
            left -= 1
    each = experts // ranks
    best = max(range(0, experts, each), key=lambda i: sum(counts[i:i + each]))
    counts[:each], counts[best:best + each] = counts[best:best + each], counts[:each]
    return counts


def logits(tokens, choices, experts, ranks, skew, draw):
    """Numbers by which each token chooses its experts."""
    chosen = [[] for _ in range(tokens)]
    if skew == 1:
        stride = -(-experts // choices)
        for token in range(tokens):
            first = token if tokens >= stride else token * stride // tokens
            chosen[token] = [(first + i * stride) % experts for i in range(choices)]
    else:
        counts, at = power_law(tokens, choices, experts, ranks, skew, draw), 0
        for expert in sorted(range(experts), key=lambda i: -counts[i]):
            for _ in range(counts[expert]):
                chosen[at % tokens].append(expert)
                at += 1
    table = torch.full((tokens, experts), -8.0)
    for token, row in enumerate(chosen):
        for i, expert in enumerate(row):
            table[token, expert] = 8 - i / 4
    return table.to(torch.bfloat16).cuda()


def main():
    tokens, hidden, width, choices, experts, ranks, skew, calls = map(int, sys.argv[1:])
    for library in ("_C", "_moe_C"):
        torch.ops.load_library(WHEEL / f"{library}_stable_libtorch.abi3.so")
    local, draw, kernel = experts // ranks, random.Random(1), product_kernel()
    config = tiles(tokens, local, width)
    rows, depth = config["BLOCK_SIZE_M"], config.pop("BLOCK_SIZE_K")
    config["SPLIT_K"] = 1

    def empty(*shape, kind=torch.bfloat16):
        return torch.empty(*shape, dtype=kind, device="cuda")
    x, first, second, out = empty(tokens, hidden), empty(local, 2 * width, hidden), empty(local, hidden, width), empty(tokens, hidden)
    owner = torch.tensor([i if i < local else -1 for i in range(experts)], dtype=torch.int32).cuda() if ranks > 1 else None
    routings = [logits(tokens, choices, experts, ranks, skew, draw) for _ in range(1 if skew == 1 else calls)]
    alone = owner is None and tokens * choices * 4 <= experts # no order: each choice is a tile of its own

    def multiply(a, b, c, weights, order, tile_experts, count, share):
        size = tokens * choices * rows if order is None else order.numel() if a.shape[0] >= rows else \
            min(order.numel(), a.shape[0] * share * rows)
        kernel[(-(-size // rows) * -(-b.shape[1] // config["BLOCK_SIZE_N"]),)](
            a, b, c, None, None, None, weights, order, tile_experts, count, b.shape[1], b.shape[2], size, a.shape[0] * share, a.stride(0),
            a.stride(1), b.stride(0), b.stride(2), b.stride(1), c.stride(1), c.stride(2), 0, 0, 0, 0, 0, 0, 0, 0, 0,
            MUL_ROUTED_WEIGHT=weights is not None, top_k=share, compute_type=tl.bfloat16, use_fp8_w8a8=False, use_int8_w8a8=False,
            use_int8_w8a16=False, per_channel_quant=False, naive_block_assignment=order is None, HAS_BIAS=False, BLOCK_SIZE_K=depth, **config)

    def call(routing):
        weights, ids, unused = empty(tokens, choices, kind=torch.float32), empty(tokens, choices, kind=torch.int32), \
            empty(tokens, choices, kind=torch.int32)
        torch.ops._moe_C.topk_softmax(weights, ids, unused, routing, True, None)
        if alone:
            order, tile_experts = None, ids.view(-1)
            count = torch.full((1,), ids.numel() * rows, dtype=torch.int32, device="cuda")
        else:
            room = ids.numel() + experts * (rows - 1)
            room = min(room, ids.numel() * rows) if ids.numel() < experts else room
            order, tile_experts = empty(room, kind=torch.int32), empty(-(-room // rows), kind=torch.int32)
            count = empty(1, kind=torch.int32)
            torch.ops._moe_C.moe_align_block_size(ids, experts, rows, order, tile_experts, count, None)
            if owner is not None:
                tile_experts = owner[tile_experts]
        sums, middle, results = empty(tokens, choices, 2 * width), empty(tokens * choices, width), empty(tokens, choices, hidden)
        multiply(x, first, sums, None, order, tile_experts, count, choices)
        torch.ops._C.silu_and_mul(middle, sums.view(-1, 2 * width))
        multiply(middle, second, results, weights, order, tile_experts, count, 1)
        torch.ops._moe_C.moe_sum(results, out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph, stream=torch.cuda.Stream()):
        for routing in routings:
            call(routing)
    torch.cuda.synchronize()
    for _ in range(calls if skew == 1 else 1):
        graph.replay()
    torch.cuda.synchronize()


main()
