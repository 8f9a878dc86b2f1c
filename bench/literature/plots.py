# SPDX-License-Identifier: BSD-3-Clause
"""Plots as SVG: curves over a number of threads or cores, and bars for each workload. Readable in light and dark.

What was measured or simulated is drawn solid, what was predicted dashed and hollow, what a paper reports in grey with squares. Labels
stand where curves end, so that no colour has to be told from another one."""
import html
import math

LIGHT = ["#1b6ca8", "#c23b52", "#2a7a3b", "#7d4b9a", "#a86400", "#00707e", "#7a4419", "#b0419a", "#55701c", "#3b4cc0"]
DARK = ["#6db3e8", "#f08a9b", "#7ccf8c", "#c79be0", "#e5b25d", "#5cc6d3", "#d39a6e", "#ea93d4", "#b3cc74", "#9aa7f5"]
KINDS = ("measured", "simulated", "predicted", "paper")
SOLID = ("measured", "simulated")


def head(width, height, title):
    colours = "".join(f".c{i}{{--c:{c}}}" for i, c in enumerate(LIGHT))
    dark = "".join(f".c{i}{{--c:{c}}}" for i, c in enumerate(DARK))
    return [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            'font-family="sans-serif" font-size="11" role="img">', f"<title>{html.escape(title)}</title>",
            "<style>svg{--back:#fff;--text:#222;--grid:#ddd;--paper:#777}" + colours +
            "@media(prefers-color-scheme:dark){svg{--back:#16181c;--text:#e4e4e4;--grid:#3a3d42;--paper:#a0a0a0}" + dark +
            "}.b{fill:var(--back)}text{fill:var(--text)}.g{stroke:var(--grid)}.l{fill:none;stroke:var(--c);stroke-width:1.7}"
            ".f{fill:var(--c);stroke:var(--c)}.h{fill:var(--back);stroke:var(--c);stroke-width:1.5}.t{fill:var(--c)}"
            ".p{--c:var(--paper)}</style>",
            '<rect class="b" width="100%" height="100%"/>',
            f'<text x="12" y="18" font-size="13">{html.escape(title)}</text>']


def ticks(low, high, logarithmic):
    """Round values from low to high."""
    if logarithmic:
        base = 10 if high / low > 100 else 2
        value, found = base ** math.floor(math.log(low, base) + 1e-9), []
        while value <= high * 1.0001:
            if value >= low * 0.9999:
                found.append(value)
            value *= base
        return found
    step = 10 ** math.floor(math.log10(max(high - low, 1e-9)))
    while (high - low) / step < 4:
        step /= 2
    return [low + i * step for i in range(int((high - low) / step + 1e-6) + 1)]


def label(value):
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:g}"


def style(kind, colour):
    """Class, dashes and the shape of points."""
    if kind == "paper":
        return "p", ' stroke-dasharray="1.5 3"'
    return f"c{colour % len(LIGHT)}", ' stroke-dasharray="6 3"' if kind == "predicted" else ""


def point(x, y, kind):
    if kind == "paper":
        return f'<rect class="h" x="{x - 2.5:.1f}" y="{y - 2.5:.1f}" width="5" height="5"/>'
    return f'<circle class="{"h" if kind == "predicted" else "f"}" cx="{x:.1f}" cy="{y:.1f}" r="2.8"/>'


def legend(out, x, y, kinds):
    """What solid, dashed and dotted mean, of those that are there."""
    for kind in (kind for kind in KINDS if kind in kinds):
        name, dashes = style(kind, 0)
        name = "p" if kind == "paper" else "c6"
        out.append(f'<g class="{name}"><path class="l"{dashes} d="M{x} {y - 4}h24"/>{point(x + 12, y - 4, kind)}</g>'
                   f'<text x="{x + 30}" y="{y}">{kind}</text>')
        x += 100


