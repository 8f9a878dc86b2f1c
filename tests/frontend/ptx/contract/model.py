# SPDX-License-Identifier: BSD-3-Clause
"""Small programs of floating point, what an assembler makes of their products and sums, and the exact values of that. The
rules are those of docs/ptx-compiler.md, written down apart from the front-end's.

A program has inputs a to h, registers t0 …, r0 …, predicates p0 and p1 of the thread's number, statements with `$` for
the type, and forward branches."""
import fractions
import pathlib
import random
import re
import struct


class Type:
    def __init__(self, name, register, size, precision, exponents, pair=False):
        self.name, self.register, self.bytes, self.pair = name, register, size, pair
        self.precision, self.least, self.most = precision, 2 - (1 << exponents - 1), (1 << exponents - 1) - 1
        self.width, self.mantissa = precision + exponents, precision - 1

    def round(self, value):
        """The nearest number; None: too large, too small, or a zero, whose sign is not followed here."""
        if value is None or not value:
            return None
        exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
        exponent -= abs(value) < fractions.Fraction(2) ** exponent
        unit = fractions.Fraction(2) ** (exponent - self.mantissa)
        near = round(value / unit) * unit  # Python rounds to even
        return near if exponent >= self.least and abs(near) < fractions.Fraction(2) ** (self.most + 1) else None

    def bits(self, value):
        """The bits of a number, which this type has: its denominator is a power of two."""
        if not value:
            return 0
        whole = abs(value.numerator)
        exponent = whole.bit_length() - value.denominator.bit_length()
        behind = (whole << self.mantissa >> whole.bit_length() - 1) - (1 << self.mantissa)
        return ((value < 0) << self.width - 1) | (exponent + self.most << self.mantissa) | behind


TYPES = {"f32": Type("f32", "b32", 4, 24, 8), "f64": Type("f64", "b64", 8, 53, 11), "f16": Type("f16", "b16", 2, 11, 5),
         "f16x2": Type("f16x2", "b32", 4, 11, 5, True), "bf16": Type("bf16", "b16", 2, 8, 8),
         "bf16x2": Type("bf16x2", "b32", 4, 8, 8, True), "f32x2": Type("f32x2", "b64", 8, 24, 8, True)}
INPUTS = "abcdefgh"
THREADS = 16  # with numbers of their own
OUT = 16  # the first 8-byte place of the results
TABLE = [line for line in pathlib.Path(__file__).with_name("table.txt").read_text().splitlines() if line and line[0] != "#"]


def applies(line, type_name):
    """Whether a line of the table is about a type: it begins with the types' names, or with *."""
    types = line.split("|")[0].split()
    return "*" in types and f"-{type_name}" not in types or type_name in types


# ===== regions =====

SLOW = re.compile(r"(div|rcp|sqrt)\.(rn|rz|rm|rp)(\.ftz)?\.f(32|64)|rsqrt\.approx\.f64|(div|rem)\.(s32|[su]16|[su]64)|bfind\S*64")
ENDS = re.compile(r"(membar|fence)\.(?!proxy|mbarrier_init)|call |setmaxnreg|griddepcontrol\.launch|pmevent|brkpt")
GUARDED = re.compile(r"(mul|add|sub|fma|neg|abs|mov|cvt|selp|setp|set|ex2|lg2|sin|cos|tanh|rsqrt|div|rem|rcp|sqrt|mad|min|max|shl|shr|and|"
                     r"or|xor|not|popc|shfl|ld\.param|ld\.const)\.")


def ends_region(text, guard):
    return bool(SLOW.match(text) or ENDS.match(text) or (guard and not GUARDED.match(text)))


# ===== programs =====

class Node:
    """A value: an input, a constant, or what a statement makes. `old`: what a guarded one leaves where it does not hold."""

    def __init__(self, op, sources=(), words=(), region=0, guard=None, old=None, value=None):
        self.op, self.sources, self.words, self.region = op, list(sources), set(words), region
        self.guard, self.old, self.value, self.minus = guard, old, value, False
        self.product = None  # of a sum: the product that it takes, its factors in front of `sources`

    @property
    def is_sum(self):
        return self.op in ("add", "sub") and self.product is None

    def key(self):
        return (self.op, tuple(self.words - {"rn"}), tuple(id(source) for source in self.sources))


