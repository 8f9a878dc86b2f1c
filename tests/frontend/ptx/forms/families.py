# SPDX-License-Identifier: BSD-3-Clause
"""Candidates for forms of PTX instructions, family by family, with the names of operands that run.c has. An assembler
says which of them exist."""
import itertools

ROUNDINGS = ("rn", "rz", "rm", "rp")
WHOLE = ("rni", "rzi", "rmi", "rpi")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")
# of a type: the ending of its registers' names
ENDING = {"16": "h", "32": "", "64": "l", "f32": "f", "f64": "d", "f16": "h", "bf16": "h", "f16x2": "", "bf16x2": "",
          "f32x2": "l", "8": "h", "u16x2": "", "s16x2": "", "tf32": ""}
INTEGERS = ("s32", "u32", "s64", "u64", "s16", "u16")
HALVES = ("f16", "bf16", "f16x2", "bf16x2")


def ending(kind):
    return ENDING[kind] if kind in ENDING else ENDING[kind[1:]]


def dotted(*words):
    return ".".join(word for word in words if word)


def form(opcode, kind, sources, result=None):
    """`opcode.kind d, a, b, c` in registers of the type."""
    tail = ending(kind)
    return f"{opcode}.{kind} {result or 'd' + tail}, " + ", ".join(name + tail for name in "abc"[:sources])


def choices(*groups):
    """All ways to take one word, or none (""), of each group."""
    for words in itertools.product(*groups):
        yield dotted(*words)