def spread(places, least, bottom):
    """Labels that lie on one another are moved apart, downwards, and up again where the plot ends."""
    places.sort(key=lambda place: place[0])
    for i in range(1, len(places)):
        places[i][0] = max(places[i][0], places[i - 1][0] + least)
    for i in range(len(places) - 1, -1, -1):
        places[i][0] = min(places[i][0], (places[i + 1][0] if i + 1 < len(places) else bottom + least) - least)


def curves(title, x_axis, y_axis, series, log_y=False, low=None, high=None):
    """Series: (label, kind, [(x, y)]); the x axis is logarithmic to base 2, with a mark at each x."""
    series = [(name, kind, sorted(points)) for name, kind, points in series if points]
    if not series:
        return None
    width, height, left, top, right, bottom = 620, 360, 58, 48, 150, 44
    across, down = width - left - right, height - top - bottom
    xs = sorted({x for _, _, points in series for x, _ in points})
    ys = [y for _, _, points in series for _, y in points if y > 0 or not log_y]
    low = low if low is not None else (min(ys) if log_y else 0)
    high = max(ys + [low * 2 if log_y else low + 1e-9]) if high is None else high
    if log_y:
        low, high = 10 ** math.floor(math.log10(low)) if high / low > 100 else low, high
    span = math.log2(xs[-1] / xs[0]) or 1
    at_x = lambda x: left + across * math.log2(x / xs[0]) / span
    share = lambda y: math.log(max(y, low) / low) / math.log(high / low) if log_y else (y - low) / (high - low)
    at_y = lambda y: top + down * (1 - min(max(share(y), 0), 1))
    out, last = head(width, height, title), -99
    for x in xs:
        if at_x(x) - last > 20:
            last = at_x(x)
            out.append(f'<text x="{last:.1f}" y="{top + down + 16}" text-anchor="middle">{label(x)}</text>')
        out.append(f'<path class="g" d="M{at_x(x):.1f} {top}v{down}"/>')
    for y in ticks(low, high, log_y):
        out.append(f'<path class="g" d="M{left} {at_y(y):.1f}h{across}"/><text x="{left - 6}" y="{at_y(y) + 4:.1f}" '
                   f'text-anchor="end">{label(y)}</text>')
    out.append(f'<text x="{left + across / 2}" y="{height - 8}" text-anchor="middle">{html.escape(x_axis)}</text>')
    out.append(f'<text transform="translate(13 {top + down / 2}) rotate(-90)" text-anchor="middle">{html.escape(y_axis)}</text>')
    legend(out, left, 36, {kind for _, kind, _ in series})
    places, names = [], []
    for name, kind, points in series:
        if name not in names:
            names.append(name)
        colour, dashes = style(kind, names.index(name))
        line = "L".join(f"{at_x(x):.1f} {at_y(y):.1f}" for x, y in points)
        out.append(f'<g class="{colour}"><path class="l"{dashes} d="M{line}"/>' +
                   "".join(point(at_x(x), at_y(y), kind) for x, y in points) + "</g>")
        if not any(place[2] == name and place[3] == colour for place in places):
            places.append([at_y(points[-1][1]), at_x(points[-1][0]), name, colour])
    spread(places, 12, top + down)
    for y, x, name, colour in places:
        out.append(f'<text class="{colour} t" style="fill:var(--c)" x="{max(x, left + across) + 8:.1f}" y="{y + 4:.1f}">{html.escape(name)}</text>')
    return "\n".join(out + ["</svg>", ""])


