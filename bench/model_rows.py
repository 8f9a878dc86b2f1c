# SPDX-License-Identifier: BSD-3-Clause
"""What a row of each file of measurements is, and which of our kernels it is set beside. bench/models.py takes a sample of them.

A row has one or more runs, whose times are added: of bench-products (products by our libcublas) and of maniple-layers (the other kernels of
a layer), or of PyTorch, where its own kernels were measured. A row without runs has a shape that we have no kernel for.
"""
import collections
import csv
import statistics

# Name in the measurements: machine; dense peak of bf16 and of float32 in TFLOP/s and memory bandwidth in TB/s, for the roofline alone.
# l2: MB of the L2; sms: number of SMs.
Board = collections.namedtuple("Board", "machine peak single bandwidth l2 sms", defaults=(50, 132))
A100 = Board("a100-sxm", 312, 19.5, 2.04, 40, 108)
H100 = Board("h100-sxm", 989, 67, 3.35)
BOARDS = {"H100 SXM": H100, "H100": H100, "H200 SXM": Board("h200", 989, 67, 4.8), "A100 SXM 80 GB": A100, "A100 80 GB": A100,
          "A100 PCIe 40 GB": Board("a100-pcie-40gb", 312, 19.5, 1.56), "A100 PCIe 80 GB": Board("a100", 312, 19.5, 1.94),
          "V100 PCIe 32 GB": Board("v100-pcie", 112, 14, 0.9), "T4": Board("t4", 65, 8.1, 0.32), "B200": Board("b200", 2250, 75, 8.0),
          "RTX PRO 6000": Board("rtx-pro-6000", 504, 126, 1.79), "RTX 4090": Board("rtx4090", 165, 82.6, 1.01)}
RANGES = {"": (5, 300), "llm-moe": (5, 2000), "llm-moe-ours": (5, 2000), "pytorch-fp32": (50, 2000), "pytorch-models": (0, 1e9)} # microseconds

Run = collections.namedtuple("Run", "program words calls")
# cost: about the CPU seconds that the runs take; host: microseconds of a measurement that are not the kernels', below 0 where it was rounded down
# graphs: launched between two events, with so many `calls` each; 0: no graphs were launched. size: what a long run has to do; lacks: why there are no runs
Row = collections.namedtuple("Row", "file gpu half shape measured other runs roofline cost host graphs calls size lacks", defaults=(0, 1, "", ""))

# Of the rows of ai-dynamo/aiconfigurator (collector/helper.py, `benchmark_with_power`): the GPU is idle when the first event is recorded, so
# the host's launch of the first graph lies between the events: 2.5 us, whatever its nodes (NVIDIA, "Constant time launch for
# straight-line CUDA graphs", CUDA 12.6). Python's part of a launch is published nowhere and left out.
GRAPH_LAUNCH = 2.5
PRODUCTS = 6, 6     # collect_gemm.py: six replays of a graph with six copies of the weights in turn
ATTENTION = 6, 1    # collect_attn.py
EXPERTS = {True: (6, 1), False: (1, 5)} # collect_moe.py: balanced; by a power law, five routings in one graph

# Of pytorch-fp32: a call between two events holds the host's work for the launch. Least squares over the 24 shapes of bmm of the A100 PCIe 80 GB
# that have at most one tile for each SM, the kept rows of the sample left out, are 23.5 us and 2,150 cycles for eight numbers of K; 4.2 of
# the 23.5 us are the kernel's launch and ends here.
HOST = 19.3
# Of vidur: durations of kernels were divided by 1,000 as whole numbers of nanoseconds (pytorch/kineto, CuptiActivity.h, `nsToUs`).
ROUNDED = -0.5

# In place of a program: a script of bench/models by the wheels of an environment.
PYTORCH, WHOLE_MODEL, ATTENTION_WHEEL, EXPERTS_WHEEL = "pytorch", "pytorch model", "vllm attention", "vllm experts"
SCRIPTS = {PYTORCH: "layer_operator.py", WHOLE_MODEL: "whole_model.py", ATTENTION_WHEEL: "vllm_attention.py", EXPERTS_WHEEL: "vllm_experts.py"}