def single_and_double():
    for kind in ("f32", "f64", "f32x2"):
        for way in choices(("",) + ROUNDINGS, ("", "ftz"), ("", "sat")):
            for opcode, sources in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3), ("mad", 3), ("div", 2), ("rcp", 1),
                                    ("sqrt", 1)):
                yield form(dotted(opcode, way), kind, sources)
        for way in choices(("approx", "full"), ("", "ftz")):
            for opcode in ("rcp", "sqrt", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"):
                yield form(dotted(opcode, way), kind, 1)
            yield form(dotted("div", way), kind, 2)
        for way in choices(("", "ftz"), ("", "NaN"), ("", "abs", "xorsign.abs")):
            for opcode, sources in itertools.product(("min", "max"), (2, 3)):
                yield form(dotted(opcode, way), kind, sources)
        for way in ("", "ftz"):
            yield form(dotted("abs", way), kind, 1)
            yield form(dotted("neg", way), kind, 1)
        yield form("copysign", kind, 2)
        for test in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield form(f"testp.{test}", kind, 1, "dp")
    for way in choices(("",) + ROUNDINGS, ("", "sat"), ("f32",), ("f16", "bf16")):
        yield f"add.{way} df, ah, cf"
        yield f"sub.{way} df, ah, cf"
        yield f"fma.{way} df, ah, bh, cf"


def comparisons():
    for kind in ("f32", "f64") + HALVES + INTEGERS + ("b16", "b32", "b64"):
        words = ("lo", "ls", "hi", "hs") if kind[0] == "u" else ()
        tail = ending(kind)
        for test in COMPARISONS + words:
            for flush in ("", "ftz"):
                pair = "dp|dq" if kind.endswith("x2") else "dp"
                yield form(dotted("setp", test, flush), kind, 2, pair)
                more = ("s32", "f32", "f16", "bf16", "u16", "s16", "f16x2", "bf16x2") if test in ("lt", "neu") else ()
                for result in ("u32",) + more:
                    yield f"{dotted('set', test, flush)}.{result}.{kind} d{ending(result)}, a{tail}, b{tail}"
        for combine in ("and", "or", "xor"):
            yield f"setp.lt.{combine}.{kind} dp|dq, a{tail}, b{tail}, pa"
            yield f"set.ge.{combine}.u32.{kind} d, a{tail}, b{tail}, !pa"


def halves():
    for kind in HALVES:
        for way in choices(("", "rn", "rz", "rm", "rp"), ("", "ftz"), ("", "sat", "relu", "oob", "oob.relu")):
            for opcode, sources in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
                yield form(dotted(opcode, way), kind, sources)
        for way in choices(("", "ftz"), ("", "NaN"), ("", "abs", "xorsign.abs", "relu")):
            for opcode, sources in itertools.product(("min", "max"), (2, 3)):
                yield form(dotted(opcode, way), kind, sources)
        for opcode, flush in itertools.product(("abs", "neg", "ex2.approx", "tanh.approx"), ("", "ftz")):
            yield form(dotted(opcode, flush), kind, 1)


def integers():
    for kind in INTEGERS:
        for opcode in ("add", "sub", "min", "max", "mul.lo", "mul.hi", "mul24.lo", "mul24.hi", "div", "rem", "add.sat",
                       "sub.sat", "add.cc", "sub.cc", "min.relu", "max.relu"):
            yield form(opcode, kind, 2)
        for opcode in ("mad.lo", "mad.hi", "mad24.lo", "mad24.hi", "mad.hi.sat", "mad24.hi.sat", "sad"):
            yield form(opcode, kind, 3)
        yield form("abs", kind, 1)
        yield form("neg", kind, 1)
        for opcode in ("bfind", "bfind.shiftamt"):
            yield f"{opcode}.{kind} d, a{ending(kind)}"
        wide = {"": "l", "h": ""}.get(ending(kind))
        if wide is not None:
            tail = ending(kind)
            yield f"mul.wide.{kind} d{wide}, a{tail}, b{tail}"
            yield f"mad.wide.{kind} d{wide}, a{tail}, b{tail}, c{wide}"
        tail = ending(kind)
        yield f"bfe.{kind} d{tail}, a{tail}, b, c"
        for shift in ("shl", "shr"):
            yield f"{shift}.{kind} d{tail}, a{tail}, b"
        for first, second in (("add", "addc"), ("sub", "subc")):
            yield f"{first}.cc.{kind} d{tail}, a{tail}, b{tail}; {second}.{kind} d{tail}1, b{tail}, c{tail}"
        yield f"mad.lo.cc.{kind} d{tail}, a{tail}, b{tail}, c{tail}; madc.hi.{kind} d{tail}1, a{tail}, b{tail}, c{tail}"
    for kind in ("u16x2", "s16x2"):
        for opcode in ("add", "sub", "min", "max", "min.relu", "max.relu", "add.sat", "neg"):
            yield form(opcode, kind, 1 if opcode == "neg" else 2)
    for left, right in itertools.product(("s32", "u32"), repeat=2):
        for opcode in ("dp4a", "dp2a.lo", "dp2a.hi"):
            yield f"{opcode}.{left}.{right} d, a, b, c"


def bits():
    for kind in ("b16", "b32", "b64"):
        tail = ending(kind)
        for opcode in ("and", "or", "xor"):
            yield form(opcode, kind, 2)
        for opcode in ("not", "cnot"):
            yield form(opcode, kind, 1)
        for opcode in ("popc", "clz"):
            yield f"{opcode}.{kind} d, a{tail}"
        yield form("brev", kind, 1)
        yield f"bfi.{kind} d{tail}, a{tail}, b{tail}, c, 7"
        yield f"shl.{kind} d{tail}, a{tail}, b"
        yield f"selp.{kind} d{tail}, a{tail}, b{tail}, pa"
        for choice in ("s32", "f32"):
            for flush in ("", "ftz"):
                yield f"{dotted('slct', flush)}.{kind}.{choice} d{tail}, a{tail}, b{tail}, c{ending(choice)}"
    for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"):
        yield f"prmt.b32{mode} d, a, b, c"
    for way in ("clamp", "wrap"):
        yield f"bmsk.{way}.b32 d, a, b"
        yield f"szext.{way}.s32 d, a, b"
        yield f"szext.{way}.u32 d, a, b"
        yield f"shf.l.{way}.b32 d, a, b, c"
        yield f"shf.r.{way}.b32 d, a, b, c"
    for table in ("0x96", "0xe8", "0xca", "0x1b", "0x80"):
        yield f"lop3.b32 d, a, b, c, {table}"
        for combine in ("and", "or"):
            yield f"lop3.{combine}.b32 d|dp, a, b, c, {table}, pa"
    yield "fns.b32 d, a, 0, 3"
    yield "fns.b32 d, a, 17, -2"
    yield "mov.b32 {dh, dh1}, a"
    yield "mov.b32 d, {ah, bh}"
    yield "mov.b64 {d, d1}, al"
    yield "mov.b64 dl, {a, b}"
    yield "mov.b64 {dh, dh1, dh2, dh3}, al"


def conversions():
    whole = ("s8", "u8", "s16", "u16", "s32", "u32", "s64", "u64")
    floats = ("f16", "bf16", "f32", "f64")
    for source, result in itertools.product(whole, repeat=2):
        for sat in ("", "sat"):
            yield f"{dotted('cvt', sat)}.{result}.{source} d{ending(result)}, a{ending(source)}"
    for whole_kind, kind in itertools.product(whole, floats):
        for way in choices(ROUNDINGS, ("", "ftz"), ("", "sat")):
            yield f"cvt.{way}.{kind}.{whole_kind} d{ending(kind)}, a{ending(whole_kind)}"
        for way in choices(WHOLE, ("", "ftz"), ("", "sat")):
            yield f"cvt.{way}.{whole_kind}.{kind} d{ending(whole_kind)}, a{ending(kind)}"
    for result, source in itertools.product(floats, repeat=2):
        ways = itertools.chain(choices(("",) + ROUNDINGS + ("rna",) + WHOLE, ("", "ftz"), ("", "sat")),
                               choices(ROUNDINGS, ("relu", "satfinite", "relu.satfinite", "satfinite.relu")))
        for way in ways:
            yield f"{dotted('cvt', way)}.{result}.{source} d{ending(result)}, a{ending(source)}"
    limits = ("", "relu", "satfinite", "relu.satfinite", "satfinite.relu")
    for way in choices(ROUNDINGS + ("rna",), limits):
        yield f"cvt.{way}.f16x2.f32 d, af, bf"
        yield f"cvt.{way}.bf16x2.f32 d, af, bf"
        yield f"cvt.{way}.tf32.f32 d, af"


def narrow_conversions():
    limits = ("", "relu", "satfinite", "satfinite.relu")
    for kind in ("e4m3x2", "e5m2x2", "e2m3x2", "e3m2x2", "e2m1x2", "ue8m0x2"):
        tail = "b" if kind == "e2m1x2" else "h"
        for way in choices(ROUNDINGS, limits):
            yield f"cvt.{way}.{kind}.f32 d{tail}, af, bf"
            for pair in ("f16x2", "bf16x2"):
                yield f"cvt.{way}.{kind}.{pair} d{tail}, a"
                yield f"cvt.{way}.{pair}.{kind} d, a{tail}"
    for limit in limits:
        for kind in ("f16x2", "bf16x2"):
            yield f"{dotted('cvt.rs', limit)}.{kind}.f32 d, af, bf, c"
        for kind in ("e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4"):
            yield f"{dotted('cvt.rs', limit)}.{kind}.f32 d, {{af, bf, cf, af}}, c"
        yield f"{dotted('cvt.rs', limit)}.e2m1x4.f32 dh, {{af, bf, cf, af}}, c"
    for kind in ("s8", "u8", "s4", "u4", "s2", "u2"):
        for source in ("s32", "u32"):
            yield f"cvt.pack.sat.{kind}.{source}.b32 d, a, b, c"
    for kind in ("s16", "u16"):
        for source in ("s32", "u32"):
            yield f"cvt.pack.sat.{kind}.{source} d, a, b"


def video():
    kinds = ("u32", "s32")
    for opcode in ("vadd", "vsub", "vabsdiff", "vmin", "vmax"):
        for result, left, right in itertools.product(kinds, repeat=3):
            for sat in ("", ".sat"):
                yield f"{opcode}.{result}.{left}.{right}{sat} d, a, b"
                yield f"{opcode}.{result}.{left}.{right}{sat} d, a.b1, b.h1"
                for second in ("add", "min", "max"):
                    yield f"{opcode}.{result}.{left}.{right}{sat}.{second} d, a.h0, b.b3, c"
            yield f"{opcode}.{result}.{left}.{right} d.b2, a, b.b0, c"
            yield f"{opcode}.{result}.{left}.{right} d.h1, a, b, c"
            yield f"{opcode}.{result}.{left}.{right}.sat d.h0, a.b2, b, c"
            yield f"{opcode}.{result}.{left}.{right}.sat d.b3, a, b.h1, c"
    for opcode in ("vshl", "vshr"):
        for result, left in itertools.product(kinds, repeat=2):
            for way in ("clamp", "wrap"):
                for sat in ("", ".sat"):
                    yield f"{opcode}.{result}.{left}.u32{sat}.{way} d, a, b"
                    yield f"{opcode}.{result}.{left}.u32{sat}.{way} d, a.h1, b.b0"
                    yield f"{opcode}.{result}.{left}.u32{sat}.{way}.max d, a, b, c"
                    yield f"{opcode}.{result}.{left}.u32{sat}.{way}.add d, a.b3, b, c"
                    yield f"{opcode}.{result}.{left}.u32{sat}.{way} d.b1, a, b, c"
    for result, left, right in itertools.product(kinds, repeat=3):
        for way in ("", ".sat", ".shr7", ".shr15", ".sat.shr7", ".sat.shr15"):
            yield f"vmad.{result}.{left}.{right}{way} d, a, b, c"
            yield f"vmad.{result}.{left}.{right}{way} d, a.b0, b.h1, c"
            yield f"vmad.{result}.{left}.{right}{way} d, a.h0, -b.h1, c"
            yield f"vmad.{result}.{left}.{right}{way} d, a.b1, b.b2, -c"
        yield f"vmad.{result}.{left}.{right}.po d, a.b0, b.b1, c"
    for left, right in itertools.product(kinds, repeat=2):
        for test in ("eq", "ne", "lt", "le", "gt", "ge"):
            yield f"vset.{left}.{right}.{test} d, a, b"
            yield f"vset.{left}.{right}.{test} d, a.b1, b.b0"
            yield f"vset.{left}.{right}.{test}.add d, a.h0, b, c"
            yield f"vset.{left}.{right}.{test} d.b3, a, b.h1, c"


def pair_video():
    kinds = ("u32", "s32")
    for count, mask, select_a, select_b in (("2", "h1", "h31", "h12"), ("4", "b310", "b7531", "b0426")):
        for opcode in ("vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax"):
            for result, left, right in itertools.product(kinds, repeat=3):
                for sat in ("", ".sat"):
                    types = f"{opcode}{count}.{result}.{left}.{right}{sat}"
                    yield f"{types} d, a, b, c"
                    yield f"{types} d.{mask}, a, b, c"
                    yield f"{types} d, a.{select_a}, b.{select_b}, c"
                yield f"{opcode}{count}.{result}.{left}.{right}.add d, a, b, c"
                yield f"{opcode}{count}.{result}.{left}.{right}.add d.{mask}, a.{select_a}, b, c"
        for left, right in itertools.product(kinds, repeat=2):
            for test in ("eq", "ne", "lt", "le", "gt", "ge"):
                yield f"vset{count}.{left}.{right}.{test} d, a, b, c"
                yield f"vset{count}.{left}.{right}.{test}.add d, a, b, c"
                yield f"vset{count}.{left}.{right}.{test} d.{mask}, a.{select_a}, b.{select_b}, c"


def lanes():
    for opcode in ("add", "min", "max"):
        for kind in ("s32", "u32"):
            yield f"redux.sync.{opcode}.{kind} d, a, 0xffffffff"
    for opcode in ("and", "or", "xor"):
        yield f"redux.sync.{opcode}.b32 d, a, 0xffffffff"
    for way in choices(("min", "max"), ("", "abs"), ("", "NaN")):
        yield f"redux.sync.{way}.f32 df, af, 0xffffffff"
    for mode in ("up", "down", "bfly", "idx"):
        for clamp in ("0x1f", "0x1c03", "0x181f", "0", "0xf0f"):
            yield f"shfl.sync.{mode}.b32 d|dp, a, b, {clamp}, 0xffffffff"
    yield "and.b32 b, a, 3; match.any.sync.b32 d, b, 0xffffffff"
    yield "and.b32 b, a, 3; match.all.sync.b32 d|dp, b, 0xffffffff"
    yield "and.b64 bl, al, 3; match.any.sync.b64 d, bl, 0xffffffff"
    yield "and.b64 bl, al, 3; match.all.sync.b64 d|dp, bl, 0xffffffff"
    for mode in ("all", "any", "uni"):
        yield f"vote.sync.{mode}.pred dp, pa, 0xffffffff"
    yield "vote.sync.ballot.b32 d, pa, 0xffffffff"
    yield "elect.sync d|dp, 0xffffffff"
    yield "movmatrix.sync.aligned.m8n8.trans.b16 d, a"
    yield "activemask.b32 d"


def atomics():
    operations = {"add": ("u32", "s32", "u64", "s64", "f32", "f64"), "min": ("u32", "s32", "u64", "s64"),
                  "max": ("u32", "s32", "u64", "s64"), "and": ("b32", "b64"), "or": ("b32", "b64"),
                  "xor": ("b32", "b64"), "inc": ("u32",), "dec": ("u32",), "exch": ("b32", "b64", "b128"),
                  "cas": ("b16", "b32", "b64", "b128")}
    for space, place in (("global", "g"), ("shared", "s")):
        for opcode, kinds in operations.items():
            for kind in kinds:
                if kind == "b128":
                    continue
                tail = ending(kind)
                third = f", c{tail}" if opcode == "cas" else ""
                for order in ("", "relaxed.gpu", "acq_rel.sys", "release.cta", "acquire.cta"):
                    yield f"{dotted('atom', order)}.{space}.{opcode}.{kind} d{tail}, [{place}], b{tail}{third}"
                if opcode not in ("exch", "cas"):
                    for order in ("", "relaxed.gpu", "release.sys"):
                        yield f"{dotted('red', order)}.{space}.{opcode}.{kind} [{place}], b{tail}"
        for kind, opcode in itertools.product(HALVES, ("add", "min", "max")):
            tail = ending(kind)
            yield f"atom.{space}.{opcode}.noftz.{kind} d{tail}, [{place}], b{tail}"
            yield f"red.{space}.{opcode}.noftz.{kind} [{place}], b{tail}"
    yield "atom.global.v2.f32.add {df, df1}, [g], {bf, cf}"
    yield "atom.global.v4.f32.add {df, df1, df2, df3}, [g], {bf, cf, af, af}"
    yield "red.global.add.v2.f32 [g], {bf, cf}"
    yield "red.global.add.v4.f32 [g], {bf, cf, af, bf}"
    for kind, opcode in itertools.product(("f16", "bf16"), ("add", "min", "max")):
        yield f"red.global.{opcode}.noftz.v2.{kind} [g], {{ah, bh}}"
        yield f"red.global.{opcode}.noftz.v4.{kind} [g], {{ah, bh, ch, ah}}"
        yield f"red.global.{opcode}.noftz.v8.{kind} [g], {{ah, bh, ch, ah, bh, ch, ah, bh}}"
        yield f"red.global.{opcode}.noftz.v2.{kind}x2 [g], {{a, b}}"
        yield f"red.global.{opcode}.noftz.v4.{kind}x2 [g], {{a, b, c, a}}"
        yield f"atom.global.v2.{kind}.{opcode}.noftz {{dh, dh1}}, [g], {{ah, bh}}"


def accesses():
    ways = ("ld.global", "ld.volatile.global", "ld.relaxed.gpu.global", "ld.acquire.sys.global", "ld.global.cg",
            "ld.global.cv", "ld.global.lu", "ld.global.ca", "ld.global.cs", "ld.global.nc", "ldu.global", "ld.shared")
    for way in ways:
        place = "i" if way.endswith(".nc") or way.startswith("ldu") else "s" if way.endswith("shared") else "g"
        for kind, result in (("b8", "dh"), ("u8", "dh"), ("s8", "dh"), ("u16", "dh"), ("s16", "d"), ("u8", "d"),
                             ("s8", "dl"), ("b32", "d"), ("b64", "dl"), ("f32", "df"), ("f64", "dd")):
            yield f"{way}.{kind} {result}, [{place}]"
        yield f"{way}.v2.b32 {{d, d1}}, [{place}]"
        yield f"{way}.v2.b64 {{dl, dl1}}, [{'s' if place == 's' else 'g'}]"
        yield f"{way}.v4.u8 {{dh, dh1, dh2, dh3}}, [{place}]"
        yield f"{way}.v4.s16 {{dh, dh1, dh2, dh3}}, [{place}]"
        yield f"{way}.v2.s8 {{d, d1}}, [{place}]"
        if place == "g":
            yield f"{way}.v4.b32 {{d, d1, d2, d3}}, [g]"
            yield f"{way}.v8.b32 {{d, d1, d2, d3, d4, d5, d6, d7}}, [g]"
            yield f"{way}.v4.b64 {{dl, dl1, dl2, dl3}}, [g]"
    for hint in ("L1::evict_last", "L1::no_allocate", "L1::evict_first.L2::128B", "L2::64B", "L1::evict_unchanged"):
        yield f"ld.global.{hint}.b32 d, [g]"
        yield f"ld.global.nc.{hint}.v2.b32 {{d, d1}}, [i]"
    for way in ("st.global", "st.global.wb", "st.global.cg", "st.global.cs", "st.global.wt", "st.volatile.global",
                "st.release.gpu.global", "st.relaxed.sys.global", "st.global.L1::no_allocate", "st.shared"):
        place = "s" if way.endswith("shared") else "g"
        for kind, source in (("b8", "ah"), ("u8", "a"), ("s8", "al"), ("u16", "bh"), ("b32", "a"), ("b64", "bl"),
                             ("f64", "bd"), ("f32", "af")):
            yield f"{way}.{kind} [{place}], {source}"
        yield f"{way}.v2.b64 [{place}], {{al, bl}}"
        yield f"{way}.v4.u8 [{place}], {{ah, bh, ch, ah}}"
        yield f"{way}.v4.b32 [{place}], {{a, b, c, a}}"
        yield f"{way}.v8.b32 [{place}], {{a, b, c, a, b, c, a, b}}"
    for way, count in (("ca", 4), ("ca", 8), ("ca", 16), ("cg", 16)):
        opcode = f"cp.async.{way}.shared.global"
        wait = "; cp.async.wait_all"
        yield f"{opcode} [s], [g], {count}{wait}"
        yield f"{opcode} [s], [g], {count}, 3{wait}"
        yield f"{opcode} [s], [g], {count}, 0{wait}"
        yield f"and.b32 c, c, 3; {opcode} [s], [g], {count}, c{wait}"
        yield f"{opcode}.L2::128B [s], [g], {count}{wait}"
        yield f"{opcode} [s], [g], {count}, pa{wait}"
        yield f"{opcode} [s], [g], {count}, !pa{wait}"
        yield f"@pa {opcode} [s], [g], {count}{wait}"
    yield "ld.mmio.relaxed.sys.global.b32 d, [g]"
    yield "st.mmio.relaxed.sys.global.b64 [g], bl"
    yield "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {d, d1}, [m]"
    yield "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8x16.b4x16_p64 {d, d1, d2, d3}, [m]"
    yield "ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {d}, [m]"
    for count in ("x1", "x2", "x4"):
        group = "{" + ", ".join(("d", "d1", "d2", "d3")[:int(count[1])]) + "}"
        data = "{" + ", ".join(("a", "b", "c", "a")[:int(count[1])]) + "}"
        for trans in ("", ".trans"):
            yield f"ldmatrix.sync.aligned.m8n8.{count}{trans}.shared.b16 {group}, [m]"
            if count != "x4":
                yield f"stmatrix.sync.aligned.m8n8.{count}{trans}.shared.b16 [m], {data}"
                yield f"stmatrix.sync.aligned.m16n8.{count}{trans}.shared.b8 [m], {data}"


FAMILIES = (single_and_double, comparisons, halves, integers, bits, conversions, narrow_conversions, video, pair_video,
            lanes, atomics, accesses)


def candidates():
    return list(dict.fromkeys(itertools.chain.from_iterable(family() for family in FAMILIES)))
