#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Makes a site with search of README, CONTRIBUTING, CHANGELOG and all pages, by Debian's mkdocs and its theme material, without
anything from the network. Links to files that are no pages become plain text. Usage: site.py OUTPUT [--prepare]; --prepare: only
writes the pages and mkdocs.yml into OUTPUT.work"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\]|`[^`]*`)*)\]\(([^)\s]+)\)")
IMAGE = re.compile(r'(<img src=")([^"]+)(")')
KEPT = {".md", ".csv", ".svg", ".png"}
# Pages outside docs/: where they stand in the site.
OUTSIDE = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changes.md",
           "apps/studies/replacement/README.md": "studies/replacement.md"}


def sources():
    """{path below ROOT: place in the site}"""
    found = dict(OUTSIDE)
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.suffix in KEPT and path.is_file() and "examples" not in path.parts:
            place = str(path.relative_to(ROOT / "docs"))
            found[str(path.relative_to(ROOT))] = place.replace("README.md", "pages.md") if "/" not in place else \
                place.replace("README.md", "index.md")
    return found


def rewrite(text, origin, place, places):
    """A page whose links lead from its place in the site."""
    def target_of(link):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link) or not path:
            return link
        aimed = os.path.normpath(os.path.join(os.path.dirname(origin), path))
        aimed = aimed if aimed in places else os.path.join(aimed, "README.md")
        if aimed not in places:
            return None
        return os.path.relpath(places[aimed], os.path.dirname(place) or ".") + ("#" + anchor if anchor else "")

    def link(match):
        aim = target_of(match[3])
        return f"{match[1]}[{match[2]}]({aim})" if aim else match[2]

    pieces = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    for i in range(0, len(pieces), 2):
        pieces[i] = LINK.sub(link, pieces[i])
        pieces[i] = IMAGE.sub(lambda match: match[1] + (target_of(match[2]) or match[2]) + match[3], pieces[i])
    return "".join(pieces)


def listed(places):
    """{heading: its pages}, from the tables of docs/README.md: Manual, Reference, Laboratory notes."""
    text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    found = {}
    for part in re.split(r"^## ", text, flags=re.M)[1:]:
        rows = [line.split("|")[1] for line in part.split("\n") if line.startswith("| [")]
        links = [match[3] for row in rows for match in LINK.finditer(row)]
        found[part.split("\n", 1)[0]] = [places[os.path.normpath("docs/" + link)] for link in links
                                         if os.path.normpath("docs/" + link) in places]
    return found


def navigation(places):
    """Manual, reference, laboratory as docs/README.md lists them; pages that it does not list are laboratory notes."""
    pages = listed(places)
    manual, reference = pages["Manual"], pages["Reference"]
    known = {"pages.md", *OUTSIDE.values(), *manual, *reference}
    rest = sorted(place for place in places.values() if place.endswith(".md") and place not in known)
    first = [place for place in rest if place.startswith("literature/")]
    return [{"Maniple": ["index.md", "pages.md"]}, {"Manual": manual}, {"Reference": reference},
            {"Laboratory": [place for place in rest if place not in first] + [{"Literature": first}]},
            {"Project": ["changes.md", "contributing.md"]}]


def prepare(work):
    places = sources()
    for origin, place in places.items():
        to = work / "pages" / place
        to.parent.mkdir(parents=True, exist_ok=True)
        if place.endswith(".md"):
            to.write_text(rewrite((ROOT / origin).read_text(encoding="utf-8"), origin, place, places), encoding="utf-8")
        else:
            shutil.copyfile(ROOT / origin, to)
    (work / "pages" / "site.css").write_text(
        ".md-grid{max-width:76rem}.md-typeset table:not([class]){font-size:.68rem;display:block;overflow-x:auto}"
        ".md-typeset img{background:#fff}.md-typeset td code{word-break:normal;white-space:nowrap}"
        # Links of the theme's own dark palette have a contrast of 1.9 to the page; these have 6.
        "[data-md-color-scheme=slate]{--md-typeset-a-color:#9fa8f5}\n")
    palette = [{"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo",
                "toggle": {"icon": "material/weather-night", "name": "Dark"}},
               {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo",
                "toggle": {"icon": "material/weather-sunny", "name": "Light"}}]
    settings = {"site_name": "Maniple", "docs_dir": "pages", "use_directory_urls": False, "nav": navigation(places),
                "extra_css": ["site.css"], "plugins": ["search"],
                "markdown_extensions": ["tables", "fenced_code", "toc", "md_in_html"],
                "theme": {"name": "material", "font": False, "palette": palette,
                          "features": ["navigation.tabs", "navigation.top", "search.highlight"]}}
    (work / "mkdocs.yml").write_text(json.dumps(settings, indent=1), encoding="utf-8")  # JSON is YAML


def main():
    output = pathlib.Path(sys.argv[1]).resolve()
    work = output.with_name(output.name + ".work")
    shutil.rmtree(work, ignore_errors=True)
    prepare(work)
    if "--prepare" in sys.argv:
        return
    if not shutil.which("mkdocs"):
        sys.exit("site.py: mkdocs is not installed; `make site` installs it, or apt-get install mkdocs mkdocs-material")
    subprocess.run(["mkdocs", "build", "--quiet", "--strict", "-f", work / "mkdocs.yml", "-d", output], check=True)
    shutil.rmtree(work)
    print(f"The site: {output}/index.html; search works where it is served: python3 -m http.server -d {output}")


main()
