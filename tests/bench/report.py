#!/usr/bin/env python3
"""How fast `profview report` reads a call-heavy log, beside mprof-report on the same file.

usage: report.py PROFVIEW [--log FILE] [--runs N]
Without --log, the C# compiler is traced while it compiles a large made-up program (and gendarme
while it checks the result, where it is installed), until the log has 50 MB. Prints the median of
N runs each in alternating order, the ratio, and the greatest resident size. This measures; it is
no test.
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

LEAST = 50_000_000
MCS = '/usr/lib/mono/4.5/mcs.exe'
GENDARME = '/usr/lib/gendarme/gendarme.exe'

CLASS = '''
class C{0} {{
	int x;
	List<int> l = new List<int> ();
	Dictionary<string, C{0}> d = new Dictionary<string, C{0}> ();
	public int M (int a, string b)
	{{
		int s = x = a;
		for (int i = 0; i < a; i++) {{
			s += l [i] * a + b.Length;
			if (s > 100)
				s -= l.Where (v => v > s).Select (v => v * 2).Sum ();
		}}
		d [b] = this;
		return s;
	}}
	public override string ToString () {{ return string.Format ("{{0}} {{1}}", x, l.Count); }}
}}
'''


def write_program(path, classes):
    with open(path, 'w', encoding='utf-8') as f:
        f.write('using System;\nusing System.Collections.Generic;\nusing System.Linq;\n')
        f.writelines(CLASS.format(i) for i in range(classes))
        f.write('static class P { static void Main () { Console.WriteLine (new C0 ()); } }\n')


def traced(log, *command):
    done = subprocess.run(['mono', f'--profile=log:nodefaults,calls,output={log}', *command],
                          capture_output=True, text=True, check=False, timeout=600)
    if done.returncode not in (0, 1) or not log.exists():
        sys.exit(f'{command[0]}: exit {done.returncode}: {done.stderr[-400:]}')
    return log


def make_logs(folder):
    source, program = folder / 'big.cs', folder / 'big.exe'
    classes = 1000
    while True:
        write_program(source, classes)
        log = traced(folder / 'mcs.mlpd', MCS, f'-out:{program}', str(source))
        if log.stat().st_size >= LEAST:
            break
        classes = classes * LEAST // log.stat().st_size + 100
    yield 'mcs', log
    if os.path.exists(GENDARME):
        # It makes six megabytes of log for each class.
        write_program(source, 12)
        subprocess.run(['mcs', '-nowarn:649', f'-out:{program}', str(source)], check=True)
        yield 'gendarme', traced(folder / 'gendarme.mlpd', GENDARME, str(program))
    else:
        print('gendarme is not installed: not measured')


def run(command):
    """Wall seconds, processor seconds and greatest resident KiB of one run."""
    start = time.monotonic()
    with open(os.devnull, 'wb') as nowhere:
        process = subprocess.Popen(command, stdout=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    took = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f'{" ".join(command)}: exit {process.returncode}')
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def measure(name, log, profview, runs):
    own = [profview, 'report', str(log), '--no-index']
    commands = {'mprof-report': ['mprof-report', str(log)],
                'profview': own, 'profview --jobs 1': [*own, '--jobs', '1']}
    times = {k: [] for k in commands}
    busy = {k: [] for k in commands}
    peak = dict.fromkeys(commands, 0)
    for i in range(runs):
        order = list(commands.items())
        for key, command in order if i % 2 == 0 else reversed(order):
            took, cpu, rss = run(command)
            times[key].append(took)
            busy[key].append(cpu)
            peak[key] = max(peak[key], rss)
    size = log.stat().st_size
    print(f'{name}: {size / 1e6:.1f} MB, {os.cpu_count()} cores, median of {runs}')
    theirs = statistics.median(times['mprof-report'])
    for key, taken in times.items():
        middle = statistics.median(taken)
        print(f'  {key:18} {middle:7.3f} s  {size / 1e6 / middle:7.1f} MB/s  '
              f'{theirs / middle:5.2f} x mprof-report  '
              f'{min(taken):.3f}..{max(taken):.3f} s  '
              f'cpu {statistics.median(busy[key]):.3f} s  {peak[key] / 1024:7.1f} MiB')


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('profview')
    p.add_argument('--log', type=pathlib.Path)
    p.add_argument('--runs', type=int, default=5)
    a = p.parse_args()
    with tempfile.TemporaryDirectory(prefix='profview-bench-') as folder:
        logs = [(a.log.name, a.log)] if a.log else make_logs(pathlib.Path(folder))
        for name, log in logs:
            measure(name, log, a.profview, a.runs)


if __name__ == '__main__':
    main()