def table(folder, name):
    with open(folder / f"{name}.csv", newline="", encoding="utf-8") as lines:
        yield from csv.DictReader(lines)


def launches(work, moved):
    """Calls of a row: few where one is long, and the first one's instruction misses are little of it."""
    return 3 if work <= 1e9 and moved <= 32e6 else 2 if work <= 1e10 else 1


def linear(board, m, n, k, kind="bf16", copies=6, alone=False):
    """A product of a linear layer: its run, microseconds of a roofline, CPU seconds. `alone`: a launch of its own, not one of a graph."""
    size, peak = (4, board.single) if kind == "f32" else (1, board.peak * 2) if kind == "e4m3" else (2, board.peak)
    work, moved = 2 * m * n * k, size * (m * k + n * k) + max(size, 2) * m * n
    calls = launches(work * (10 if kind == "f32" else 1), moved)
    words = (m, n, k, kind, copies, calls, *(("-", "-", "alone") if alone else ()))
    return (Run("bench/bench-products", words, calls), max(work / peak, moved / board.bandwidth) * 1e-6,
            3 + (4e-9 if kind == "f32" else 0.6e-9) * work + 0.08e-6 * moved)


def layer(name, *numbers, calls=3):
    return Run("maniple-layers", (name, *numbers, "--calls", calls), calls)


def gemm_rows(folder, kind="bf16", wanted="bf16", file="llm-gemm"):
    """Products of a linear layer, with six copies of the weights in turn as they were measured."""
    for row in table(folder, "llm-gemm"):
        if row["dtype"] == wanted and row["gpu"] in BOARDS:
            m, n, k = (int(row[name]) for name in "mnk")
            run, roofline, cost = linear(BOARDS[row["gpu"]], m, n, k, kind)
            yield Row(file, row["gpu"], "", (m, n, k), float(row["time_us"]), row["other_us"], (run,), roofline, cost, 0, *PRODUCTS)


def gemm_fp8_rows(folder):
    """The same of FP8 with a scale for each tensor. Measured rows hold the kernels that quantise the activations; ours have none."""
    return gemm_rows(folder, "e4m3", "fp8", "llm-gemm-fp8")


XLA = {"H100 (file key sm_90)": ("hopper-gemm", "H100 SXM"), "B200": ("blackwell-gemm", "B200")} # GPU in the table: the table, the board


def divided(batch, m, n, k):
    """Whether a library divides so long a sum of so few tiles, and adds up in a kernel of its own. XLA's table then has the median of both kernels."""
    return batch * m * n < 66 * 128 * 64 and k >= 2048


def products_of_xla(folder):
    """Products of bf16 of XLA's tables, and what their instrument adds on each board: (rows, shapes measured both ways, microseconds).

    XLA's profiler asks CUPTI for CUPTI_ACTIVITY_KIND_KERNEL, which serialises kernels, behind copies from and to the host; rows of llm-gemm
    are kernels of a graph. What the first adds is the median difference of the shapes below 20 us that both have, silicon beside silicon, m and n
    in either order, and of two collections of llm-gemm the faster, as XLA takes the fastest kernel.
    """
    graphs = {(row["gpu"], *(int(row[name]) for name in "mnk")): min(float(row["time_us"]), float(row["other_us"] or "inf"))
              for row in table(folder, "llm-gemm") if row["dtype"] == "bf16"}
    for name, (file, gpu) in XLA.items():
        rows = {tuple(int(row[name]) for name in ("groups", "m", "n", "k")): float(row["time_us"])
                for row in table(folder, file) if row["gpu"] == name and row["library"].startswith("XLA") and row["dtype"] == "bf16 -> bf16"}
        both = {(batch, m, n, k): rows[batch, m, n, k] - graphs[key] for batch, m, n, k in rows if batch == 1 and rows[batch, m, n, k] < 20
                for key in ((gpu, m, n, k), (gpu, n, m, k)) if key in graphs}
        yield gpu, rows, both, statistics.median(both.values())


