# SPDX-License-Identifier: MIT
"""Runs the self-counting programs under a profiler and talks with them."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

import rawlog

SKIP = 77
DEADLINE = float(os.environ.get('PROFVIEW_TEST_DEADLINE', '150'))


def need(program):
    """Skips the test without it; skips.txt has a line for each such program."""
    if not shutil.which(program):
        print(f'{program} is not installed')
        sys.exit(SKIP)


class TimedOut(Exception):
    """A condition did not come true in time."""


def wait_for(what, condition, deadline=DEADLINE):
    """Polls until `condition` gives something true, and gives that back. What takes long to ask, a report of a
    log that grows for one, is asked half of the time."""
    end = time.monotonic() + deadline
    while True:
        asked = time.monotonic()
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise TimedOut(f'{what}: not within {deadline} s')
        time.sleep(max(0.02, time.monotonic() - asked))


class Program:
    """One run. `counts` holds what the program said of itself last, `phase` how often it did."""

    def __init__(self, command, output):
        self.counts, self.phase = {}, 0
        self.output = pathlib.Path(output)
        self.news = threading.Condition()
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.reader = threading.Thread(target=self._listen, daemon=True)
        self.reader.start()

    def _listen(self):
        fresh = {}
        for line in self.process.stdout:
            key, _, value = line.rstrip('\n').rpartition('=')
            if not value:
                continue    # the last words of one that crashed
            if key != 'phase':
                fresh[key] = int(value)
                continue
            with self.news:
                self.counts, self.phase, fresh = fresh, int(value), {}
                self.news.notify_all()

    def wait_phase(self, phase):
        """The program stands in its pause number `phase` (or has ended behind it)."""
        with self.news:
            if not self.news.wait_for(lambda: self.phase >= phase, DEADLINE):
                raise TimedOut(f'phase {phase} of the program')
        return self.counts

    def go(self):
        self.process.stdin.write('go\n')
        self.process.stdin.flush()

    def wait(self):
        code = self.process.wait(DEADLINE)
        self.reader.join(DEADLINE)
        self.process.stdin.close()
        if code:
            raise RuntimeError(f'the program ended with {code}')
        return self.counts

    def rss(self):
        """Resident bytes of the program now."""
        pages = pathlib.Path(f'/proc/{self.process.pid}/statm').read_text().split()[1]
        return int(pages) * os.sysconf('SC_PAGE_SIZE')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


class Mono(Program):
    """The C# program under the stock log profiler."""

    growing = {}

    def __init__(self, exe, worlds, options, output):
        super().__init__(['mono', f'--profile=log:{options},output={output}', exe, *worlds], output)

    def heapshot(self):
        """Asks for a heap shot over the port named in the log's header, and waits for its end."""
        port = wait_for('the header', self._header)['port']
        before = self.shots_in(self.output)
        with socket.create_connection(('127.0.0.1', port), DEADLINE) as s:
            s.sendall(b'heapshot\n')
            wait_for('the heap shot', lambda: self.shots_in(self.output) > before)

    @classmethod
    def shots_in(cls, path):
        """How many finished heap shots a log holds now."""
        return cls.growing.setdefault(str(path), rawlog.Growing(path)).shots()

    def _header(self):
        data = self.output.read_bytes() if self.output.exists() else b''
        return rawlog.header(rawlog.inflate(data))[0]


class Native(Program):
    """The C program under our own probe."""

    def __init__(self, exe, worlds, output):
        super().__init__([exe, output, *worlds], output)


def dumped(profview, log):
    """Lines of the dump as they come, as bytes: there may be millions."""
    with subprocess.Popen([profview, 'dump', log], stdout=subprocess.PIPE) as dump:
        yield from dump.stdout
    if dump.returncode:
        raise RuntimeError(f'dump: {dump.returncode}')


os.environ.setdefault('XDG_CACHE_HOME', '/proc/no-cache')  # no test leaves an index to the user


def indexed(folder):
    """From now on indexes are kept, in a cache within this folder; see entries()."""
    os.environ['XDG_CACHE_HOME'] = str(pathlib.Path(folder, 'cache'))


def entries():
    """The indexes that are kept."""
    folder = pathlib.Path(os.environ['XDG_CACHE_HOME'], 'profview', 'index')
    return [e for e in folder.glob('*.*') if not e.name.startswith('part.')]


def scratch():
    return tempfile.TemporaryDirectory(prefix='profview-real-')