def bars(title, y_axis, categories, series, log_y=False, low=None, stacked=False):
    """Series: (label, kind, [value or None for each category])."""
    values = [v for _, _, column in series for v in column if v]
    if not values:
        return None
    each = max(26, (1 if stacked else len(series)) * 9 + 8)
    left, top, down, bottom = 58, 48 + 16 * len(series), 220, 24 + round(5 * max(len(name) for name in categories))
    width, height = max(left + each * len(categories) + 24, 420), top + down + bottom
    low = low if low is not None else (10 ** math.floor(math.log10(min(values))) if log_y else 0)
    high = max(sum(column[i] or 0 for _, _, column in series) for i in range(len(categories))) if stacked else max(values)
    high = 10 ** math.ceil(math.log10(high)) if log_y else high
    share = lambda y: math.log(max(y, low) / low) / math.log(high / low) if log_y else (y - low) / (high - low)
    out, across = head(width, height, title), each * len(categories)
    for y in ticks(low, high, log_y):
        at = top + down * (1 - share(y))
        out.append(f'<path class="g" d="M{left} {at:.1f}h{across}"/><text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">'
                   f"{label(y)}</text>")
    for s, (name, kind, _) in enumerate(series):
        colour, dashes = style(kind, s)
        out.append(f'<g class="{colour}"><rect class="{"f" if kind in SOLID else "h"}"{dashes} x="{left}" y="{30 + 16 * s}" '
                   f'width="14" height="9"/></g><text x="{left + 20}" y="{39 + 16 * s}">{html.escape(name)}'
                   + ("" if {kind} == {other for _, other, _ in series} <= set(SOLID) else f" ({kind})") + "</text>")
    base = [0.0] * len(categories)
    for c, category in enumerate(categories):
        for s, (_, kind, column) in enumerate(series):
            if not column[c]:
                continue
            colour, dashes = style(kind, s)
            x = left + each * c + 4 + (0 if stacked else s * 9)
            size = down * (share(column[c]) if not stacked else column[c] / high)
            y = top + down - size - base[c]
            base[c] += size if stacked else 0
            out.append(f'<g class="{colour}"><rect class="{"f" if kind in SOLID else "h"}"{dashes} x="{x:.1f}" y="{y:.1f}" '
                       f'width="{each - 8 if stacked else 8}" height="{max(size, 0.5):.1f}"/></g>')
        x = left + each * (c + 0.5) + 3
        out.append(f'<text transform="translate({x:.1f} {top + down + 10}) rotate(-50)" text-anchor="end">{html.escape(category)}</text>')
    out.append(f'<text transform="translate(13 {top + down / 2}) rotate(-90)" text-anchor="middle">{html.escape(y_axis)}</text>')
    return "\n".join(out + ["</svg>", ""])


def scatter(title, x_axis, y_axis, points):
    """Points: (label, kind, x, y), with a logarithmic x axis."""
    if not points:
        return None
    width, height, left, top, right, bottom = 620, 360, 58, 48, 30, 44
    across, down = width - left - right, height - top - bottom
    low = 10 ** math.floor(math.log10(min(p[2] for p in points)))
    high = 10 ** math.ceil(math.log10(max(p[2] for p in points) * 1.0001))
    most = max(p[3] for p in points) * 1.05
    at_x = lambda x: left + across * math.log(x / low) / math.log(high / low)
    out = head(width, height, title)
    for x in ticks(low, high, True):
        out.append(f'<path class="g" d="M{at_x(x):.1f} {top}v{down}"/><text x="{at_x(x):.1f}" y="{top + down + 16}" '
                   f'text-anchor="middle">{label(x)}</text>')
    for y in ticks(0, most, False):
        at = top + down * (1 - y / most)
        out.append(f'<path class="g" d="M{left} {at:.1f}h{across}"/><text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">'
                   f"{label(y)}</text>")
    for name, kind, x, y in points:
        at = top + down * (1 - y / most)
        out.append(f'<g class="{style(kind, 0)[0]}">{point(at_x(x), at, kind)}</g><text x="{at_x(x) + 5:.1f}" y="{at - 4:.1f}" '
                   f'font-size="9">{html.escape(name)}</text>')
    legend(out, left, 36, {kind for _, kind, _, _ in points})
    out.append(f'<text x="{left + across / 2}" y="{height - 8}" text-anchor="middle">{html.escape(x_axis)}</text>')
    out.append(f'<text transform="translate(13 {top + down / 2}) rotate(-90)" text-anchor="middle">{html.escape(y_axis)}</text>')
    return "\n".join(out + ["</svg>", ""])
