#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Matrix operations by the width of their operands (--energy) of executed PTX, beside those of the machine code that NVIDIA's assembler
makes of the same text, and beside 2 m n k of the shape. Usage: products.py MANIPLE PROGRAM SANITIZERS"""
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, program, sanitizers = sys.argv[1:4]
PTXAS = "/usr/local/cuda/bin/ptxas"
WARPS, TIMES = 4, 3
WIDTHS = (64, 32, 16, 8, 4)
PIPE = "pipe_cycles_tensor"
# machine; target; type of A and B; of C and D; m, n, k; registers of A, B, C; the counter; modifiers behind the types
PRODUCTS = [
    ("a100", "sm_80", "bf16", "f32", (16, 8, 16), (4, 2, 4), 16), ("a100", "sm_80", "bf16", "f32", (16, 8, 8), (2, 1, 4), 16),
    ("a100", "sm_80", "f16", "f32", (16, 8, 16), (4, 2, 4), 16), ("a100", "sm_80", "f16", "f16", (16, 8, 16), (4, 2, 2), 16),
    ("a100", "sm_80", "tf32", "f32", (16, 8, 8), (4, 2, 4), 32), ("a100", "sm_80", "tf32", "f32", (16, 8, 4), (2, 1, 4), 32),
    ("a100", "sm_80", "s8", "s32", (16, 8, 32), (4, 2, 4), 8), ("a100", "sm_80", "u8", "s32", (8, 8, 16), (1, 1, 2), 8),
    ("a100", "sm_80", "s4", "s32", (16, 8, 64), (4, 2, 4), 4), ("a100", "sm_80", "f64", "f64", (8, 8, 4), (1, 1, 2), 64),
    ("h100-pcie", "sm_90a", "f64", "f64", (16, 8, 16), (8, 4, 4), 64), ("h100-pcie", "sm_90a", "f64", "f64", (8, 8, 4), (1, 1, 2), 64),
    ("rtx4090", "sm_89", "f64", "f64", (8, 8, 4), (1, 1, 2), 64),
    # Hopper's assembler makes products of halves of those of eight-bit floats that are not a warpgroup's.
    ("rtx4090", "sm_89", "e5m2", "f32", (16, 8, 32), (4, 2, 4), 8), ("rtx5080", "sm_120a", "bf16", "f32", (16, 8, 16), (4, 2, 4), 16),
    ("rtx5080", "sm_120a", "e4m3", "f32", (16, 8, 32), (4, 2, 4), 8),
]
# Products that the assembler replaces by others: of halves, of bytes.
REPLACED = [("h100-pcie", "sm_90a", "e4m3", "f32", (16, 8, 32), (4, 2, 4)), ("h100-pcie", "sm_90a", "s4", "s32", (16, 8, 64), (4, 2, 4)),
            ("b200", "sm_100a", "e5m2", "f32", (16, 8, 32), (4, 2, 4)), ("rtx5080", "sm_120a", "s4", "s32", (16, 8, 64), (4, 2, 4))]
GROUPS = [("bf16", 16, 16), ("f16", 16, 16), ("tf32", 8, 32), ("s8", 32, 8), ("e4m3", 32, 8)]


def kernel(target, declarations, body):
    version = "8.7" if target in ("sm_100a", "sm_120a") else "8.4"
    return (f".version {version}\n.target {target}\n.address_size 64\n.visible .entry products(.param .u64 memory)\n{{\n"
            f".reg .b32 t;\n.reg .b64 p, o;\n{declarations}ld.param.u64 p, [memory];\nmov.u32 t, %tid.x;\n"
            f"mul.wide.u32 o, t, 256;\nadd.s64 p, p, o;\n{body}ret;\n}}\n")


def text_of(target, operands, sums, shape, registers, times=TIMES):
    kinds = [("f64", 8) if operands == "f64" else ("b32", 4), ("f64", 8) if sums == "f64" else (sums if sums != "f16" else "b32", 4)]
    declarations = body = ""
    names = {}
    for letter, number, (kind, size) in zip("abc", registers, (kinds[0], kinds[0], kinds[1])):
        declarations += f".reg .{kind} {letter}<{number}>;\n"
        names[letter] = "{" + ", ".join(f"{letter}{i}" for i in range(number)) + "}"
        body += "".join(f"ld.global.{kind} {letter}{i}, [p+{size * i}];\n" for i in range(number))
    m, n, k = shape
    body += times * (f"mma.sync.aligned.m{m}n{n}k{k}.row.col.{sums}.{operands}.{operands}.{sums} "
                     f"{names['c']}, {names['a']}, {names['b']}, {names['c']};\n")
    return kernel(target, declarations, body + "".join(f"st.global.{kinds[1][0]} [p+{kinds[1][1] * i}], c{i};\n" for i in range(registers[2])))


def group_text(operands, k, sparse):
    sums = "s32" if operands == "s8" else "f32"
    more = ", q" if sums == "s32" else ", q, 1, 1" + (", 0, 0" if operands in ("bf16", "f16") else "")
    declarations = ".shared .align 128 .b8 tiles[16384];\n.reg .b64 d;\n.reg .b32 s, z;\n.reg .pred q;\n" + f".reg .{sums} c<4>;\n"
    body = ("mov.u32 s, tiles;\nshr.u32 s, s, 4;\ncvt.u64.u32 d, s;\nor.b64 d, d, 0x0000000800080000;\nmov.u32 z, 0x44444444;\nsetp.ne.s64 q, p, 0;\n" +
            "".join(f"ld.global.{sums} c{i}, [p+{4 * i}];\n" for i in range(4)) + "wgmma.fence.sync.aligned;\n")
    word, metadata = (".sp", ", z, 0") if sparse else ("", "")
    # equal products would be made one
    body += TIMES * (f"add.s64 d, d, 16;\nwgmma.mma_async{word}.sync.aligned.m64n8k{k * (2 if sparse else 1)}.{sums}.{operands}.{operands} "
                     f"{{c0, c1, c2, c3}}, d, d{metadata}{more};\n")
    body += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"
    return kernel("sm_90a", declarations, body + "".join(f"st.global.{sums} [p+{4 * i}], c{i};\n" for i in range(4)))


def counts(machine, file, *options):
    done = subprocess.run([maniple, "run", "-q", "--machine", machine, "--energy", "--format", "json", *options, "--", program, file],
                          capture_output=True, text=True)
    start = done.stdout.find("{\n")
    if done.returncode or start < 0:
        return done.stderr + done.stdout[:300]
    statistics = json.loads(done.stdout[start:])["total"]["statistics"]
    return {**{bits: statistics[f"tensor_operations_{bits}"]["value"] for bits in WIDTHS}, PIPE: statistics[PIPE]["value"]}


def assembled_counts(machine, target, file):
    made = subprocess.run([PTXAS, f"-arch={target}", file, "-o", file.with_suffix(".cubin")], capture_output=True, text=True)
    return made.stderr if made.returncode else counts(machine, file.with_suffix(".cubin"))


def without_pipe(found):
    """Operations, and cycles of tensor cores; a message and None."""
    if not isinstance(found, dict):
        return found, None
    return {bits: found[bits] for bits in WIDTHS}, found[PIPE]


def check(folder, name, machine, target, text, bits, operations):
    file = pathlib.Path(folder) / "products.ptx"
    file.write_text(text)
    expected = {width: (operations // 512 if width == bits else 0) for width in WIDTHS}
    found, _ = without_pipe(counts(machine, file))
    ok(found == expected, f"{name}, PTX: 2 m n k operations by the width of operands", found, expected)
    if not os.access(PTXAS, os.X_OK):
        ok(True, f"{name}, machine code # SKIP there is no ptxas")
        return
    found, _ = without_pipe(assembled_counts(machine, target, file))
    ok(found == expected, f"{name}, machine code: the same", found, expected)


def check_time(folder, machine, target, operands, sums, shape, registers):
    """Tensor cores are busy with executed PTX for as long as with the machine code that ptxas makes of it."""
    file = pathlib.Path(folder) / "products.ptx"
    file.write_text(text_of(target, operands, sums, shape, registers, 1)) # ptxas would drop products whose sums are replaced
    name = f"mma {operands} {shape} on {machine}: as many cycles of tensor cores as machine code"
    if not os.access(PTXAS, os.X_OK):
        ok(True, f"{name} # SKIP there is no ptxas")
        return
    pairs = without_pipe(counts(machine, file)), without_pipe(assembled_counts(machine, target, file))
    ok(pairs[0][1] and pairs[0][1] == pairs[1][1], name, *pairs)


def check_instructions(folder):
    """Energies of a warpgroup's products belong to the instructions that have issued them."""
    work, file = pathlib.Path(folder) / "lines", pathlib.Path(folder) / "products.ptx"
    file.write_text(group_text("bf16", 16, False))
    subprocess.run([maniple, "run", "-q", "--machine", "h100-pcie", "--energy", "--by-instruction", "-o", work, "--set", "energy.instruction=0",
                    "--set", "energy.register.read=0", "--set", "energy.register.write=3", "--set", "energy.tensor.bits16=1000", "--set", "clock.core=1980MHz", # energies are stated there
                    "--", program, file], capture_output=True)
    found = sqlite3.connect(work / "results.sqlite").execute("SELECT energy FROM instruction WHERE text LIKE '%wgmma%mma%' ORDER BY pc").fetchall()
    ok(found == TIMES * [(2 * 64 * 8 * 16 // 512 * 1000 + 64 * 8 * 3,)],
       "wgmma: each instruction has the energy of its product, and of its sums, which go to registers", found)


if sanitizers != "none":
    print("1..0 # SKIP the sanitizer's runtime cannot be in the program")
    sys.exit(0)
with tempfile.TemporaryDirectory() as folder:
    for machine, target, operands, sums, shape, registers, bits in PRODUCTS:
        m, n, k = shape
        check(folder, f"mma m{m}n{n}k{k} {operands} {sums} on {machine}", machine, target, text_of(target, operands, sums, shape, registers),
              bits, 2 * m * n * k * WARPS * TIMES)
    for machine, target, operands, sums, shape, registers in [row[:6] for row in PRODUCTS] + REPLACED:
        check_time(folder, machine, target, operands, sums, shape, registers)
    for operands, k, bits in GROUPS:
        for sparse in (False, True):
            check(folder, f"wgmma m64n8 {operands}{' sparse' if sparse else ''}", "h100-pcie", "sm_90a", group_text(operands, k, sparse), bits,
                  2 * 64 * 8 * k * TIMES)
    check_instructions(folder)
sys.exit(finish())
