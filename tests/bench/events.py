#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What reading .NET's own event stream costs a server.

usage: events.py [--pairs N] [--seconds S] [--rate N] PROFVIEW SERVER.DLL DOTNET [WORD ...]
SERVER.DLL is build/tests/real/clr_server.dll. Two of it run side by side, each with clients that ask as fast as
they are answered; one of them is watched by `attach --via events WORD ...`, and then the other: a pair. So what
else the machine does meets both at the same time. Prints the ratios, watched to not, of requests a second and of
the server's processor time for a request, which hardly depends on others, of each pair and their medians, and how
the servers ended. This measures; it is no test.
"""
import argparse
import functools
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'soak'))
from clr_server import serve  # noqa: E402  pylint: disable=wrong-import-position

MOST = 120  # looks
WRITER = '.NET EventPipe\n'  # a thread of that name serves the socket, one more writes each session


def sessions(pid):
    return sum(p.read_text() == WRITER for p in pathlib.Path(f'/proc/{pid}/task').glob('*/comm')) - 1


def until(found):
    while not found():
        time.sleep(0.02)


def falls_no_more(figure, what, seconds, share):
    """Until `figure` over so many seconds is no share less than before, three times; it gets its state to go on from."""
    state = figure(None)[1]
    last, same = None, 0
    for _ in range(MOST):
        time.sleep(seconds)
        now, state = figure(state)
        near = last is not None and all(0 < a >= (1 - share) * b for a, b in zip(now, last))
        same, last = same + 1 if near else 0, now
        if same == 3:
            return
    print(f'{what} never became steady: measured all the same', flush=True)


def costs(servers, before):
    """What each request costs each server since then, which falls while it still compiles."""
    now = state(servers)
    if before is None:
        return [], now
    return [(cpu1 - cpu0) / max(n1 - n0, 1) for (n0, cpu0, _), (n1, cpu1, _) in zip(before, now)], now


def growth(path, before):
    """Bytes that a recording grew since then: a session begins with the names of all methods."""
    now = path.stat().st_size if path.exists() else 0
    return [now - (before or 0)], now


def used(pid):
    """Processor time of a process, of all its threads, also of those that ended, in seconds."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text(encoding='ascii').rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def state(servers):
    return [(load.answered, used(pid), time.monotonic()) for pid, load in servers]


def stretch(servers, seconds):
    """Of each: requests a second, and microseconds of the server for one."""
    before = state(servers)
    time.sleep(seconds)
    ret = []
    for (n0, cpu0, t0), (n1, cpu1, t1) in zip(before, state(servers)):
        ret.append(((n1 - n0) / (t1 - t0), 1e6 * (cpu1 - cpu0) / max(n1 - n0, 1)))
    return ret


def watched(a, servers, which, folder):
    """Both while one is watched: the ratios of that one to the other."""
    pid, path = servers[which][0], pathlib.Path(folder, f'{time.monotonic_ns()}.nettrace')
    with subprocess.Popen([a.profview, 'attach', '--via', 'events', *a.words, str(pid), '--record', path], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as viewer:
        until(lambda: sessions(pid) or viewer.poll() is not None)
        falls_no_more(functools.partial(growth, path), 'the recording', 0.1, 0.3)
        both = stretch(servers, a.seconds)
        viewer.terminate()
    until(lambda: not sessions(pid))
    return [x / y for x, y in zip(both[which], both[1 - which])]


def measure(a, servers):
    falls_no_more(functools.partial(costs, servers), 'the cost of a request', 0.5, 0.1)
    pairs = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(a.pairs):
            one, other = (watched(a, servers, which, folder) for which in ((0, 1) if i % 2 == 0 else (1, 0)))
            pairs.append([(x * y) ** 0.5 for x, y in zip(one, other)])  # what differs between the two goes out
            print('{:.3f} of the requests, {:.3f} of the time for one'.format(*pairs[-1]), flush=True)
    for what, ratios in zip(('requests', 'time for one'), zip(*pairs)):
        print(f'{what}: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}')


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ('profview', 'dll', 'dotnet'):
        p.add_argument(name)
    p.add_argument('--pairs', type=int, default=10)
    p.add_argument('--seconds', type=float, default=3)
    p.add_argument('--rate', type=float, default=0, help='requests a second of each; 0: as many as are answered')
    p.add_argument('words', nargs=argparse.REMAINDER)
    a = p.parse_args()
    run = functools.partial(serve, [a.dotnet, a.dll], {'DOTNET_CLI_TELEMETRY_OPTOUT': '1'}, a.rate)
    ended = []
    ended.append(run(lambda *one: ended.append(run(lambda *other: measure(a, (one, other))))))
    for load, served, code in ended:
        print(f'a server ended with {code}, {served} served, {len(load.wrong)} wrong')


if __name__ == '__main__':
    main()
