#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A .NET HTTP server under load is joined by its event stream and left again, however the viewer ends: it answers on.

usage: event_joins.py PROFVIEW SERVER.DLL DOTNET [JOINS]     ('none': skipped)
Each viewer has other groups: samples, heap shots, meters; it is interrupted, ended or killed, some after a moment,
some at once, in the middle of a shot. Prints how many requests were answered, the longest wait of one, and the
server's memory, threads and descriptors before and after. The test suite makes a few joins.
"""
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

from clr_server import DEADLINE, resident, serve

WRITER = '.NET EventPipe\n'
WORDS = ([], ['--sample'], ['--heapshot'], ['--meter', 'Shop.*'], ['--sample', '--heapshot=1s', '--meter', 'Other'])
WAYS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
GROWTH = 96 << 20  # of the whole process; its collector's heap comes and goes


def tasks(pid):
    found = []
    for comm in pathlib.Path(f'/proc/{pid}/task').glob('*/comm'):
        try:
            found.append(comm.read_text())
        except OSError:
            pass
    return found


def sessions(pid):
    return tasks(pid).count(WRITER) - 1


def state(pid):
    """The pool's workers come and go with the load: other threads do not."""
    return resident(pid), sum(not name.startswith('.NET TP') for name in tasks(pid)), len(list(pathlib.Path(f'/proc/{pid}/fd').iterdir()))


def until(what, found):
    end = time.monotonic() + DEADLINE
    while not found():
        if time.monotonic() > end:
            raise TimeoutError(what)
        time.sleep(0.02)


class Watch:
    """The longest time in which no request was answered."""

    def __init__(self, load):
        self.load, self.longest, self.stop = load, 0.0, False
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        newest, since = self.load.answered, time.monotonic()
        while not self.stop:
            time.sleep(0.005)
            if self.load.answered != newest:
                newest, since = self.load.answered, time.monotonic()
            self.longest = max(self.longest, time.monotonic() - since)

    def end(self):
        self.stop = True
        self.thread.join()


def join(profview, pid, folder, i, dice):
    log = pathlib.Path(folder, f'{i}.nettrace')
    with subprocess.Popen([profview, 'attach', '--via', 'events', *WORDS[i % len(WORDS)], str(pid), '--record', log],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as viewer:
        until('a session', lambda: sessions(pid) or viewer.poll() is not None)
        if viewer.poll() is not None:
            raise RuntimeError(f'the viewer ended with {viewer.returncode}')
        time.sleep(dice.choice((0, 0.05, 0.3, 0.8)))  # how far it gets is what differs
        viewer.send_signal(WAYS[i % len(WAYS)])
        viewer.wait(DEADLINE)
    until('the sessions to end', lambda: not sessions(pid))
    log.unlink(missing_ok=True)


def main(profview, dll, dotnet, joins='12'):
    if 'none' in (dll, dotnet):
        print('dotnet is not installed')
        return 77
    joins, dice, told = int(joins), random.Random(29), {}

    def during(pid, load):
        until('answers', lambda: load.answered > 2000)
        with tempfile.TemporaryDirectory() as folder:
            join(profview, pid, folder, 0, dice)  # threads that the runtime keeps are made by the first one
            until('more answers', lambda n=load.answered: load.answered > n + 2000)
            told['before'], watch, start, first = state(pid), Watch(load), time.monotonic(), load.answered
            for i in range(joins):
                join(profview, pid, folder, i, dice)
            told['seconds'], told['answered'] = time.monotonic() - start, load.answered - first
            watch.end()
            until('more answers', lambda n=load.answered: load.answered > n + 2000)
            told['after'], told['longest'] = state(pid), watch.longest

    load, served, code = serve([dotnet, dll], {'DOTNET_CLI_TELEMETRY_OPTOUT': '1'}, 0, during)
    (rss, threads, files), (rss2, threads2, files2) = told['before'], told['after']
    print(f'{joins} joins in {told["seconds"]:.1f} s, {told["answered"]} requests answered meanwhile, none for {told["longest"] * 1000:.0f} '
          f'ms at most; before and after: {rss >> 20} and {rss2 >> 20} MiB, {threads} and {threads2} threads, {files} and '
          f'{files2} descriptors; {served} served in all, {len(load.wrong)} failed, the server ended with {code}')
    good = (not load.wrong and code == 0 and told['longest'] < 5 and rss2 - rss < GROWTH and
            threads2 <= threads + 4 and files2 <= files + 4)
    print(f'{int(good)} passed, {int(not good)} failed')
    return 0 if good else 1


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
