#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ten healthy programs, recorded whole: together their findings raise at most one above 50.

usage: healthy.py PROFVIEW [--keep FOLDER] [PROGRAM...]

Prints a row for each program: the findings of 25 and more with their sentence. A program that is not
installed is named and left out; then nothing is said about the whole. --keep: the logs stay there
(and are judged again, without recording, where they already are).
"""
import argparse
import http.client
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

MANAGED = 'gc,alloc=100k,exception,monitor,finalization,gchandle,runtime,sample=200,heapshot=5000ms'
DOTNET = MANAGED + ',spans'
NATIVE = 'sample=200,malloc=100k'
MONO = '/usr/lib/mono/4.5/'
SQL = '''create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 400000)
insert into t select i, 'name ' || (i * 7919 % 100003), i * 0.5 from n;
create index by_b on t(b);
select count(*), sum(c) from t where b like 'name 1%';
select b, count(*) from t group by b order by 2 desc, 1 limit 3;
'''
PYTHON = '''
import collections, json
words = collections.Counter()
for i in range(400000):
    words['w%d' % (i * 7919 % 5003)] += 1
rows = [json.loads(json.dumps({'n': k, 'v': v, 'l': list(range(20))})) for k, v in words.items()] * 3
print(sum(len(r['l']) for r in rows))
'''
WEB = '''var builder = WebApplication.CreateBuilder(args);
var app = builder.Build();
app.MapGet("/", () => "Hello World!");
app.MapGet("/items", () => Enumerable.Range(0, 50).Select(i => new Item(i, "item " + i, i * 1.5)));
app.MapGet("/end", (IHostApplicationLifetime life) => { life.StopApplication(); return "ends"; });
app.Run();
record Item(int Id, string Name, double Price);
'''


class Healthy:
    def __init__(self, profview, folder):
        self.profview, self.folder = profview, folder

    def run(self, log, words, command, **more):
        """Its exit status is not ours to judge: gendarme's tells of defects that it found."""
        with open(f'{log}.out', 'wb') as out:
            return subprocess.Popen([self.profview, 'run', '--probe', words, '--record', str(log), '--',
                *command], stdout=out, stderr=subprocess.STDOUT, **more)

    def source(self):
        """A C# program of many classes."""
        path = self.folder / 'many.cs'
        parts = ['using System; using System.Collections.Generic; using System.Linq;\n']
        for i in range(1500):
            parts.append(f'''class C{i} {{ int a; string b; public List<int> L = new List<int> ();
 public int M (int x) {{ return L.Where (y => y > x).Select (y => y * {i}).Sum () + a + b.Length; }}
 public IEnumerable<string> S () {{ foreach (var y in L) yield return b + y; }} }}\n''')
        parts.append('static class P { static void Main () { Console.WriteLine (new C1 ().L.Count); } }\n')
        path.write_text(''.join(parts), encoding='ascii')
        return path

    def mcs(self, log):
        self.run(log, MANAGED, ['mono', MONO + 'mcs.exe', f'-out:{self.folder}/many.exe',
            self.source()]).wait()

    def gendarme(self, log):
        self.run(log, MANAGED, ['mono', '/usr/lib/gendarme/gendarme.exe', '--quiet', '--log',
            self.folder / 'gendarme.log', MONO + 'System.Xml.Linq.dll']).wait()

    def monodis(self, log):
        self.run(log, NATIVE, ['monodis', MONO + 'mscorlib.dll']).wait()

    def csharp(self, log):
        lines = 'var l = new System.Collections.Generic.List<string> ();\n' + ''.join(
            f'l.Add ("n" + {i}); l.Where (x => x.Length > {i % 7}).Count ();\n' for i in range(300))
        one = self.folder / 'lines.csx'
        one.write_text('using System.Linq;\n' + lines, encoding='ascii')
        self.run(log, MANAGED, ['mono', MONO + 'csharp.exe', one]).wait()

    def web(self):
        place = self.folder / 'web'
        if not place.exists():
            subprocess.run(['dotnet', 'new', 'web', '-o', place], check=True, capture_output=True)
            (place / 'Program.cs').write_text(WEB, encoding='ascii')
        subprocess.run(['dotnet', 'build', '-c', 'Release', place], check=True, capture_output=True)
        return next((place / 'bin' / 'Release').glob('*/web.dll'))

    def serve(self, log, seconds, clients):
        port = 5080
        program = self.run(log, DOTNET, ['dotnet', self.web(), '--urls', f'http://127.0.0.1:{port}'],
            env=dict(os.environ, Logging__LogLevel__Default='Warning'))
        while True:
            try:
                ask = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
                ask.request('GET', '/')
                ask.getresponse().read()
                break
            except ConnectionError:
                if program.poll() is not None:
                    raise RuntimeError('the server ended: ' + log.with_suffix('.mlpd.out').read_text())
                time.sleep(0.1)
        until = time.monotonic() + seconds

        def load():
            link = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
            while time.monotonic() < until:
                link.request('GET', '/items')
                link.getresponse().read()
        threads = [threading.Thread(target=load) for _ in range(clients)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        time.sleep(max(0, until - time.monotonic()))
        ask.request('GET', '/end')
        ask.getresponse().read()
        program.wait()

    def aspnet_idle(self, log):
        self.serve(log, 20, 0)

    def aspnet_loaded(self, log):
        self.serve(log, 20, 4)

    def dotnet_build(self, log):
        place = self.web().parents[2].parent
        self.run(log, DOTNET, ['dotnet', 'build', '--no-incremental', '-c', 'Release', place],
            env=dict(os.environ, MSBUILDDISABLENODEREUSE='1', UseSharedCompilation='false')).wait()

    def sqlite3(self, log):
        script = self.folder / 'script.sql'
        script.write_text(SQL, encoding='ascii')
        with open(script, 'rb') as stdin:
            self.run(log, NATIVE, ['sqlite3', ':memory:'], stdin=stdin).wait()

    def zstd(self, log):
        data = self.folder / 'data'
        with open(data, 'wb') as out:
            for path in sorted(pathlib.Path(MONO).glob('*.dll')):
                out.write(path.read_bytes())
        self.run(log, NATIVE, ['zstd', '-12', '-T2', '-f', '-q', data, '-o', f'{data}.zst']).wait()

    def python3(self, log):
        self.run(log, NATIVE, ['/usr/bin/python3', '-c', PYTHON]).wait()


NEEDS = {
    'mcs': MONO + 'mcs.exe', 'gendarme': '/usr/lib/gendarme/gendarme.exe', 'monodis': 'monodis',
    'csharp': MONO + 'csharp.exe', 'aspnet_idle': 'dotnet', 'aspnet_loaded': 'dotnet',
    'dotnet_build': 'dotnet', 'sqlite3': 'sqlite3', 'zstd': 'zstd', 'python3': '/usr/bin/python3',
}


def main():
    args = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    args.add_argument('profview')
    args.add_argument('programs', nargs='*', default=list(NEEDS))
    args.add_argument('--keep')
    given = args.parse_intermixed_args()
    profview = shutil.which(given.profview) or given.profview
    folder = pathlib.Path(given.keep or tempfile.mkdtemp(prefix='profview-healthy-')).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    healthy = Healthy(profview, folder)
    above, missing = 0, []
    for name in given.programs:
        if not shutil.which(NEEDS[name]) and not pathlib.Path(NEEDS[name]).exists():
            missing.append(name)
            continue
        log = folder / f'{name}.mlpd'
        if not log.exists():
            getattr(healthy, name)(log)
        got = subprocess.run([profview, 'report', log, '--section', 'findings', '--format', 'json'],
            capture_output=True, text=True)
        if got.returncode not in (0, 4):
            print(f'{name}: exit {got.returncode}: {got.stderr}')
            return 1
        rows = json.loads(got.stdout)['findings']
        above += sum((r['score'] or 0) > 50 for r in rows)
        print(f'{name}: {log.stat().st_size:,} bytes')
        for r in rows:
            if (r['score'] or 0) >= 25:
                print(f'  {r["score"]:5.1f}  {r["finding"]}: {r["text"]}')
    if missing:
        print('not installed, left out:', ', '.join(missing))
    print(f'{above} above 50, at most 1 may be')
    if not given.keep:
        shutil.rmtree(folder)
    return 1 if above > 1 else 0


if __name__ == '__main__':
    sys.exit(main())
