# SPDX-License-Identifier: BSD-3-Clause
"""PyTorch's torch.linalg on the simulated GPU beside the processor: factors, systems, inverses, eigenvalues, singular values,
forward and backward. Factors that are not unique are compared by their products. Arguments: names of cases (all)."""
import sys

import torch

torch.manual_seed(0)
linalg = torch.linalg
cases = []  # name, work, inputs, tolerance, whether gradients are compared


def case(name, work, *inputs, tolerance=2e-4, backward=True):
    cases.append((name, work, inputs, tolerance, backward))


def general(*shape, dtype=torch.float32):
    return torch.randn(*shape, dtype=dtype)


def positive(n, batch=(), dtype=torch.float32):
    a = torch.randn(*batch, n, n, dtype=dtype)
    return a @ a.mH / n + torch.eye(n, dtype=dtype)


def of_svd(a):
    u, s, v = linalg.svd(a, full_matrices=False)
    return s, (u * s.unsqueeze(-2)) @ v


def all_of_svd(a):
    u, s, v = linalg.svd(a)
    return s, u.mH @ u, v @ v.mH


def of_eigh(a):
    values, vectors = linalg.eigh(a)
    return values, (vectors * values.unsqueeze(-2)) @ vectors.mH


def of_qr(a):
    q, r = linalg.qr(a)
    return q @ r, r.abs()


def of_lu(a):
    p, l, u = linalg.lu(a)
    return p @ l @ u, u


def of_lu_solve(a, b):
    factors, pivots = linalg.lu_factor(a)
    return linalg.lu_solve(factors, pivots, b), linalg.lu_solve(factors, pivots, b, adjoint=True)


for kind in (torch.float32, torch.float64, torch.complex64):
    word = str(kind)[6:]
    tight = 1e-8 if kind == torch.float64 else 1e-3
    for n, batch in ((1, ()), (12, ()), (33, ()), (6, (3,)), (5, (2, 2))):
        if kind != torch.float32 and n not in (12, 6):
            continue
        label = f"{word} {n} {list(batch)}"
        square, spd, side = general(*batch, n, n, dtype=kind) + 3 * torch.eye(n, dtype=kind), positive(n, batch, kind), \
            general(*batch, n, 3, dtype=kind)
        case(f"cholesky {label}", linalg.cholesky, spd, tolerance=tight)
        case(f"solve {label}", linalg.solve, square, side, tolerance=tight)
        case(f"inv {label}", linalg.inv, square, tolerance=tight)
        case(f"det {label}", linalg.det, square / 3, tolerance=tight)
        case(f"slogdet {label}", linalg.slogdet, square, tolerance=tight)
        case(f"lu {label}", of_lu, square, tolerance=tight)
        case(f"lu_solve {label}", of_lu_solve, square, side, tolerance=tight)
        case(f"eigh {label}", of_eigh, spd, tolerance=tight)
        case(f"eigvalsh {label}", linalg.eigvalsh, spd, tolerance=tight)
        case(f"qr {label}", of_qr, square, tolerance=tight)
        case(f"svd {label}", of_svd, square, tolerance=tight)
        case(f"cholesky_solve {label}", lambda b, a: torch.cholesky_solve(b, linalg.cholesky(a)), side, spd, tolerance=tight)
        case(f"solve_triangular {label}", lambda a, b: linalg.solve_triangular(a.triu(), b, upper=True), square, side,
             tolerance=tight)
for shape in ((9, 4), (4, 9), (20, 8), (3, 7, 5), (2, 5, 7)):
    case(f"svd {shape}", of_svd, general(*shape), backward=False)
    case(f"all of svd {shape}", all_of_svd, general(*shape), backward=False)
    case(f"svdvals {shape}", linalg.svdvals, general(*shape))
    case(f"qr {shape}", of_qr, general(*shape), backward=shape[-2] >= shape[-1])
    case(f"pinv {shape}", linalg.pinv, general(*shape), tolerance=2e-3)
    case(f"matrix_rank {shape}", linalg.matrix_rank, general(*shape[:-1], 2) @ general(2, shape[-1]), backward=False)
    case(f"cond {shape}", linalg.cond, general(*shape), tolerance=2e-3, backward=False)
    if shape[-2] >= shape[-1]:
        case(f"lstsq {shape}", lambda a, b: linalg.lstsq(a, b).solution, general(*shape), general(*shape[:-1], 2), tolerance=2e-3,
             backward=False)
for driver in ("gesvd", "gesvdj", "gesvda"):
    case(f"svd by {driver}", lambda a, d=driver: torch.linalg.svd(a.double(), full_matrices=False, driver=d if a.is_cuda else None)[1],
         general(12, 7))
    case(f"svdvals by {driver}", lambda a, d=driver: linalg.svdvals(a, driver=d if a.is_cuda else None), general(2, 12, 7))
case("householder_product", lambda a: linalg.householder_product(*torch.geqrf(a)), general(8, 5), backward=False)
case("ormqr", lambda a, b: torch.ormqr(*torch.geqrf(a), b, transpose=True), general(8, 5), general(8, 3), backward=False)
case("cholesky_inverse", lambda a: torch.cholesky_inverse(linalg.cholesky(a)), positive(9))
case("matrix_exp", linalg.matrix_exp, general(6, 6))
case("solve_ex of a singular one", lambda a: linalg.solve_ex(a, a[:, :1])[1], torch.zeros(4, 4), backward=False)
case("cholesky_ex", lambda a: linalg.cholesky_ex(a)[1], -torch.eye(4), backward=False)


def listed(results):
    return [x.detach().cpu() for x in (results if isinstance(results, (tuple, list)) else (results,))]


def run(work, inputs, device, backward):
    """Results, and behind them gradients of a weighted sum of them."""
    inputs = [x.to(device).detach().requires_grad_(backward) for x in inputs]
    results = work(*inputs)
    if not backward:
        return listed(results)
    results = results if isinstance(results, (tuple, list)) else (results,)
    total = 0
    for i, result in enumerate(results):
        if result.requires_grad:
            weights = torch.linspace(0.5, 1.5, result.numel()).reshape(result.shape).to(device)
            total = total + (result.abs().square() * weights).sum() / (i + 1)
    total.backward()
    return listed(results) + [x.grad.detach().cpu() for x in inputs]


failed = count = 0
for name, work, inputs, tolerance, backward in cases:
    if sys.argv[1:] and not any(name.startswith(argument) for argument in sys.argv[1:]):
        continue
    count += 1
    try:
        expected, found = run(work, inputs, "cpu", backward), run(work, inputs, "cuda", backward)
        for one, other in zip(expected, found, strict=True):
            size = max(1.0, float(one.abs().max())) if one.numel() else 1.0
            error = float((one - other).abs().max()) / size if one.numel() else 0.0
            if one.shape != other.shape or not error <= tolerance:
                raise ArithmeticError(f"{error:.2g} beside the processor")
    except Exception as error:  # pylint: disable=broad-except
        failed += 1
        print(f"wrong: {name}: {str(error).splitlines()[0]}", flush=True)
print(f"{count - failed} of {count} cases")
print("wrong" if failed else "right")
