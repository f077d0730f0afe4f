#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `convert` writes, opened by the programs that it is written for: they say the figures that our readers say.

usage: viewers.py PROFVIEW LOG.gz FOLDER

FOLDER gets what npm has of them. A program that is not to be had is named as skipped; screenshots and files stay
in FOLDER/out. Environment: CHROMIUM, the browser's command.
"""
import collections
import functools
import gzip
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import exports    # noqa: E402  pylint: disable=wrong-import-position
import target    # noqa: E402  pylint: disable=wrong-import-position
from verdict import Verdict    # noqa: E402  pylint: disable=wrong-import-position

PACKAGES = {'@firefox-devtools/profiler-cli': '0.10.0', 'pprof-format': '2.3.2', 'speedscope': '1.25.0', 'ajv': '8'}
LIMIT = 120    # seconds, of each program
BROWSER = ('--headless=new --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader '
           '--enable-unsafe-swiftshader --virtual-time-budget=8000 --window-size=1200,700').split()

# Sums by type, and of each by thread's label: {type: [all, {thread: sum}]}.
PPROF_JS = '''
const fs = require('fs'), zlib = require('zlib'), {Profile} = require(process.argv[2]);
const p = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[3])));
const text = i => p.stringTable.strings[Number(i)];
const out = {};
p.sampleType.forEach((type, i) => {
  let all = 0n; const threads = {};
  for (const s of p.sample) {
    all += BigInt(s.value[i]);
    const label = Object.fromEntries(s.label.map(l => [text(l.key), text(l.str)]));
    const who = 'tid' in label ? `thread ${label.thread} ${label.tid}` : 'other threads';
    threads[who] = Number(BigInt(threads[who] || 0) + BigInt(s.value[i]));
  }
  out[text(type.type) + '/' + text(type.unit)] = [Number(all), threads];
});
console.log(JSON.stringify({sums: out, functions: [...new Set(p.function.map(f => text(f.name)))]}));
'''
SCHEMA_JS = '''
const fs = require('fs'), Ajv = require(process.argv[2]).default;
const check = new Ajv({strict: false}).compile(JSON.parse(fs.readFileSync(process.argv[3])));
console.log(JSON.stringify(check(JSON.parse(fs.readFileSync(process.argv[4]))) ? [] : check.errors));
'''
# In the page itself, with the events that a person's keyboard and mouse make.
DRIVE = '''<script>window.addEventListener('load', () => setTimeout(() => {
  const get = id => document.getElementById(id), said = {}, {p, s} = window.view;
  get('search').value = 'Shop';
  get('search').dispatchEvent(new Event('input', {bubbles: true}));
  said.found = get('found').textContent;
  said.whole = get('line').textContent;
  const box = get('canvas').getBoundingClientRect(), deep = [...p.depth.keys()].find(i => p.depth[i] === 2);
  get('canvas').dispatchEvent(new MouseEvent('click', {bubbles: true,
    clientX: box.left + box.width * (p.from[deep] + p.total[deep] / 2) / p.all, clientY: box.top + 18 * 2 + 9}));
  said.zoomed = s.zoom === deep;
  said.line = get('line').textContent;
  get('functions').click();
  said.rows = get('table').querySelectorAll('tr').length;
  get('measure').selectedIndex = 1;
  get('measure').dispatchEvent(new Event('change', {bubbles: true}));
  get('reset').click();
  said.other = get('line').textContent;
  const tag = document.createElement('pre'); tag.id = 'said'; tag.textContent = JSON.stringify(said);
  document.body.append(tag);
}, 100));</script>'''


class Tools:
    def __init__(self, profview, log, folder):
        self.folder, self.out, self.v, self.skipped = folder, folder / 'out', Verdict('viewers'), []
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir(parents=True)
        self.profview, self.log = profview, self.out / 'log.mlpd'
        self.log.write_bytes(gzip.decompress(pathlib.Path(log).read_bytes()))
        self.node, self.browser = shutil.which('node'), os.environ.get('CHROMIUM') or shutil.which('chromium')
        self.modules = self.folder / 'node_modules'

    def convert(self, ending, *words):
        path = self.out / f'log{"-".join(("", *words[1:]))}.{ending}'
        if path.exists():
            return path
        subprocess.run([self.profview, 'convert', '-o', path, *words, self.log], check=True, timeout=LIMIT,
                       capture_output=True)
        return path

    def install(self):
        """What npm has; False: it cannot be reached."""
        npm = shutil.which('npm')
        if not self.node or not npm:
            return False
        if not all((self.modules / name).exists() for name in PACKAGES):
            done = subprocess.run([npm, 'install', '--no-audit', '--no-fund', '--prefix', self.folder,
                                   *(f'{name}@{version}' for name, version in PACKAGES.items())],
                                  capture_output=True, text=True, timeout=5 * LIMIT, check=False)
            if done.returncode:
                print(done.stderr[-300:])
        return all((self.modules / name).exists() for name in PACKAGES)

    def script(self, text, *words):
        done = subprocess.run([self.node, '-e', text, 'script', *map(str, words)], capture_output=True, text=True,
                              timeout=LIMIT, check=False)
        self.v.equal(f'{words[-1].name}: complaint', (done.returncode, done.stderr), (0, ''))
        return json.loads(done.stdout or 'null')

    def page(self, url, shot):
        """The document after its scripts ran, and a picture of it."""
        def run(*words):
            return subprocess.run([self.browser, *BROWSER, f'--user-data-dir={self.out / "browser"}', *words, url],
                                  capture_output=True, text=True, timeout=LIMIT, check=False).stdout
        run(f'--screenshot={self.out / shot}')
        self.v.true(f'{shot}: a picture', (self.out / shot).stat().st_size > 10000)
        return run('--dump-dom')


def pprof(t):
    """npm's pprof-format: sums by type and by the label of the thread, names that stay apart."""
    path = t.convert('pb.gz')
    found = exports.pprof(path.read_bytes())
    theirs = t.script(PPROF_JS, t.modules / 'pprof-format', path)
    sums = {exports.PPROF_TYPES[tuple(name.split('/'))]: value for name, value in theirs['sums'].items()}
    t.v.equal('pprof: measures', sorted(sums), sorted(found))
    for measure, threads in found.items():
        t.v.equal(f'pprof {measure}: sum', sums[measure][0], sum(threads[None].values()))
        own = {name: sum(stacks.values()) for name, stacks in threads.items() if name and stacks}
        t.v.same_rows(f'pprof {measure}: threads', {name: n for name, n in sums[measure][1].items() if n}, own)
    names = {f for threads in found.values() for stack in threads[None] for f in stack}
    t.v.true('pprof: functions', set(theirs['functions']) <= names and len(names) > 20, set(theirs['functions']) - names)


