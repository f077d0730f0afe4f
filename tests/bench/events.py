#!/usr/bin/env python3
"""What reading .NET's own event stream costs a server, and how many joins it stands.

usage: events.py [--pairs N] [--seconds S] PROFVIEW SERVER.DLL DOTNET [WORD ...]
SERVER.DLL is build/tests/real/clr_server.dll. Clients ask as fast as they are answered; of each pair of
stretches one is watched by `attach --via events WORD ...`. Prints the ratio of requests, watched to not, of
each pair and their median, and how the server ended. This measures; it is no test.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'soak'))
from clr_server import serve  # noqa: E402  pylint: disable=wrong-import-position

WRITER = '.NET EventPipe\n'  # a thread of that name serves the socket, one more writes each session


def sessions(pid):
    return sum(p.read_text() == WRITER for p in pathlib.Path(f'/proc/{pid}/task').glob('*/comm')) - 1


def until(found):
    while not found():
        time.sleep(0.02)


def stretch(load, seconds):
    """Requests a second."""
    before, start = load.answered, time.monotonic()
    time.sleep(seconds)
    return (load.answered - before) / (time.monotonic() - start)


def watched(a, pid, load, folder):
    with subprocess.Popen([a.profview, 'attach', '--via', 'events', *a.words, str(pid), '--record',
                           f'{folder}/{time.monotonic_ns()}.nettrace'], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as viewer:
        until(lambda: sessions(pid) or viewer.poll() is not None)
        stretch(load, 0.5)  # the names of all methods are written
        rate = stretch(load, a.seconds)
        viewer.terminate()
    until(lambda: not sessions(pid))
    return rate


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('profview', 'dll', 'dotnet'):
        p.add_argument(name)
    p.add_argument('--pairs', type=int, default=10)
    p.add_argument('--seconds', type=float, default=3)
    p.add_argument('words', nargs=argparse.REMAINDER)
    a = p.parse_args()
    ratios = []

    def during(pid, load):
        stretch(load, 5)  # compiled by then
        with tempfile.TemporaryDirectory() as folder:
            for i in range(a.pairs):
                first = i % 2 == 0
                one = watched(a, pid, load, folder) if first else stretch(load, a.seconds)
                other = stretch(load, a.seconds) if first else watched(a, pid, load, folder)
                ratios.append(one / other if first else other / one)
                print(f'{ratios[-1]:.3f} of {other if first else one:.0f} requests a second', flush=True)

    load, served, code = serve([a.dotnet, a.dll], {'DOTNET_CLI_TELEMETRY_OPTOUT': '1'}, 0, during)
    print(f'median {statistics.median(ratios):.3f}; the server ended with {code}, {served} served, {len(load.wrong)} wrong')


if __name__ == '__main__':
    main()
