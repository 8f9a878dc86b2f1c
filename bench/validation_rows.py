# SPDX-License-Identifier: BSD-3-Clause
"""What `make validation` runs beside measurements of silicon: tables of rows, each of which `maniple correlate` runs, or which a
program prints (dsm, tma, pytorch). A row that is `quick` takes a few seconds at most."""
import collections
import csv
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE / "hopper")]
import applications
import dsm
import microbenchmarks
import pytorch as wheel

Row = collections.namedtuple("Row", "group name machine input measured quick arguments settings options simulated",
                             defaults=("", "", "", None))


class Missing(Exception):
    """Something that a table needs is not here."""


def read(measurements, name):
    path = measurements / name
    if not path.exists():
        raise Missing(f"{path} is not there")
    return list(csv.DictReader(open(path, newline="", encoding="utf-8")))


# ===== microbenchmarks =====

FILES = {"v100": "v100-microbenchmarks.csv", "a100": "a100-microbenchmarks.csv", "h100": "h100-apps.csv",
         "h200": "h200-microbenchmarks.csv"}
SOON = ("l1_lat", "shared_lat", "shared_bw", "l1_bw_64f", "shared_bank_conflicts", "MaxIops_int32")


def micro(options):
    """Programs of Accel-Sim's GPU_Microbenchmark suite as generated traces, by GPU."""
    for kind, file in FILES.items():
        machine, sms, l2, architecture = microbenchmarks.MACHINES[kind]
        for row in read(options.measurements, file):
            program = row["app"].partition("/")[0]
            if program in microbenchmarks.PROGRAMS:
                trace = " ".join(["tracegen"] + microbenchmarks.words_of(row["app"], sms, l2, architecture))
                yield Row(f"microbenchmarks, {kind.upper()}", f"{kind} {row['app']}", machine, trace, float(row["hw_gpc_cycles"]),
                          program in SOON, settings=" ".join(microbenchmarks.settings_of(kind)))


def empty(options):
    """Empty kernels of 1 to 65,536 CTAs on the H100 PCIe."""
    rows = [row for row in read(options.measurements, "h100-pcie-kernels.csv")
            if row["benchmark"] == "emptykernel" and row["core_mhz"] == "1755"]
    for i, row in enumerate(rows):
        yield Row("empty kernels, H100 PCIe", f"{row['block']} of {row['thread']}", "h100-pcie",
                  f"tracegen empty arch=90 blocks={row['block']} threads={row['thread']}",
                  float(row["duration_in_core_cycles"]), i % 40 == 7 and int(row["block"]) <= 8192,
                  settings="memcpy_warms_l2=true")


# ===== programs =====

def programs_of(options, folder):
    found = options.programs / folder if options.programs else None
    if not found or not found.is_dir():
        raise Missing(f"no programs in {found or 'PROGRAMS'} (bench/programs.sh builds them)")
    return found.resolve()


def polybench(options):
    """Five programs of Polybench on the H100 PCIe, as PTX and as machine code, at 1755 MHz (docs/lab/validation.md says why)."""
    folder = programs_of(options, "polybench")
    rows = [row for row in read(options.measurements, "h100-pcie-kernels.csv") if row["suite"] == "polybench"]
    for row in rows:
        size, block = int(row["size"]), row["blockDimX"]
        if size > 256 or block not in ("8", "16", "32"):
            continue
        cycles = float(row["duration_in_core_cycles"]) / float(row["core_mhz"]) * 1755
        for code, said in (("sass", "machine code"), ("ptx", "PTX")):
            yield Row(f"Polybench, {said}", f"{row['benchmark']} {block} {size} {code}", "h100-pcie", str(folder / row["benchmark"]),
                      cycles, size == 64 and block in ("8", "32"), f"-size {size} -blockDimX {block}",
                      "clock.core=1755MHz memcpy_warms_l2=true", f"--code {code}")


def rodinia(options):
    """Ten programs of Rodinia 2.0-ft on an H100, whose caches Nsight Compute empties before each kernel."""
    folder = programs_of(options, "rodinia")
    measured = {row["app"].split("-rodinia")[0]: float(row["hw_gpc_cycles"])
                for row in read(options.measurements, "h100-apps.csv")}
    for mhz in (1980, 1590):
        clocks = " ".join(f"clock.{name}={mhz}MHz" for name in ("core", "noc", "l2")) if mhz != 1980 else ""
        for code, said in (("sass", "machine code"), ("ptx", "PTX"), ("unrolled", "PTX with ptx.unroll")):
            settings = f"host.slack=2MiB launch.flush_l2=true {'ptx.unroll=true ' if code == 'unrolled' else ''}{clocks}".strip()
            for name, arguments in applications.PROGRAMS.items():
                quick = code == "sass" and mhz == 1980 and name in ("backprop", "hotspot", "heartwall", "nn", "pathfinder")
                yield Row(f"Rodinia, {said}, {mhz:,} MHz", f"{name} {code} {mhz}", "h100-sxm", f"./{name}", measured[name], quick,
                          arguments, settings, f"--code {'sass' if code == 'sass' else 'ptx'}")


