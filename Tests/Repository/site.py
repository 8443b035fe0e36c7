"""Checks a static site that docc made: links and images lead to files, and pages in a browser are not blank.

Usage: site.py SITE PICTURES [--only-links]

Pages are shown by chromium, if there is one, at two widths; their pictures are kept in the folder PICTURES.
"""

import functools
import http.server
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import threading
import zlib

PAGES = ["sediment/gettingstarted", "sediment/figures", "shallows/composingstorages"]
WIDTHS = [1280, 420]
# A page with text has far more shades than a blank one, which has its background and the frame.
LEAST_DARK_SHARE = 0.002


def references(value):
    """Yields each reference to a page or an image in a page's data."""
    if isinstance(value, dict):
        if value.get("type") in ("topic", "link", "section") and isinstance(value.get("url"), str):
            yield "page", value["url"]
        for variant in value.get("variants", []) if value.get("type") in ("image", "video") else []:
            yield "image", variant["url"]
        for part in value.values():
            yield from references(part)
    elif isinstance(value, list):
        for part in value:
            yield from references(part)


def check_links(site):
    """Returns a line for each reference that leads nowhere, and the number of pages."""
    findings, count = [], 0
    for page in sorted((site / "data").rglob("*.json")):
        count += 1
        for kind, url in references(json.loads(page.read_text())):
            if url.startswith(("http:", "https:", "mailto:")):
                continue
            path = url.split("#")[0].lstrip("/")
            target = site / path if kind == "image" else site / "data" / f"{path}.json"
            # A chapter of tutorials has no page of its own: it is a part of their table of contents.
            if path.startswith("tutorials/") and target.parent.with_suffix(".json").exists():
                continue
            if path and not target.exists():
                findings.append(f"{page.relative_to(site)}: {kind} {url} is not there")
    return sorted(set(findings)), count


def pixels(png):
    """Yields the lines of a picture of 8 bits a channel, as bytes, and how many bytes a pixel has."""
    data, position, parts = png.read_bytes(), 8, []
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position:position + 8])
        body = data[position + 8:position + 8 + length]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", body[:10])
            assert depth == 8, depth
            size = {2: 3, 6: 4}[color]
        elif kind == b"IDAT":
            parts.append(body)
        position += length + 12
    raw, stride, before = zlib.decompress(b"".join(parts)), width * size, bytearray(width * size)
    for row in range(height):
        rule, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        for at in range(stride):
            left = line[at - size] if at >= size else 0
            above = before[at]
            corner = before[at - size] if at >= size else 0
            if rule == 1:
                line[at] = (line[at] + left) & 255
            elif rule == 2:
                line[at] = (line[at] + above) & 255
            elif rule == 3:
                line[at] = (line[at] + (left + above) // 2) & 255
            elif rule == 4:
                guess = left + above - corner
                nearest = min((left, above, corner), key=lambda one: abs(guess - one))
                line[at] = (line[at] + nearest) & 255
        before = line
        yield line, size


def dark_share(png):
    """Returns the share of pixels that are darker than any background."""
    dark = total = 0
    for line, size in pixels(png):
        greens = line[1::size]
        total += len(greens)
        dark += sum(1 for green in greens if green < 110)
    return dark / total


def browse(chromium, address, width, picture):
    """Takes a picture of a page, and returns the text of its document."""
    options = [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
               "--virtual-time-budget=20000", f"--window-size={width},900"]
    subprocess.run([*options, f"--screenshot={picture}", address], check=True, capture_output=True, timeout=120)
    return subprocess.run([*options, "--dump-dom", address], check=True, capture_output=True, timeout=120,
                          text=True).stdout


def check_pages(site, pictures, chromium):
    """Returns a line for each page that a browser shows as blank or without its title."""
    findings = []
    pictures.mkdir(parents=True, exist_ok=True)

    class Handler(http.server.SimpleHTTPRequestHandler):
        missing = []

        def log_message(self, *_):
            pass

        def send_error(self, code, *rest):
            Handler.missing.append(f"{self.path}: {code}")
            super().send_error(code, *rest)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for page in PAGES:
        title = json.loads((site / f"data/documentation/{page}.json").read_text())["metadata"]["title"]
        for width in WIDTHS:
            picture = pictures / f"{page.replace('/', '-')}-{width}.png"
            address = f"http://127.0.0.1:{server.server_port}/documentation/{page}/"
            document = browse(chromium, address, width, picture)
            if title not in document:
                findings.append(f"{page} at {width}: the title \"{title}\" is not shown")
            if dark_share(picture) < LEAST_DARK_SHARE:
                findings.append(f"{page} at {width}: the page is blank, see {picture}")
    server.shutdown()
    # Pages that nobody made ask for these.
    allowed = ("/favicon.ico", "/theme-settings.json", "/apple-logo.svg")
    findings += [f"missing: {line}" for line in sorted(set(Handler.missing)) if not line.startswith(allowed)]
    return findings


def main():
    site, pictures = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    findings, count = check_links(site)
    print(f"{count} pages, {len(findings)} links that lead nowhere")
    chromium = shutil.which("chromium")
    if chromium and "--only-links" not in sys.argv:
        shown = check_pages(site, pictures, chromium)
        print(f"{len(PAGES) * len(WIDTHS)} pictures in {pictures}, {len(shown)} findings")
        findings += shown
    for finding in findings:
        print(f"error: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
