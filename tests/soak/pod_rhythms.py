#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
A log that arrives in any rhythm gives what the finished file gives; a viewer that is hung up or stopped loses nothing.

usage: pod_rhythms.py rhythms PROFVIEW LOG...           each log (.gz: unpacked first) in ten rhythms: two minutes for four
       pod_rhythms.py pause PROFVIEW LOG...              only over a pause, as the test suite
       pod_rhythms.py viewers PROFVIEW BUILD/tests/real BUILD/probe [TIMES] [SEED]      TIMES: 20, a minute

rhythms: `dump --follow` says the lines of `dump`, and no word of damage. viewers: `run --record`, `attach --record` and
`--follow PIPE --record` in a terminal, at a random moment its hang-up or a stop for up to three seconds; every block that
the program makes afterwards is in the record, or the row of allocations says that some are not.
"""
import contextlib
import gzip
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'real'))
import target
from test_limits import LAST, Bench, has_signal, in_terminal

KEPT = 8  # lines
TEXTS = (b' perf script', b' folded stacks')
QUIET_S = 11  # longer than a file is called live that does not grow


# ---- rhythms: each gets the path, the bytes, and waits until all so far is read

def pieces(data, size):
    return [data[i:i + size] for i in range(0, len(data), size)]


def append(path, parts, wait_s=0.0):
    with open(path, 'ab', buffering=0) as f:
        for part in parts:
            f.write(part)
            time.sleep(wait_s)


def at_once(path, data, _):
    path.write_bytes(data)


def byte_by_byte(path, data, _):
    few = min(3000, len(data) // 2)
    append(path, [*pieces(data[:few], 1), data[few:len(data) - few], *pieces(data[len(data) - few:], 1)])


def in_halves(path, data, read):
    append(path, [data[:len(data) // 2]])
    read()
    append(path, [data[len(data) // 2:]])


def at_random(path, data, _):
    at = 0
    while at < len(data):
        n = random.choice((1, 7, 100, 5000, 100000))
        append(path, [data[at:at + n]], random.choice((0, 0, 0.002)))
        at += n


def by_pages(path, data, _):
    append(path, pieces(data, max(4096, len(data) // 400)), 0.003)


def renamed(path, data, _):
    time.sleep(0.5)
    path.with_suffix('.fresh').write_bytes(data)
    path.with_suffix('.fresh').rename(path)


def in_a_new_folder(path, data, _):
    time.sleep(0.5)
    path.parent.mkdir()
    in_halves(path, data, lambda: time.sleep(0.5))


def after_a_long_pause(path, data, read):
    append(path, [data[:len(data) // 3]])
    read()
    time.sleep(QUIET_S)
    append(path, [data[len(data) // 3:]])


def by_cat(path, data, _):
    """A writer that knows nothing of the log, in pieces of a pipe."""
    with open(path, 'wb') as f, subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=f) as cat:
        for part in pieces(data, max(1000, len(data) // 50)):
            cat.stdin.write(part)
            cat.stdin.flush()
            time.sleep(0.01)
        cat.stdin.close()


def compressed(path, data, _):
    append(path, pieces(gzip.compress(data, mtime=0), 3001), 0.005)


RHYTHMS = (at_once, byte_by_byte, in_halves, at_random, by_pages, renamed, in_a_new_folder, after_a_long_pause, by_cat, compressed)


def events(said):
    """Lines of a dump. Where a text is divided into blocks is a matter of how it came, and no figure."""
    text = False
    for line in said.splitlines():
        text = line.endswith(TEXTS) if b' header: ' in line else text
        if not text or b' block: ' not in line:
            yield line


def dumped(profview, path):
    done = subprocess.run([profview, 'dump', path], capture_output=True, check=False, timeout=target.DEADLINE)
    return list(events(done.stdout))


def follow(profview, data, rhythm, folder, seen_in=None, below=(), older=b'', read=None):
    """
    What is wrong, or nothing. `seen_in`: the folder as the follower has it, who runs below the words of `below`; `older`: the
    log that lies there before; `read`: waits until all is read, if the lines that come do not tell.
    """
    path = folder / 'new' / 'log' if rhythm is in_a_new_folder else folder / 'log'
    followed = (seen_in or folder) / path.relative_to(folder)
    whole, said = folder / 'whole', folder / 'said'
    old = []
    if older:
        path.write_bytes(older)
        old = dumped(profview, path)
    whole.write_bytes(data)
    want = old + dumped(profview, whole)
    # Until it is stopped, a stream without the mark of its end keeps its last events, and a short text all.
    held = KEPT if data.startswith(b'Nettrace') else len(want) if any(want[len(old)].endswith(t) for t in TEXTS) else 0
    kept = 0 if read else held
    with open(said, 'wb') as out, subprocess.Popen([*below, profview, 'dump', '--follow', followed], stdout=out,
                                                   stderr=subprocess.PIPE) as p:
        def seen(lines):
            return p.poll() is not None or said.read_bytes().count(b'\n') >= lines

        try:
            target.wait_for('the older log', lambda: seen(len(old)))
            rhythm(path, data, lambda: target.wait_for('a part to be read', lambda: seen(len(want) // 10)))
            with contextlib.suppress(target.TimedOut):
                if read:
                    read()
                target.wait_for('all to be read', lambda: seen(len(want) - held), 10)
            p.send_signal(signal.SIGINT)
            complaint = p.communicate(timeout=target.DEADLINE)[1].decode()
        finally:
            p.kill()
    got = list(events(said.read_bytes()))
    if len(got) < len(want) - kept or got != want[:len(got)]:
        return f'{len(got)} lines, {len(want)} are right; {complaint}'
    return complaint if 'damage' in complaint or 'ends inside' in complaint else ''


def rhythms(profview, *logs, which=RHYTHMS):
    random.seed(1)
    bad = 0
    for log in logs:
        data = pathlib.Path(log).read_bytes()
        data = gzip.decompress(data) if log.endswith('.gz') else data
        for rhythm in which:
            with tempfile.TemporaryDirectory(prefix='profview-soak-') as folder:
                wrong = follow(profview, data, rhythm, pathlib.Path(folder))
            print(f'{pathlib.Path(log).name} {rhythm.__name__.replace("_", " ")}: {wrong or "the same"}', flush=True)
            bad += bool(wrong)
    print(f'{len(logs)} logs in {len(which)} rhythms each, {bad} wrong')
    return 1 if bad or not logs else 0


def pause(profview, *logs):
    return rhythms(profview, *logs, which=[after_a_long_pause])


# ---- viewers

def disturb(viewer, terminal):
    """At a random moment; the terminal's end is None when it was hung up."""
    end = time.monotonic() + random.uniform(0, 1.5)
    os.set_blocking(terminal, False)
    while time.monotonic() < end:
        with contextlib.suppress(BlockingIOError):
            os.read(terminal, 1 << 16)
        time.sleep(0.01)
    if random.random() < 0.5:
        os.close(terminal)
        return 'hung up'
    viewer.send_signal(signal.SIGSTOP)
    time.sleep(random.uniform(0, 3))
    viewer.send_signal(signal.SIGCONT)
    os.close(terminal)
    return 'stopped, then hung up'