def firefox(t):
    """Mozilla's own reader: functions of each thread with what they have themselves and in all, markers."""
    cli = [t.node, t.modules / '@firefox-devtools/profiler-cli/dist/profiler-cli.js']
    env = os.environ | {'HOME': str(t.out)}

    def ask(*words):
        done = subprocess.run([*cli, *words, '--json'] if words[0] not in ('load', 'stop') else [*cli, *words],
                              capture_output=True, text=True, timeout=LIMIT, check=False, env=env)
        if words[0] == 'load' and 'still starting' in done.stderr:    # it waits a few seconds only for its daemon
            target.wait_for('the daemon of profiler-cli', lambda: not subprocess.run(
                [*cli, 'status'], capture_output=True, timeout=LIMIT, check=False, env=env).returncode)
            return ''
        t.v.equal(f'profiler-cli {words[0]} {words[1]}: exit code', (done.returncode, done.stderr[-200:]), (0, ''))
        return json.loads(done.stdout) if '--json' in done.args else done.stdout
    for measure in 'samples', 'self':
        path = t.convert('firefox.json.gz', '--measure', measure)
        threads, markers = exports.firefox(gzip.decompress(path.read_bytes()))
        ask('load', path)
        try:
            listed = {row['tid']: row for row in ask('thread', 'list')['threads']}
            t.v.equal(f'firefox {measure}: threads', set(listed), set(threads))
            for tid, stacks in threads.items():
                row = listed[tid]
                t.v.equal(f'firefox {measure} {row["name"]}: markers', row['markerCount'],
                          sum(m[1] == tid for m in markers))
                own, inclusive = collections.Counter(), collections.Counter()
                for stack, n in stacks.items():
                    own.update({stack[-1]: n} if stack else {})
                    inclusive.update({name: n for name in set(stack)})
                ask('thread', 'select', row['threadHandle'])
                rows = ask('thread', 'functions', '--limit', '100000', '--include-idle')['functions'] if own else []
                scale = 10 ** 6 if measure == 'self' else 1
                theirs = {r['name']: (round(r['selfSamples'] * scale), round(r['totalSamples'] * scale)) for r in rows}
                ours = {name: (own[name], n) for name, n in inclusive.items()}
                t.v.same_rows(f'firefox {measure} {row["name"]}', theirs, ours)
        finally:
            ask('stop', '--all')


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format, *args):    # pylint: disable=redefined-builtin
        pass


