# SPDX-License-Identifier: BSD-3-Clause
"""Tables that programs write into pages of docs/lab: what stands between two lines that mark them."""


def write_between(page, begin, end, lines):
    """Puts lines between the first line `begin` of a page (a Path) and the next line `end`, both with their line ends."""
    before, rest = page.read_text(encoding="utf-8").split(begin)
    page.write_text(before + begin + "".join(lines) + end + rest.split(end, 1)[1], encoding="utf-8")
