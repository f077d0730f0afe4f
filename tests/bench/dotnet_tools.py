#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A running .NET program, joined by profview and by the official tools: how soon, and at what price.

usage: dotnet_tools.py PROFVIEW [--tools FOLDER] [--runs N] [--seconds N]
FOLDER has dotnet-trace and dotnet-gcdump, as `dotnet tool install --tool-path FOLDER NAME` puts them
there (default: the PATH); what is missing is left out and said. Printed are medians: the time from
the command to the first bytes about the program in the file; the work that the program's own thread
does in a second of its processor time beside what it did alone (other load does not count); and the
time of a heap snapshot, from the command to the whole of it in the file. This measures; it is no test.
"""
import argparse
import contextlib
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SOURCE = '''
using System; using System.Collections.Generic; using System.Runtime.InteropServices;
class Busy {
	struct Time { public long Seconds, Nanoseconds; }
	[DllImport ("libc")] static extern int clock_gettime (int clock, out Time ret);
	static long Cpu () {
		Time t; clock_gettime (3, out t); return t.Seconds * 1000000000 + t.Nanoseconds;
	}
	static void Main () {
		var kept = new List<object> ();
		for (int i = 0; i < 200000; i++) kept.Add (new object [] { i.ToString () });
		for (int turn = 0;; turn++) {
			long start = Cpu (), sum = 0;
			for (int i = 0; i < 200000; i++) {
				var text = i.ToString (); sum += text.GetHashCode ();
				try { if (i % 5000 == 0) throw new Exception (text); } catch (Exception) { }
			}
			Console.WriteLine (Cpu () - start);
		}
	}
}
'''


class Busy:
    """The program, which says what processor time each piece of its work took."""

    def __init__(self, dotnet, dll):
        self.process = subprocess.Popen([dotnet, str(dll)], stdout=subprocess.PIPE, text=True)
        self.pid, self.took = str(self.process.pid), []
        threading.Thread(target=self._listen, daemon=True).start()
        until(lambda: len(self.took) >= 5)  # then its code is final

    def _listen(self):
        for line in self.process.stdout:
            self.took.append(int(line))

    def pace(self, seconds):
        """Nanoseconds a piece of work took, from now on."""
        before = len(self.took) + 1
        time.sleep(seconds)
        until(lambda: len(self.took) > before)
        return statistics.median(self.took[before:])

    def end(self):
        self.process.kill()
        self.process.wait()


def until(condition, deadline=60):
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > deadline:
            return float('nan')
        time.sleep(0.002)
    return time.monotonic() - start


def size(path):
    with contextlib.suppress(OSError):
        return path.stat().st_size
    return 0


def watched(busy, command, out, seconds, least):
    """Seconds to the first figures, and the pace while watched."""
    tool = subprocess.Popen([str(w) for w in command], stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        first = until(lambda: size(out) > least or tool.poll() is not None)
        pace = busy.pace(seconds)
    finally:
        tool.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            tool.wait(30)
        tool.kill()
    return first, pace


def our_shot(profview, busy, out):
    """With profview joined already, as a key in it would ask."""
    viewer = subprocess.Popen([profview, 'attach', busy.pid, '--record', str(out)],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        until(lambda: size(out) > 4096)
        before, start = size(out), time.monotonic()
        subprocess.run([profview, 'ctl', busy.pid, 'heapshot'], check=True, capture_output=True)
        until(lambda: size(out) > before + (1 << 20))
        last, took = before, 0
        while size(out) - last > 100_000:  # samples go on coming
            last, took = size(out), time.monotonic() - start
            time.sleep(0.1)
        return took
    finally:
        viewer.send_signal(signal.SIGINT)
        viewer.wait(30)


def main():
    args = argparse.ArgumentParser()
    args.add_argument('profview')
    args.add_argument('--tools')
    args.add_argument('--runs', type=int, default=3)
    args.add_argument('--seconds', type=float, default=4)
    args = args.parse_args()
    profview = str(pathlib.Path(args.profview).resolve())
    dotnet = shutil.which('dotnet')
    trace, gcdump = (shutil.which(n, path=args.tools) for n in ('dotnet-trace', 'dotnet-gcdump'))
    build = pathlib.Path(__file__).parent.parent / 'real' / 'build_clr.py'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / 'busy.cs').write_text(SOURCE, encoding='utf-8')
        subprocess.run([sys.executable, build, dotnet, folder / 'busy.dll', folder / 'busy.cs'],
                       check=True)
        rows = {'alone': ([], []), 'profview attach': ([], []), 'dotnet-trace': ([], [])}
        shots = {'profview': [], 'dotnet-gcdump': []}
        for run in range(args.runs):
            busy = Busy(dotnet, folder / 'busy.dll')
            rows['alone'][1].append(busy.pace(args.seconds))
            out = folder / f'{run}.mlpd'
            first, pace = watched(busy, [profview, 'attach', busy.pid, '--record', out], out,
                                  args.seconds, 0)
            rows['profview attach'][0].append(first)
            rows['profview attach'][1].append(pace)
            if trace:
                out = folder / f'{run}.nettrace'
                first, pace = watched(busy, [trace, 'collect', '-p', busy.pid, '-o', out], out,
                                      args.seconds, 1024)
                rows['dotnet-trace'][0].append(first)
                rows['dotnet-trace'][1].append(pace)
            shots['profview'].append(our_shot(profview, busy, folder / f'{run}-shot.mlpd'))
            if gcdump:
                start = time.monotonic()
                subprocess.run([gcdump, 'collect', '-p', busy.pid, '-o', folder / f'{run}.gcdump'],
                               check=True, capture_output=True)
                shots['dotnet-gcdump'].append(time.monotonic() - start)
            busy.end()
        alone = statistics.median(rows['alone'][1])
        for name, (first, pace) in rows.items():
            if not pace:
                print(f'{name}: not there')
                continue
            text = f'first figures after {statistics.median(first):.2f} s, ' if first else ''
            print(f'{name}: {text}work takes {statistics.median(pace) / alone:.3f}x')
        for name, took in shots.items():
            print(f'snapshot, {name}: ' + (f'{statistics.median(took):.2f} s' if took else 'not there'))


if __name__ == '__main__':
    main()