def speedscope(t):
    """Its schema, and its page with five formats."""
    path = t.convert('speedscope.json')
    wrong = t.script(SCHEMA_JS, t.modules / 'ajv', t.modules / 'speedscope/dist/release/file-format-schema.json', path)
    t.v.equal('speedscope: its schema', wrong, [])
    if not t.browser:
        t.skipped.append('speedscope page: no Chromium')
        return
    root = t.out / 'speedscope'
    shutil.copytree(t.modules / 'speedscope/dist/release', root)
    files = [path, t.convert('pb.gz'), t.convert('folded'), t.convert('trace.json'), t.convert('callgrind')]
    for file in files:
        shutil.copy(file, root)
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Quiet, directory=root))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        for file in files:
            here = f'http://127.0.0.1:{server.server_port}'
            dom = t.page(f'{here}/index.html#profileURL={here}/{file.name}&title=looked-at', f'speedscope-{file.name}.png')
            t.v.true(f'speedscope page, {file.name}: opened', 'Something went wrong' not in dom and 'looked-at' in dom, dom[-600:])
    finally:
        server.shutdown()


def report(t):
    """The flame report in a browser: search, zoom, table, another measure."""
    if not t.browser:
        t.skipped.append('flame report: no Chromium')
        return
    path = t.convert('html')
    driven = t.out / 'driven.html'
    driven.write_text(path.read_text(encoding='utf-8').replace('</body>', DRIVE + '</body>'), encoding='utf-8')
    t.page(path.as_uri(), 'report.png')
    dom = t.page(driven.as_uri(), 'report-driven.png')
    found = re.search(r'<pre id="said">(.*?)</pre>', dom, re.S)
    said = json.loads(found[1].replace('&gt;', '>').replace('&lt;', '<').replace('&amp;', '&')) if found else {}
    t.v.true('flame report: search', re.fullmatch(r'matched \d+\.\d\d %', said.get('found', '')), said)
    t.v.true('flame report: zoom', said.get('zoomed') and said['line'] != said['whole'], said)
    t.v.true('flame report: table', said.get('rows', 0) > 3, said)
    t.v.true('flame report: another measure', said.get('other') and said['other'] != said['whole'], said)


def main(profview, log, folder):
    t = Tools(pathlib.Path(profview).resolve(), log, pathlib.Path(folder).resolve())
    npm = t.install()
    for work in (pprof, firefox, speedscope) if npm else ():
        work(t)
    if not npm:
        t.skipped.append('pprof-format, profiler-cli, speedscope: npm or its registry cannot be reached')
    report(t)
    for line in t.skipped:
        print(f'skipped: {line}')
    return t.v.close()


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:4]))