rodinia.runs_in = "rodinia"


# ===== what programs print =====

def clusters(options):
    """Shared memory of other blocks, mbarriers, bulk copies (bench/hopper/dsm.cu)."""
    path = options.measurements / "hopper-microbenchmarks.csv"
    read(options.measurements, path.name)
    for machine, gpu in (("h800-pcie", "H800 PCIe"), ("h200", "H200 NVL"), ("h100-sxm", "H100 SXM")):
        parts = ["single"] if options.quick else ["pairs", "single"] if machine == "h800-pcie" else ["pairs", "bandwidth", "single"]
        for row, cycles in dsm.compare(dsm.simulate(options.build, machine, parts), path, machine):
            name = f"{row['benchmark']} {row['parameters']}".strip()
            group = "bytes per cycle between SMs" if row["unit"] != "cycles" else "latencies between SMs"
            yield Row(f"{group}, {gpu}", name, machine, "", float(row["value"]), options.quick,
                      simulated=float(cycles))


def tma(options):
    """Copies of the tensor memory accelerator, one in flight in each of 228 blocks (bench/hopper/tma.cu)."""
    program = programs_of(options, "hopper") / "tma"
    rows = read(options.measurements, "hopper-microbenchmarks.csv")
    done = subprocess.run([options.build / "maniple", "run", "-q", "--machine", "h800-pcie", "--set",
                           "memcpy_warms_l2=true", "-o", options.build / "validation" / "tma",
                           "--", program, "quick" if options.quick else "all"], capture_output=True, text=True)
    printed = dict(re.findall(r"^(\S.*): ([\d.]+) cycles$", done.stdout, re.M))
    if not printed:
        raise Missing(f"{program} says nothing: {done.stderr.strip()[-200:]}")
    for row in rows:
        found = re.match(r"blocks=228 of 1 thread, (?:box (\S+) f32, )?(\d+) KB per copy", row["parameters"])
        if row["area"] != "tma" or row["gpu"] != "H800 PCIe" or not found:
            continue
        rank = 0 if row["benchmark"] == "cp.async.bulk" else int(row["benchmark"][-2])
        name = f"{rank}d {found[1]}" if rank else f"no map {found[2]} KiB"
        if name in printed:  # 4 GiB are read; one copy of each block after the other
            cycles = float(row["value"]) * 1e-3 * 228 * int(found[2]) * 1024 / (1 << 32) * 1755e6
            yield Row("TMA copies, H800 PCIe", name, "h800-pcie", "", cycles, options.quick, simulated=float(printed[name]))
    chain = [float(row["value"]) for row in rows if row["benchmark"] == "TMA load, dependent chase" and row["gpu"] == "H800 PCIe" and
             row["parameters"] == "data set 82 kB"]
    if chain and "chase" in printed:
        yield Row("TMA copies, H800 PCIe", "chain of 16 bytes in the L2", "h800-pcie", "", chain[0], options.quick,
                  simulated=float(printed["chase"]))


# ===== PyTorch's wheel =====

def pytorch(options):
    """PyTorch's own kernels on V100, T4 and A100, in single precision: microseconds between two events, the host's part included."""
    read(options.measurements, "pytorch-fp32.csv")
    programs_of(options, "pytorch")
    half, only = ("seen", "V100") if options.quick else ("all", "")
    pairs = list(wheel.run(options.build, options.measurements, options.programs.resolve(), half, only, options.jobs))
    if not options.quick and not options.check:
        wheel.write(pairs)
    for row, found in pairs:
        yield Row(f"PyTorch's own kernels, {row.gpu}", f"{row.op} {row.batch} {row.width}", wheel.MACHINES[row.gpu], "", row.time,
                  options.quick, simulated=found["us"] + wheel.host_of(row.op) if found else None)


TABLES = {"micro": micro, "empty": empty, "polybench": polybench, "rodinia": rodinia, "clusters": clusters, "tma": tma, "pytorch": pytorch}
