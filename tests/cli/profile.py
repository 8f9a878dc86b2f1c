#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`maniple profile`: kernels right against the host, files with the times of their runs, shapes that are simulated once, bad input.
Usage: profile.py MANIPLE MANIPLE-LAYERS. Speaks TAP."""
import csv
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

MANIPLE, LAYERS = sys.argv[1:3]
SHAPE = ["--tokens", "1,16", "--batches", "1,2", "--contexts", "64,96"]
count = failed = 0


def ok(good, name, more=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good and more:
        print("# " + str(more)[-600:].replace("\n", "\n# "))


def run(*words):
    return subprocess.run([MANIPLE, *map(str, words)], capture_output=True, text=True, check=False)


def right(machine, *words):
    done = run("run", "-q", "--functional", "--machine", machine, "--", LAYERS, *words, "--check")
    line = done.stdout.split("\n")[0].split()
    ok(done.returncode == 0 and len(line) > 3 and line[1] == line[3] and int(line[1]) > 0, f"{' '.join(words)} on {machine}",
       done.stdout + done.stderr)


def refused(words, what):
    done = run("profile", *words)
    ok(done.returncode == 2 and what in done.stderr and done.stderr.count("\n") == 1, f"{' '.join(map(str, words))} is refused",
       done.stderr)


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if not data[at - 1] & 128:
            return value, at


def messages(data):
    """Fields 1 to 7 of each message of a trace, as a dictionary."""
    at = 0
    while at < len(data):
        size, at = varint(data, at)
        end, fields = at + size, {}
        while at < end:
            key, at = varint(data, at)
            if key & 7 == 2:
                length, at = varint(data, at)
                fields[key >> 3] = data[at:at + length]
                at += length
            else:
                fields[key >> 3], at = varint(data, at)
        yield fields


for machine in ("h100-sxm", "a100-sxm"):
    for words in ("norm 3 256", "activation 3 256", "add 3 256", "embedding 3 256 50", "rotary 3 4 2 64", "cache 3 2 64",
                  "norm-single 3 200", "activation-single 3 200", "activation-single 3 200 --alone --cold", "rotary-single 3 4 2 64 --cold",
                  "prefill 1 70 4 2 64", "prefill 2 130 3 1 128", "prefill 1 300 2 1 128", "prefill 1 90 3 1 192",
                  "decode 2 300 4 1 64", "decode 2 600 5 1 128", "decode 2 65 6 2 128", "decode 1 1100 1 1 192", "prefill 1 300 2 1 128 --window 100",
                  "decode 2 400 2 1 64 --window 150", "experts 5 256 128 4 16 1 1 3", "experts 40 128 64 3 8 1 120 3",
                  "experts 33 256 72 6 32 4 101 2", "experts 100 128 64 2 8 1 1 3", "experts 600 64 64 2 4 1 1 2"):
        right(machine, *words.split())
for words, what in (("decode 1 64 3 2 128", "divide"), ("decode 1 64 2 2 80", "64, 128 and 192"), ("experts 1 64 64 4 6 4 1 3", "evenly"),
                    ("experts 1 60 64 4 8 1 1 3", "multiples of 8"), ("experts 1 64 64 4 8 1 50 3", "power law")):
    done = run("run", "-q", "--functional", "--machine", "a100-sxm", "--", LAYERS, *words.split())
    ok(done.returncode == 2 and what in done.stderr, f"{words} is refused", done.stderr)
with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    done = run("profile", "tiny", "--list", *SHAPE)
    shapes = [line.split(" ", 3)[3] for line in done.stdout.splitlines()]
    ok(len(shapes) == len(set(shapes)) and "product 16 1024 256" in shapes, "shapes of two operations are one", shapes)
    done = run("profile", "tiny", "-q", "-o", folder, "--for", "vidur", *SHAPE)
    ok(done.returncode == 0, "a profile for vidur", done.stderr)
    table = list(csv.DictReader(open(folder / "profile.csv", encoding="utf-8"))) if done.returncode == 0 else []
    ok(bool(table) and all(0 < float(row["min_us"]) <= float(row["median_us"]) <= float(row["max_us"]) for row in table),
       "error bars are in order")
    twice = [row for row in table if row["operation"] in ("attn_prefill", "attn_decode") and row["source"] == "simulated"]
    ok(bool(twice) and all(row["min_us"] == row["median_us"] and float(row["median_us"]) < float(row["max_us"]) for row in twice), "the median of two calls is the warm one's", twice)
    head = {row["tokens"]: float(row["median_us"]) for row in table if row["operation"] == "attn_rope"}
    ok(len(head) == 5 and abs(head["4"] - (head["1"] + (head["16"] - head["1"]) * 3 / 15)) < 2e-3, "times lie on a line between", head)
    rows = list(csv.DictReader(open(folder / "vidur/compute/h100-sxm/tiny/mlp.csv", encoding="utf-8"))) if table else []
    first = {row["num_tokens"]: row for row in rows}
    ok(bool(rows) and abs(float(first["16"]["time_stats.attn_rope.median"]) * 1e3 - head["16"]) < 2e-3 and
       first["16"]["source"] == "simulated" and first["24"]["source"] == "extrapolated", "mlp.csv has them in milliseconds")
    names = sorted(path.name for path in (folder / "runs").iterdir())
    for tool in ("aiconfigurator", "astra-sim"):
        done = run("profile", "tiny", "-q", "-o", folder, "--for", tool, *SHAPE)
        ok(done.returncode == 0 and sorted(path.name for path in (folder / "runs").iterdir()) == names,
           f"{tool}: nothing is simulated again", done.stderr)
    tables = sorted(folder.glob("aiconfigurator/data/h100-sxm/*/vllm/*/*.parquet"))
    good = [path for path in tables for data in [path.read_bytes()] if data[:4] == data[-4:] == b"PAR1" and
            struct.unpack("<I", data[-8:-4])[0] < len(data) - 8]
    ok(len(good) == 3, "three Parquet files", tables)
    try:
        import pyarrow.parquet as parquet
        read = parquet.read_table(next(path for path in tables if path.name == "gemm_perf.parquet")).to_pylist()
        ok(len(read) == 25 and read[0]["gemm_dtype"] == "bfloat16", "pyarrow reads them", read)
    except ImportError:
        print(f"ok {count + 1} - pyarrow reads them # SKIP there is no pyarrow")
        count += 1
    nodes = list(messages((folder / "astra-sim/prefill.0.et").read_bytes()))[1:]
    ok(len(nodes) == 1 + 2 * 12 + 2 and [node.get(1, 0) for node in nodes] == list(range(len(nodes))) and
       all(node[5] == node[1] - 1 for node in nodes[1:]), "a trace is a chain over two layers", len(nodes))
    lasting = [node[7] for node in nodes if 7 in node]
    kinds = {row["operation"]: float(row["median_us"]) for row in csv.DictReader(open(folder / "profile.csv", encoding="utf-8"))
             if row["operation"] != "attn_decode" and row["tokens"] == ("1" if row["operation"] == "lm_head" else "16")}
    times = [kinds[node[2].decode()] for node in nodes if 7 in node]
    ok(all(time >= 1 for time in times) and abs(sum(lasting) - sum(times)) <= 0.53 and all(abs(a - b) <= 1.01 for a, b in zip(lasting, times)),
       "whole microseconds of its kernels are as many as they take together", (lasting, times))
    config = folder / "config.json"
    good = {"num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2,
            "intermediate_size": 512, "vocab_size": 1024, "hidden_act": "silu"}
    config.write_text(json.dumps(good))
    done = run("profile", config, "--list", *SHAPE)
    ok(done.returncode == 0 and [line.split(" ", 3)[3] for line in done.stdout.splitlines()] == shapes, "a config.json is the same model",
       done.stderr)
    named = folder / "my-model"
    named.mkdir()
    (named / "config.json").write_text(json.dumps(good))
    refused([named / "config.json", "-o", folder, "--tensor-parallel", "3"], "heads of my-model")
    for change, what in (({"num_experts": 8}, "mixtures of experts"), ({"hidden_act": "gelu"}, "gelu"), ({"head_dim": 80}, "heads of 80"),
                         ({"hidden_size": "x"}, "hidden_size"), ({"num_key_value_heads": 3}, "do not divide"), ({"num_attention_heads": 0}, "num_")):
        config.write_text(json.dumps({**good, **change}))
        refused([config, "-o", folder], what)
    config.write_text("{")
    refused([config, "-o", folder], "no JSON")
    refused(["lama-3-8b", "-o", folder], "did you mean llama-3-8b")
    refused(["x", "-o", folder], "has no model x; give llama-2-7b, llama-2-13b, ")
    for missing in ("config2.json", "nowhere/model"):
        refused([missing, "-o", folder], f"{missing}: cannot open")
    refused(["tiny", "-o", folder, "--for", "vidure"], "is not one of csv, vidur")
    refused(["tiny", "-o", folder, "--machine", "v100"], "no tensor cores for bfloat16")
    refused(["tiny", "-o", folder, "--machine", "manycore-1"], "runs no CUDA programs")
    refused(["llama-3-8b", "-o", folder, "--tensor-parallel", "3"], "does not divide")
    refused(["tiny", "-o", folder, "--tokens", "4,2"], "that rise")
print(f"1..{count}")
sys.exit(failed > 0)