class Program:
    def __init__(self, type_name, name, statements, results):
        self.type, self.name, self.statements, self.results = type_name, name, statements, results
        self.inputs = sorted(set(re.findall(r"\b[a-h]\b", " ".join(statements))))
        self.nodes, self.readers, self.nothing = [], {}, set()
        self.values = {}
        self.out = self.read()
        self.contract()

    def body(self):
        return "; ".join(self.statements)

    def text(self, kernel):
        type_ = TYPES[self.type]
        lines = [f".visible .entry {kernel}(.param .u64 data) {{",
                 f".reg .{type_.register} a, b, c, d, e, f, g, h, t<40>, r<20>; .reg .b64 P, x<4>; .reg .pred p<4>; .reg .b32 n<8>; "
                 ".reg .f32 s<4>; .reg .f64 y<4>; .shared .align 8 .b64 shared;",
                 "ld.param.u64 P, [data]; mov.u32 n0, %tid.x; mul.wide.u32 x0, n0, 512; add.u64 P, P, x0; and.b32 n1, n0, 1; "
                 "setp.ne.u32 p0, n1, 0; and.b32 n1, n0, 2; setp.ne.u32 p1, n1, 0; ld.global.f32 s0, [P]; ld.global.f64 y0, [P];"]
        lines += [f"ld.global.{type_.register} {name}, [P+{8 * INPUTS.index(name)}];" for name in self.inputs]
        for statement in self.statements:
            statement = statement.replace("$$", type_.register).replace("$", self.type)
            lines.append(statement if statement.endswith(":") else statement + ";")
        lines += [f"st.global.{type_.register} [P+{8 * (OUT + place)}], {name};" for place, name in enumerate(self.results)]
        return re.sub(r"\bL(\d)", rf"{kernel}L\1", "\n".join(lines)) + "\nret; }\n"

    def memory(self):
        """The bytes of a thread's place before the launch; they are the same for groups of threads."""
        rng = random.Random(self.name)
        type_, places = TYPES[self.type], []
        for place in range(THREADS * 64):
            if place % 64 >= len(INPUTS):
                places.append(bytes(8))
                continue
            halves = [rng.choice((-1, 1)) * (1 + fractions.Fraction(rng.getrandbits(type_.mantissa), 1 << type_.mantissa)) *
                      fractions.Fraction(2) ** rng.randrange(-1, 1) for _ in range(2 if type_.pair else 1)]
            self.values[place // 64, place % 64] = halves
            bits = sum(type_.bits(half) << number * type_.width for number, half in enumerate(halves))
            places.append(struct.pack("<Q", bits))
        return b"".join(places)

    # ----- reading -----

    def add(self, node):
        self.nodes.append(node)
        return node

    def read(self):
        registers = {name: self.add(Node("in", value=name)) for name in self.inputs}
        region, waiting = 0, {}

        def operand(text):
            if text in registers:
                return registers[text]
            return self.add(Node("number", value=fractions.Fraction(float(text)))) if re.match(r"-?\d", text) else \
                registers.setdefault(text, self.add(Node("in", value=None)))
        for statement in self.statements:
            if statement.endswith(":"):
                region += 1
                for guard, before in waiting.pop(statement[:-1], []):
                    for name in set(registers) & set(before):
                        if registers[name] is not before[name]:
                            other = guard[1:] if guard[0] == "!" else "!" + guard
                            registers[name] = self.add(Node("phi", [registers[name]], guard=other, old=before[name], region=region))
                continue
            guard, text = re.match(r"(?:@(\S+) )?(.*)", statement).groups()
            opcode, *operands = re.split(r",? +", text)
            op, *words = opcode.split(".")
            if op == "bra":
                waiting.setdefault(operands[0], []).append((guard, dict(registers)))
                region += 1
            elif op in ("mul", "add", "sub", "fma", "neg", "mov") and operands[0] in registers | dict.fromkeys(
                    [f"{kind}{number}" for kind in "tr" for number in range(40)]):
                old = operand(operands[0]) if guard else None
                sources = [operand(text) for text in operands[1:]]
                registers[operands[0]] = self.add(Node(op, sources, set(words) - {"$", "$$"}, region, guard, old))
            else:
                read = [registers[name] for name in re.findall(r"\b[a-htr]\d*\b", text) if name in registers]
                if read:
                    self.nothing.add(self.add(Node("other", read, region=region)))
                region += ends_region(text, guard)
        return [registers[name] for name in self.results]

    # ----- rules -----

    def count(self):
        """The readers of what is needed: for each value its statements, once for each operand."""
        self.readers, seen, waiting = {}, set(), list(self.out) + list(self.nothing)
        for node in self.out:
            self.readers.setdefault(node, []).append(None)  # a store
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            for source in node.sources + ([node.old] if node.old else []):
                self.readers.setdefault(source, []).append(node)
                waiting.append(source)
        for node in self.readers:
            self.readers[node].sort(key=lambda reader: -1 if reader is None else self.nodes.index(reader))
        return seen

    def copies(self):
        for node in self.nodes:
            for number, source in enumerate(node.sources):
                while source.op == "mov" and not source.guard:
                    source = source.sources[0]
                node.sources[number] = source
        for number, node in enumerate(self.out):
            while node.op == "mov" and not node.guard:
                node = node.sources[0]
            self.out[number] = node

    def could(self, product):
        """Whether all that reads a product are sums that can take it."""
        pair = TYPES[self.type].pair
        exact = [source.value for source in product.sources if source.op == "number"]
        if product.op != "mul" or product.guard or "sat" in product.words or ("rn" in product.words and self.type != "f32x2"):
            return False
        if len(exact) == 2 or (not pair and any(abs(value) == 1 for value in exact)):
            return False
        for reader in self.readers.get(product, []):
            if reader is None or not reader.is_sum or reader.old is product or reader.region != product.region or \
                    reader.sources.count(product) != 1 or ("rn" in reader.words and self.type != "f32x2") or \
                    ("ftz" in reader.words) != ("ftz" in product.words):
                return False
        return bool(self.readers.get(product))

    def contract(self):
        self.copies()
        needed = self.count()
        sums = [node for node in self.nodes if node in needed and node.is_sum]
        products = {node for node in self.nodes if node in needed and self.could(node)}
        for node in sums if not TYPES[self.type].pair else []:
            one, other = node.sources
            if node.op == "add" and one in products and other in products and set(one.sources) == set(other.sources):
                products -= {one, other}
        number = {node: len(self.readers[node]) for node in products}
        for alone in (False,) if TYPES[self.type].pair else (True, False):
            for node in sums:
                if not node.is_sum:
                    continue
                choices = [source for source in node.sources if source in products and (not alone or number[source] == 1)]
                if not choices:
                    continue
                taken = min(choices, key=number.get)  # the first of equals
                second = node.sources[1] is taken
                other = node.sources[0 if second else 1]
                products -= {other}
                node.product, node.minus, node.sources = (node.op, second), node.op == "sub", [*taken.sources, other]

    # ----- expressions and values -----

    def expression(self, node):
        if node.op == "in":
            return str(node.value)
        if node.op == "number":
            return f"{float(node.value):g}"
        inner = [self.expression(source) for source in node.sources]
        words = "".join(f".{word}" for word in ("ftz", "sat") if word in node.words)
        if node.product:
            op, second = node.product
            if op == "sub":
                inner[0 if second else 2] = ("-" + inner[0 if second else 2]).replace("--", "")
            text = f"fma{words}({','.join(inner)})"
        elif node.op in ("phi", "mov"):
            text = inner[0]
        else:
            text = f"{node.op}{words}({','.join(inner)})"
        return f"[{node.guard}?{text}:{self.expression(node.old)}]" if node.guard else text

    def value(self, lane, place):
        """The bits of a result in a thread, or None where they are not followed."""
        type_, group, known = TYPES[self.type], lane % THREADS, {}

        def part(node, half):
            if (node, half) not in known:
                known[node, half] = compute(node, half)
            return known[node, half]

        def compute(node, half):
            if node.guard:
                holds = lane & (1 if node.guard[-1] == "0" else 2) != 0
                if holds == (node.guard[0] == "!"):
                    return part(node.old, half)
            if node.op == "in":
                return self.values[group, INPUTS.index(node.value)][half] if node.value else None
            if node.op == "number":
                return type_.round(node.value) if node.value else node.value
            values = [part(source, half) for source in node.sources]
            if None in values:
                return None
            if node.product:
                op, second = node.product
                product = values[0] * values[1]
                value = product + values[2] if op == "add" else values[2] - product if second else product - values[2]
            else:
                value = {"mul": lambda x, y: x * y, "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "neg": lambda x: -x,
                         "fma": lambda x, y, z: x * y + z, "mov": lambda x: x, "phi": lambda x: x}[node.op](*values)
            value = type_.round(value)
            return value if "sat" not in node.words or value is None else max(fractions.Fraction(0), min(fractions.Fraction(1), value))
        halves = [part(self.out[place], half) for half in range(2 if type_.pair else 1)]
        if None in halves:
            return None
        return sum(type_.bits(half) << number * type_.width for number, half in enumerate(halves))


class Written(Program):
    """A line of the table: types | statements | what the results are."""

    def __init__(self, type_name, line):
        _, statements, self.expected = (part.strip() for part in line.split("|"))
        results = [part.split("=")[0].strip() for part in self.expected.split(" ; ")]
        super().__init__(type_name, statements, [part.strip() for part in statements.split(";") if part.strip()], results)
        found = " ; ".join(f"{name}={self.expression(node)}" for name, node in zip(results, self.out))
        if found != self.expected:
            raise SystemExit(f"the rules make {found} of `{statements}`, the table has {self.expected}")


class Random(Program):
    """A random program. What stands between statements and ends no region, or ends one, is among them."""

    BETWEEN = ("bar.warp.sync -1", "st.global.b32 [P+500], n0", "@p0 st.global.b32 [P+504], n0", "@p1 ld.volatile.global.b32 n5, [P+480]",
               "membar.cta", "ld.volatile.global.b32 n5, [P]", "div.rn.f32 s1, s0, s0; st.global.f32 [P+500], s1", "@p0 add.u32 n4, n0, n1; st.global.b32 [P+500], n4", "rem.u32 n5, n0, n1; st.global.b32 [P+500], n5",
               "sqrt.rn.f64 y1, y0; st.global.f64 [P+496], y1", "ex2.approx.ftz.f32 s2, s0", "@!p1 red.global.add.u32 [P+488], 1", "activemask.b32 n6",
               "shfl.sync.idx.b32 n7, n0, 0, 31, -1")

    def __init__(self, type_name, seed):
        rng = random.Random(f"{type_name} {seed}")
        names, statements, label, open_, guarded = list(INPUTS[:6]), [], 0, [], set()
        flush = rng.random() < 0.2 and type_name in ("f32", "f16", "f16x2", "f32x2")
        plain = rng.random() < 0.4

        def source():
            if type_name in ("f32", "f64") and rng.random() < 0.06:
                return rng.choice(("2.0", "0.75", "-0.375", "1.5"))
            return rng.choice(names[-6:] if rng.random() < 0.8 else names)
        for _ in range(rng.randrange(4, 18)):
            chance = rng.random()
            guard = rng.choice(("@p0 ", "@!p0 ", "@p1 ")) if not plain and rng.random() < 0.12 else ""
            if not plain and chance < 0.08:
                text = rng.choice(self.BETWEEN)
                if not open_ or ".sync" not in text:  # all lanes of the warp have to come
                    statements.append(text)
                continue
            if not plain and chance < 0.12 and not open_:
                label += 1
                open_ = [label, rng.randrange(1, 5)]
                statements.append(f"@{rng.choice(('', '!'))}p{rng.randrange(2)} bra L{label}")
                continue
            op = "mul" if chance < 0.55 else "add" if chance < 0.8 else "sub" if chance < 0.93 else "fma"
            words = ".rn" if op == "fma" or (rng.random() < 0.1 and type_name[0] != "b") else ""
            words += ".ftz" if flush and rng.random() < 0.9 and type_name != "f64" else ""
            words += ".sat" if rng.random() < 0.06 and type_name in ("f32", "f16", "f16x2") and op != "fma" else ""
            again = [name for name in names if name[0] == "t" and (guard or name not in guarded)]
            to = rng.choice(again) if again and (guard or (op == "mul" and rng.random() < 0.15)) else f"t{len([name for name in names if name[0] == 't']) + 1}"
            if guard and not again:
                continue
            sources = [source() for _ in range(3 if op == "fma" else 2)]
            if all(re.match(r"-?\d", text) for text in sources[:2]):
                sources[0] = "a"
            if rng.random() < 0.04:
                sources[1] = sources[0]
            if to in sources:  # the front-end does not see that nothing reads a value that only makes itself
                continue
            guarded |= {to} if guard else set()
            statements.append(f"{guard}{op}{words}.$ {to}, {', '.join(sources)}")
            if to not in names:
                names.append(to)
                if open_:  # it holds nothing where the branch was taken
                    statements.insert(0, f"mov.$$ {to}, {rng.choice(INPUTS[:6])}")
            if open_:
                open_[1] -= 1
                if not open_[1]:
                    statements.append(f"L{open_[0]}:")
                    open_ = []
        if open_:
            statements.append(f"L{open_[0]}:")
        written = [name for name in names if name[0] == "t"]
        results = rng.sample(written, min(len(written), rng.randrange(2, 7))) or ["a"]
        # what is written under a guard is read: the front-end does not see that nothing reads such a value
        results += sorted(guarded - set(results))
        super().__init__(type_name, f"{type_name} {seed}", statements, results)
