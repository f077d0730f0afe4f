# SPDX-License-Identifier: MIT
"""Reading takes time that is linear in the input, whatever it says: the logs of bench/hostile_log.h
are read at n and at 4n, and callgrind counts instructions. At most five times as many are taken;
what an empty log takes is taken off. So with the most memory that a process takes.

usage: test_hostile_time.py HOSTILE WAY[,WAY...] [N[,N...] [WORD ...]]

WAY: of bench/hostile_ways.h, which knows what shapes are counted in each. Several are read in one
process, as to translate what reads takes callgrind as long as to run it. Memory is measured of `heap`
alone.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

N, TIMES, COUNTS = 250, 5, 3
SPARE = 1 << 20  # bytes that an allocator takes more or less
SPARE_PART = 20  # of what an empty log takes, likewise of instructions
NAMED = re.compile(r'^\*\*\d+\*\* taken up to: (.*)$', re.M)
OF_THREAD = re.compile(r'^events-\d+: (\d+)$', re.M)
MOST = re.compile(r'^VmHWM:\s*(\d+) kB$', re.M)


def written(hostile, verb, folder, n):
    done = subprocess.run([hostile, 'write-all', folder, str(n), verb], capture_output=True,
                          text=True, check=True)
    return done.stdout.splitlines()


def counted(hostile, ways, said):
    """Instructions that reading each takes, of {way: logs}. In one process: to start one takes longer."""
    words = [word for verb, logs in ways.items() for word in ('--', verb, *logs)][1:]
    # meson has allocators fill what they give out: that was most of what a small log took.
    env = {name: value for name, value in os.environ.items() if name != 'MALLOC_PERTURB_'}
    # Large blocks come from the kernel, which clears them: else the allocator does, of those it has had
    # before, and what an empty log takes depends on what was read in front of it.
    env['MALLOC_MMAP_THRESHOLD_'] = str(128 << 10)
    subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', f'--log-file={said}',
                    hostile, *words], capture_output=True, check=True, env=env)
    words = NAMED.split(said.read_text(encoding='utf-8'))[1:] # a name, what follows, ...
    # What threads took that have ended stays in these sums. The first log of a way pays for what is done
    # once in a process: it is the empty one, which is read again, and that counts.
    sums = [sum(map(int, OF_THREAD.findall(text))) for text in words[1::2]]
    return {name: b - a for name, a, b in zip(words[2::2], sums, sums[1:])}


def most_memory(hostile, verb, log):
    """Bytes that a process which reads it takes at most."""
    done = subprocess.run([hostile, verb, log], capture_output=True, text=True, check=True)
    return 1024 * int(MOST.search(done.stdout)[1])


def memory(hostile, verb, empty, pairs):
    """As instructions: (times as much, name) of each pair of logs."""
    least = most_memory(hostile, verb, empty)
    return [((most_memory(hostile, verb, b) - least) /
             max(most_memory(hostile, verb, a) - least, SPARE), pathlib.Path(a).name + ' (memory)')
            for a, b in pairs]


class Way:
    """Its logs: one without events, those of n, and those of 4n."""

    def __init__(self, hostile, verb, folder, n, words):
        folder.mkdir()
        self.folder = folder
        self.verb, (self.empty, *logs) = verb, written(hostile, verb, folder, n)
        self.logs = [log for log in logs if not words or any(w in log for w in words)]
        self.large = [log[:log.rindex(',') + 1] + str(4 * n) for log in self.logs]
        written(hostile, verb, folder, 4 * n)

    def those(self, names):
        """Of these rows, or all where none is named."""
        chosen = [(a, b) for a, b in zip(self.logs, self.large) if not names or self.name(a) in names]
        return [log for pair in chosen for log in pair]

    def name(self, log):
        return f'{pathlib.Path(log).name} ({self.verb})'

    def rows(self, taken):
        # A log of another format may take less to open than the empty one: what is less than a part of
        # that says nothing of its events.
        least = taken[self.empty]
        return [((taken[b] - least) / max(taken[a] - least, least / SPARE_PART), self.name(a))
                for a, b in zip(self.logs, self.large)]


def larger(way, hostile, n, above):
    """The rows of these logs, at n and 4n."""
    of = Way(hostile, way.verb, way.folder / 'larger', n, [name.rsplit(',', 1)[0] + ',' for _, name in above])
    return of.rows(counted(hostile, {of.verb: [of.empty] * 2 + of.those(())}, of.folder / 'said'))


def main(hostile, verbs, numbers=str(N), *words):
    if not shutil.which('valgrind'):
        sys.exit(77)
    with tempfile.TemporaryDirectory() as top:
        ways = [Way(hostile, verb, pathlib.Path(top, verb), int(n), words)
                for verb, n in zip(verbs.split(','), numbers.split(','), strict=True)]
        taken, rows = {}, []
        # Beside other tests there is one process.
        cores = os.cpu_count() if verbs == 'every' else 1
        # A thread that waits for another takes instructions, more of them on a machine that is
        # busy: what is above is counted again, and the least counts.
        for _ in range(COUNTS):
            if rows and max(rows)[0] <= TIMES:
                break
            above = {name for times, name in rows if times > TIMES}
            with concurrent.futures.ThreadPoolExecutor(cores) as pool:
                for some in pool.map(lambda i: counted(hostile, {
                        w.verb: [w.empty] * 2 + w.those(above)[i::cores] for w in ways},
                        pathlib.Path(top, f'said{i}')), range(cores)):
                    taken.update({name: min(n, taken.get(name, n)) for name, n in some.items()})
            rows = [row for way in ways for row in way.rows(taken)]
        # Where a table has its one large step between n and 4n it has none between 4n and 16n; what grows
        # by itself does so there, too.
        for w, n in zip(ways, numbers.split(',')):
            above = [row for row in w.rows(taken) if row[0] > TIMES]
            if above:
                rows = [row for row in rows if row not in above] + larger(w, hostile, 4 * int(n), above)
        rows += [row for w in ways if w.verb == 'heap'
                 for row in memory(hostile, w.verb, w.empty, zip(w.logs, w.large))]
    rows.sort()
    bad = [row for row in rows if row[0] > TIMES]
    print(f'{len(rows)} figures, {sum(taken.values()) / 1e9:.1f} thousand million instructions; most:')
    for times, name in rows[-10:]:
        print(f'{times:.2f} times as many for four times the events: {name}')
    print(f'{len(bad)} above {TIMES}:', *(name for _, name in bad), sep='\n  ')
    sys.exit(1 if bad or not rows else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])