def one(profview, build, probes, way, folder):
    b = Bench(folder, profview, build / 'limited', probes / 'libprofview-native.so')
    words = {'run': ['run', '--alloc', '--record', b.log, '--', b.program, b.end], 'attach': ['attach', '--record', b.log],
             'pipe': ['--follow', b.folder / 'pipe', '--record', b.log]}[way]
    program = b.native() if way != 'run' else None
    if way == 'attach':
        target.wait_for('the probe', lambda: subprocess.run([profview, 'ctl', str(program.pid), 'stats'], capture_output=True,
                                                            check=False).returncode == 0)
        words.append(program.pid)
    viewer, terminal = in_terminal(profview, *words)
    try:
        target.wait_for('the viewer', lambda: has_signal(viewer.pid, 'SigCgt') and b.log.exists())
        how = disturb(viewer, terminal)
        b.end.touch()
        viewer.wait(target.DEADLINE)
    finally:
        b.end.touch()
        for p in filter(None, (viewer, program)):
            p.kill()
            p.wait()
    r = b.report()
    blocks = sum(s['allocations'] for s in r['allocation_sizes'] or [] if s['from_bytes'] == 512)
    row = next(c for c in r['coverage'] if c['what'] == 'allocations')
    whole = r['source']['complete'] and blocks >= LAST and not r['source']['damage']
    return how, '' if whole or row['state'] in ('partial', 'lost') else f'{blocks} blocks, {r["source"]}, {row}'


def viewers(profview, build, probes, times='20', seed=None):
    seed = int(seed or time.time())
    random.seed(seed)
    bad = 0
    for i in range(int(times)):
        way = random.choice(('run', 'attach', 'pipe'))
        with tempfile.TemporaryDirectory(prefix='profview-soak-') as folder:
            how, wrong = one(profview, pathlib.Path(build).resolve(), pathlib.Path(probes).resolve(), way, folder)
        print(f'{i + 1} {way}, {how}: {wrong or "whole"}', flush=True)
        bad += bool(wrong)
    print(f'{times} viewers, {bad} wrong (seed {seed})')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit({'rhythms': rhythms, 'pause': pause, 'viewers': viewers}[sys.argv[1]](os.path.abspath(sys.argv[2]), *sys.argv[3:]))