def xla_rows(folder):
    """Products of XLA's tables by libcublas, in a graph, and what XLA's instrument adds. Shapes that say what it adds are left out."""
    for gpu, rows, both, more in products_of_xla(folder):
        for (batch, m, n, k), measured in rows.items():
            if (batch, m, n, k) in both or divided(batch, m, n, k):
                continue
            _, roofline, cost = linear(BOARDS[gpu], m, n * batch, k, copies=1)
            words = (m, n, k, "bf16", 1, 3, *(("-", batch) if batch > 1 else ())) # of three calls the first has cold code
            runs = (Run("bench/bench-products", words, 3),) if batch == 1 or gpu != "B200" else ()
            yield Row("xla-gemm", gpu, "", (batch, m, n, k), measured, "", runs, roofline, 3 * cost, more, *PRODUCTS)


def attention_rows(folder, file="llm-attention"):
    """Attention of vLLM, of prompts or of one query for each sequence, over a cache that every call reads again.

    vLLM 0.14 and 0.24 write keys and values to the cache in a kernel of its own, which is here too. FlashAttention of vLLM 0.24 is that of its
    wheel; in the place of older ones, and in the file "llm-attention-ours", are kernels of maniple-layers.
    """
    for row in table(folder, "llm-attention"):
        if row["gpu"] not in BOARDS or not row["software"].startswith("vLLM") or (row["q_type"], row["kv_type"]) != ("bf16", "bf16"):
            continue
        batch, query, context, heads, kv_heads, d, window = (int(row[name]) for name in
                                                             ("batch", "query", "context", "heads", "kv_heads", "head_dim", "window"))
        prompt, board = row["phase"] == "prefill", BOARDS[row["gpu"]]
        work = 2.0 * batch * heads * query * context * d * (1 if prompt else 2)
        moved = 2.0 * batch * d * (2 * context * kv_heads + 2 * query * heads)
        tiles = batch * kv_heads * -(-query * heads // kv_heads // 64) * -(-context // 128) * (0.5 if prompt and context > 128 else 1)
        calls = 3 if moved <= 50e6 else 2 if moved <= 200e6 else 1
        cost = 4 + calls * (2e-3 * tiles + 0.05e-6 * moved)
        run = Run("maniple-layers", ("prefill" if prompt else "decode", batch, context, heads, kv_heads, d, "--calls", calls, "--warm",
                                     *(("--window", window) if window else ())), calls)
        shape = row["phase"], batch, context, heads, kv_heads, d, window
        runs = (run, layer("cache", batch * query, kv_heads, d)) if d in (64, 128, 192) else ()
        if row["software"] == "vLLM 0.24.0" and row["kernel"] in ("flash_attn_fa2", "flash_attn_fa3") and file == "llm-attention":
            runs, cost = (Run(ATTENTION_WHEEL, (*shape, calls), calls),), 4 + cost
        yield Row(file, row["gpu"], "", shape, float(row["time_us"]), row["other_us"], runs, max(work / board.peak, moved / board.bandwidth) * 1e-6, cost, 0,
                  *ATTENTION)


def moe_rows(folder, file="llm-moe"):
    """Layers of experts of vLLM. A power law draws a routing for each call; which one was measured is not recorded.

    Those of vLLM 0.24 with a gate are its wheel's kernels; others, and the file "llm-moe-ours", those of maniple-layers.
    """
    for row in table(folder, "llm-moe"):
        if row["gpu"] not in BOARDS or row["dtype"] != "bf16":
            continue
        tokens, hidden, inter, topk, experts, tp, ep = (int(row[name]) for name in
                                                        ("tokens", "hidden", "inter", "topk", "experts", "tp", "ep"))
        shape = tuple(row[name] for name in ("tokens", "hidden", "inter", "topk", "experts", "tp", "ep", "distribution"))
        board, width = BOARDS[row["gpu"]], inter // tp
        skew = 1 if row["distribution"] == "balanced" else round(float(row["distribution"].split("_")[-1]) * 100)
        matrices = 2 if topk == 22 or (hidden, inter) == (2688, 1856) else 3
        active, rows = min(experts, tokens * topk) / ep, tokens * topk / ep
        moved, work = 2.0 * matrices * active * hidden * width, 2.0 * matrices * rows * hidden * width
        calls = 3 if moved <= 20e6 else 2 if moved <= 100e6 else 1
        run = Run("maniple-layers", ("experts", tokens, hidden, width, topk, experts, ep, skew, matrices, "--calls", calls), calls)
        if row["software"] == "vLLM 0.24.0" and matrices == 3 and file == "llm-moe":
            calls = max(calls, 2) # the first one has cold code
            run = Run(EXPERTS_WHEEL, (tokens, hidden, width, topk, experts, ep, skew, calls), calls)
        taken = width % 8 == 0 and experts % ep == 0
        yield Row(file, row["gpu"], "", shape, float(row["time_us"]), "", (run,) if taken else (),
                  max(work / board.peak, moved / board.bandwidth) * 1e-6, 5 + calls * (0.1e-6 * moved + 1.5e-9 * work + 5e-3 * tokens * topk), 0,
                  *EXPERTS[row["distribution"] == "balanced"])


# Hidden, intermediate, heads, heads of keys and values, vocabulary; heads have 128 numbers.
MODELS = {"meta-llama/Llama-2-7b-hf": (4096, 11008, 32, 32, 32000), "meta-llama/Llama-2-70b-hf": (8192, 28672, 64, 8, 32000),
          "meta-llama/Llama-3.1-8B": (4096, 14336, 32, 8, 128256), "meta-llama/Llama-3.1-70B": (8192, 28672, 64, 8, 128256),
          "Qwen/Qwen3-32B": (5120, 25600, 64, 8, 151936)}


def pytorch(name, kind, *numbers, calls=3):
    return Run(PYTORCH, (name, kind, *numbers, calls), calls)


def products_of(model, tp):
    """Features and reduced numbers of each linear layer."""
    hidden, middle, heads, kv_heads, words = MODELS[model]
    queries, keys = heads * 128 // tp, kv_heads * 128 // tp
    sizes = {"qkv_proj": (queries + 2 * keys, hidden), "q_proj": (queries, hidden), "k_proj": (keys, hidden), "v_proj": (keys, hidden),
             "o_proj": (hidden, queries), "gate_up_proj": (2 * middle // tp, hidden), "gate_proj": (middle // tp, hidden),
             "up_proj": (middle // tp, hidden), "down_proj": (hidden, middle // tp), "lm_head": (words // tp, hidden)}
    return sizes | {"attn_pre_proj": sizes["qkv_proj"], "attn_post_proj": sizes["o_proj"], "mlp_up_proj": sizes["gate_up_proj"],
                    "mlp_down_proj": sizes["down_proj"]}


def of_vidur(board, model, name, tokens, tp):
    """The run of a kernel of a serving system's first version (one number at a time, float16 there), or of PyTorch's.

    A product's blocks write their results last, so that only weights which later blocks read take these out of the L2: operands are cold if
    they are more than it holds. A block has 64 features and up to 64 tokens; two are on an SM with up to 16 tokens, and else one.
    """
    hidden, middle, heads, kv_heads, words = MODELS[model]
    sizes = products_of(model, tp)

    def single(kernel, *numbers, behind):
        n, k = sizes[behind]
        rounds = -(-n // 64) * -(-tokens // 64) / (board.sms * (2 if tokens <= 16 else 1))
        return layer(kernel, *numbers, "--alone", *(("--cold",) if 2e-6 * n * k * (1 - 1 / max(1, rounds)) > board.l2 else ()))
    if "norm" in name: # the weights alone are cold, for a whole block lies in between
        return layer("norm-single", tokens, hidden, "--alone", "--cold")
    return {"mlp_act": lambda: single("activation-single", tokens, middle // tp, behind="mlp_up_proj"),
            "attn_rope": lambda: single("rotary-single", tokens, heads // tp, max(1, kv_heads // tp), 128, behind="attn_pre_proj"),
            "add": lambda: pytorch("add", "float16", tokens, hidden),
            "emb": lambda: pytorch("embedding", "float16", tokens, hidden, words // tp)}.get(name, lambda: None)()


def of_framework(model, name, tokens, tp):
    """The run of an operator of a model of Hugging Face by PyTorch, kernel by kernel."""
    hidden, middle, heads, kv_heads, words = MODELS[model]
    if "norm" in name:
        return pytorch("norm", "bfloat16", tokens, hidden)
    return {"act_fn": pytorch("activation", "bfloat16", tokens, middle // tp),
            "embedding": pytorch("embedding", "bfloat16", tokens, hidden, words // tp),
            "rope": pytorch("rotary", "bfloat16", tokens, heads // tp, max(1, kv_heads // tp), 128)}.get(name)


def of_serving(model, name, tokens, tp):
    """The run of a kernel of a serving system: ours, 16 bytes for each thread."""
    hidden, middle, heads, kv_heads, words = MODELS[model]
    if "norm" in name:
        return None if name == "qk_norm" else layer("norm", tokens, hidden)
    return {"act_fn": layer("activation", tokens, middle // tp), "embedding": layer("embedding", tokens, hidden, words // tp),
            "rotary_emb": layer("rotary", tokens, heads // tp, max(1, kv_heads // tp), 128)}.get(name)


def layer_run(board, source, model, name, tokens, tp):
    """The run of an operator of a layer, with its roofline and cost; None where there is no kernel."""
    hidden, middle, heads, kv_heads, _ = MODELS[model]
    vidur, framework = source.startswith("vidur"), source.endswith("layers")
    sizes = products_of(model, tp)
    if name in sizes:
        return linear(board, tokens, *sizes[name], alone=vidur or framework)
    run = of_vidur(board, model, name, tokens, tp) if vidur else of_framework(model, name, tokens, tp) if framework else \
        of_serving(model, name, tokens, tp)
    if not run:
        return None
    numbers = {"add": 3 * hidden, "mlp_act": 3 * middle // tp, "act_fn": 3 * middle // tp}
    turned = 2 * (heads + kv_heads) * 128 // tp
    moved = 2 * tokens * numbers.get(name, turned if "rop" in name or "rotary" in name else 2 * hidden)
    return run, moved / board.bandwidth * 1e-6, (6 if run.program == PYTORCH else 2) + 0.4e-6 * moved * run.calls


def layer_rows(folder):
    """Operators of a layer of vidur (fp16) and LLMServingSim (bf16); our kernels are of bf16. Attention and samplers are left out.

    Kernels have the form of the ones that were measured, or are these: of_vidur, of_framework (LLMServingSim on the H100), of_serving.
    """
    for row in table(folder, "llm-layers"):
        if row["gpu"] not in BOARDS or row["model"] not in MODELS:
            continue
        tokens, tp = int(row["tokens"]), int(row["tp"])
        found = layer_run(BOARDS[row["gpu"]], row["source"], row["model"], row["layer"], tokens, tp)
        run, roofline, cost = found or (None, 0, 0)
        shape = (row["source"].split()[0], row["model"].split("/")[1], row["layer"], tokens, tp, row["other"])
        yield Row("llm-layers", row["gpu"], "", shape, float(row["time_us"]), "", (run,) if run else (), roofline, cost,
                  ROUNDED if row["source"].startswith("vidur") else 0)


def fp32_rows(folder):
    """Products of PyTorch in float32 by our libcublas; a linear layer has a bias, which is added in a kernel's end there and left out here."""
    for row in table(folder, "pytorch-fp32"):
        if row["op"] not in ("bmm", "linear") or row["gpu"] not in BOARDS:
            continue
        m, n, k, batch = (int(row[name] or 1) for name in ("rows", "cols", "reduced", "batch"))
        board = BOARDS[row["gpu"]]
        if row["op"] == "linear":
            run, roofline, cost = linear(board, m * batch, n, k, "f32", 1)
        else:
            work, moved = 2.0 * batch * m * n * k, 4.0 * batch * (m * k + k * n + m * n)
            calls = launches(10 * work, moved)
            run = Run("bench/bench-products", (m, n, k, "f32", 1, calls, "-", batch), calls)
            roofline, cost = max(work / board.single, moved / board.bandwidth) * 1e-6, 3 + 4e-9 * work * calls + 0.08e-6 * moved
        yield Row("pytorch-fp32", row["gpu"], "", (row["op"], batch, m, n, k), float(row["time_ms"]) * 1e3, "", (run,), roofline, cost, HOST)


# Hidden, intermediate, heads, layers, vocabulary; float32.
WHOLE = {"bert_large": (1024, 4096, 16, 24, 30522), "gpt2_large": (1280, 5120, 20, 36, 50257), "gpt3_xl": (3072, 12288, 24, 24, 50257),
         "gpt3_27": (2560, 10240, 32, 32, 50257)}
WHOLE_BOARDS = {"A100 80GB PCIe": "A100 PCIe 80 GB", "A100-PCIE-40GB": "A100 PCIe 40 GB", "H100 80GB HBM3": "H100 SXM", "T4": "T4",
                "V100-PCIE-32GB": "V100 PCIe 32 GB"} # others have no machine file
UNLIKE_PRODUCT, UNLIKE_BYTE = 8e-9, 0.1e-6 # CPU seconds of an operation and of a byte with --steady
LACKS = {"fusion": "torch.compile with Triton 2.1", "dp4": "four GPUs", "tp4": "four GPUs and Megatron-LM", "pp4": "four GPUs and Megatron-LM"}


def work_of(name, training, sequence, batch):
    """Operations of a step's products, of all and of those that are unlike one another; bytes of the other kernels that are unlike; of weights."""
    hidden, middle, heads, layers, words = WHOLE[name]
    tokens, bert = batch * sequence, name.startswith("bert")
    attention, scores = 4 * tokens * sequence * hidden, batch * heads * sequence ** 2
    head = 2 * tokens * words * hidden if training or not bert else 0
    layer = 2 * tokens * (4 * hidden ** 2 + 2 * hidden * middle) + attention
    unlike = 2 * tokens * hidden * ((1 if bert else 4) * hidden + 2 * middle) + attention # BERT's four square products are alike
    steps = 3 if training else 1 # a gradient of either operand
    return (steps * (layers * layer + head), steps * (unlike + head), steps * 4 * (6 * scores + tokens * (12 * hidden + 2 * middle)),
            4 * (layers * (4 * hidden ** 2 + 2 * hidden * middle) + words * hidden))


def model_rows(folder):
    """A forward pass or a training step of a whole model by PyTorch and transformers, of which operations that are alike are timed once.

    Left out: garbage collection and allocations, whose launches the host makes ahead of the GPU.
    """
    for row in table(folder, "pytorch-models"):
        name, sequence, batch, variant, gpu = row["model"], int(row["seq"]), int(row["batch"]), row["variant"], WHOLE_BOARDS.get(row["gpu"])
        shape = name, row["mode"], sequence, batch, variant or "-"
        lacks = "" if gpu else "no machine of it"
        lacks = lacks or LACKS.get(variant, variant) if variant else lacks
        if not lacks and name not in WHOLE:
            lacks = "values: a router's choices decide which kernels there are"
        found = Row("pytorch-models", gpu or row["gpu"], "", shape, float(row["total_ms"]) * 1e3, "", (), 0, 0, 0, lacks=lacks)
        if not lacks:
            board = BOARDS[gpu]
            work, unlike, moved, weights = work_of(name, row["mode"] == "train", sequence, batch)
            found = found._replace(runs=(Run(WHOLE_MODEL, (name, row["mode"], sequence, batch), 1),), roofline=work / board.single * 1e-6,
                                   cost=60 + UNLIKE_PRODUCT * unlike + UNLIKE_BYTE * moved,
                                   size=f"{unlike * 1e-9:.0f} GFLOP of {work * 1e-9:.0f} to simulate, {weights * 1e-9:.1f} GB of weights")
        yield found


def attention_ours_rows(folder):
    """The same by kernels of maniple-layers on every board: those that `maniple profile` has."""
    return attention_rows(folder, "llm-attention-ours")


def moe_ours_rows(folder):
    return moe_rows(folder, "llm-moe-ours")


FILES = {"llm-gemm": gemm_rows, "llm-gemm-fp8": gemm_fp8_rows, "xla-gemm": xla_rows, "llm-attention": attention_rows, "llm-attention-ours": attention_ours_rows,
         "llm-moe": moe_rows, "llm-moe-ours": moe_ours_rows,
         "llm-layers": layer_rows, "pytorch-fp32": fp32_rows, "pytorch-models": model_rows}
