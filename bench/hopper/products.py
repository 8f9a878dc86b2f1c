#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Products of a warpgroup (wgmma) by the program's own clock, as PTX: what one takes, many after one another, and their issue.

Usage: products.py BUILD [--machine NAME] SHAPE:KIND:COUNT:WHAT...
A SHAPE is m64nNkK and a type (f16, bf16, e4m3, s8), and s behind it where A is sparse; KIND is SS or RS (A in shared memory
or registers). WHAT: `whole` cycles until all are waited for, `turns` the same of two sums in turn, `groups` the same in groups of
8, `issue` until the last has been issued, `wait` after each. BUILD/bench/bench-kernels is a program of the CUDA driver, which runs in the simulator.
"""
import argparse, os, re, subprocess, tempfile

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 space[];\n"
# A round first, so that the code is near; the second one counts. Warps leave a barrier one after another: a product behind it brings them together.
KERNEL = """.visible .entry {name}(.param .u64 out) .maxntid 128, 1, 1
{{
.reg .b64 o, a, b; .reg .b32 w, t0, t1, n, m, r<4>; .reg .f32 d<128>; .reg .b32 s<128>; .reg .pred p, q;
ld.param.u64 o, [out]; mov.u32 w, space; shr.u32 w, w, 4; cvt.u64.u32 a, w; or.b64 a, a, 0x0000001000080000;
add.u64 b, a, 1024; mov.u32 r0, 0; mov.u32 r1, 0; mov.u32 r2, 0; mov.u32 r3, 0; mov.u32 m, 0; mov.u32 n, 0;
{zero}
again: bar.sync 0;
wgmma.fence.sync.aligned;
{first}
mov.u32 t0, %clock;
wgmma.fence.sync.aligned;
{body}
mov.u32 t1, %clock; wgmma.wait_group.sync.aligned 0;
add.u32 n, n, 1; setp.lt.u32 p, n, 2; @p bra again;
sub.u32 t1, t1, t0; mov.u32 t0, %tid.x; setp.eq.u32 q, t0, 0; @q st.global.b32 [o], t1; ret;
}}
"""
COMMIT, WAIT = "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"


def product(shape, kind, first=0):
    """A product, whose sums begin with a register."""
    m = re.match(r"m64n(\d+)k(\d+)([a-z0-9]+?)(s?)$", shape)
    columns, of, sparse = int(m[1]), m[3], ".sp" if m[4] else ""
    whole = of == "s8"
    sums = ", ".join(f"{'s' if whole else 'd'}{first + i}" for i in range(columns // 2))
    words = f"wgmma.mma_async{sparse}.sync.aligned.m64n{columns}k{m[2]}.{'s32' if whole else 'f32'}.{of}.{of}"
    left = "a" if kind == "SS" else "{r0, r1, r2, r3}"
    factors = "" if whole or of == "e4m3" else ", 0" if kind == "RS" else ", 0, 0"
    signs = "" if whole else ", 1, 1"
    return f"{words} {{{sums}}}, {left}, b, {'m, 0, ' if sparse else ''}1{signs}{factors};"


def body_of(shape, kind, count, what):
    """Lines of what is timed; groups of 8, or one."""
    lines, sums = [], int(re.match(r"m64n(\d+)", shape)[1]) // 2
    for i in range(count):
        lines.append(product(shape, kind, sums * (i % 2) if what == "turns" else 0))
        if what == "wait":
            lines += [COMMIT, WAIT, "wgmma.fence.sync.aligned;"]
        elif what == "groups" and i % 8 == 7:
            lines.append(COMMIT)
    lines += [] if what == "wait" else [COMMIT]
    return "\n".join(lines + ([] if what in ("issue", "wait") else [WAIT]))


def text_of(plans):
    """The module, and the names of its kernels."""
    names, text = {}, HEAD
    zero = "\n".join(f"mov.f32 d{i}, 0f00000000; mov.b32 s{i}, 0;" for i in range(128))
    for plan in plans:
        if plan not in names:
            names[plan] = f"k{len(names)}"
            first = body_of(plan[0], plan[1], 1, "wait")
            text += KERNEL.format(name=names[plan], zero=zero, first=first, body=body_of(*plan))
    return text, names


def simulate(build, machine, plans, settings=()):
    """{plan: cycles}; a plan is (shape, kind, count, what)."""
    text, names = text_of(plans)
    chosen = [word for setting in settings for word in ("--set", setting)]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "products.ptx")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([f"{build}/maniple", "run", "-q", "--machine", machine, "-o", folder] + chosen +
                              ["--", f"{build}/bench/bench-kernels", path] + list(names.values()), capture_output=True, text=True)
    found = dict(re.findall(r"^(k\d+): (\d+)$", done.stdout, re.M))
    if len(found) < len(names):
        raise SystemExit(f"products.py: {done.stderr.strip()[-300:]}")
    return {plan: int(found[name]) for plan, name in names.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--machine", default="h200")
    parser.add_argument("plans", nargs="+", help="SHAPE:KIND:COUNT:WHAT, as m64n64k16bf16:SS:1:whole")
    options = parser.parse_args()
    plans = [(shape, kind, int(count), what) for shape, kind, count, what in (plan.split(":") for plan in options.plans)]
    for plan, cycles in simulate(options.build, options.machine, plans).items():
        print(*plan, cycles)


if __name__ == "__main__":
    main()
