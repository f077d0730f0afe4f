#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may read what profview writes: files with what a program said are the user's alone, whatever the umask is;
those that the user named for others to read follow it.

usage: test_modes.py PROFVIEW PROGRAM LOG.GZ
"""
import gzip
import os
import pathlib
import signal
import stat
import subprocess
import sys
import tempfile

import target
from verdict import Verdict

FORMATS = {'pprof': 'out.pb.gz', 'speedscope': 'out.speedscope.json', 'callgrind': 'callgrind.out',
           'folded': 'out.folded', 'html': 'out.html', 'chrome': 'out.trace.json', 'firefox': 'out.firefox.json'}
SAID, FOLDER = 0o600, 0o700


class Bench:
    """All that is written here is in `modes`: what it is to have."""

    def __init__(self, profview, program, log, folder, umask):
        self.profview, self.program = os.path.abspath(profview), os.path.abspath(program)
        self.log, self.folder, self.umask = os.path.abspath(log), pathlib.Path(folder), umask
        self.probe = pathlib.Path(self.profview).parent / 'probe/libprofview-native.so'
        self.env = {**os.environ, 'XDG_CACHE_HOME': str(self.folder / 'cache'),
                    'XDG_STATE_HOME': str(self.folder / 'state')}
        self.modes = {}

    def start(self, *words, env=None, **more):
        return subprocess.Popen([str(w) for w in words], cwd=self.folder, env={**self.env, **(env or {})},
                                umask=self.umask, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def call(self, *words, given=None, env=None):
        with self.start(*words, env=env, stdin=subprocess.PIPE if given else subprocess.DEVNULL) as p:
            _, err = p.communicate(given, timeout=target.DEADLINE)
        if p.returncode:
            raise RuntimeError(f'{words} ended with {p.returncode}: {err.decode()}')

    def said(self, *names):
        self.modes.update(dict.fromkeys(names, SAID))

    def named(self, *names):
        self.modes.update(dict.fromkeys(names, 0o666 & ~self.umask))

    def found(self):
        """Names and modes of all files and folders."""
        return {str(path.relative_to(self.folder)): stat.S_IMODE(path.stat().st_mode)
                for path in sorted(self.folder.rglob('*')) if not path.is_fifo()}


def recorded(b):
    b.call(b.profview, 'run', '--record', 'run.mlpd', '--', b.program, 'compute', '100')
    b.call(b.profview, 'run', '--record', 'tree/', '--', b.program, 'compute', '100')
    b.call(b.program, 'compute', '100',
           env={'LD_PRELOAD': str(b.probe), 'PROFVIEW_OPTIONS': 'output=hand.mlpd,sample=100'})
    b.said('run.mlpd', 'hand.mlpd')


def piped(b):
    data = gzip.decompress(pathlib.Path(b.log).read_bytes())
    b.call(b.profview, '-', '--record', 'piped.mlpd', '--dump', given=data)
    os.mkfifo(b.folder / 'pipe')
    with b.start(b.profview, '--follow', 'pipe', '--record', 'followed.mlpd', '--dump') as p:
        (b.folder / 'pipe').write_bytes(data)
        p.communicate(timeout=target.DEADLINE)
    b.said('piped.mlpd', 'followed.mlpd')


def joined(b):
    """While it writes a log of its own."""
    records = b.folder / 'joined'
    with b.start(b.program, 'compute', '60000', env={
            'LD_PRELOAD': str(b.probe), 'PROFVIEW_OPTIONS': 'output=own.mlpd,control=on,sample=100'}) as program:
        try:
            own = b.folder / 'own.mlpd'
            target.wait_for('its log', lambda: own.exists() and own.stat().st_size)
            refused = subprocess.run([b.profview, 'attach', str(program.pid), '--record', 'one.mlpd'], cwd=b.folder,
                                     capture_output=True, text=True, timeout=target.DEADLINE, check=False)
            if refused.returncode != 3 or 'into a file itself' not in refused.stderr:
                raise RuntimeError(f'a copy into one file: {refused.returncode}: {refused.stderr}')
            with b.start(b.profview, 'attach', program.pid, '--record', 'joined/') as p:
                target.wait_for('the copy', lambda: any(q.stat().st_size for q in records.glob('*.mlpd')))
                p.send_signal(signal.SIGINT)
                p.communicate(timeout=target.DEADLINE)
        finally:
            program.kill()
    b.said('own.mlpd')


def written(b):
    b.call(b.profview, 'convert', b.log, '-o', 'out.mlpd')
    b.call(b.profview, 'convert', b.log, '-o', 'out.heapsnapshot', '--shot', '1')
    for form, name in FORMATS.items():
        b.call(b.profview, 'convert', b.log, '--to', form, '-o', name)
    b.call(b.profview, 'check', b.log, '--rule', 'loss max=0', '--save-baseline', 'base.json', '--format',
           'junit=junit.xml')
    b.named('out.mlpd', 'out.heapsnapshot', *FORMATS.values(), 'base.json', 'junit.xml')


def indexed(b):
    """A log that is large enough for an index of it to be kept."""
    code = 'for i in range(60000): bytearray(2000)'
    b.call(b.profview, 'run', '--alloc=1k', '--record', 'large.mlpd', '--', sys.executable, '-c', code)
    b.call(b.profview, 'report', 'large.mlpd')
    b.said('large.mlpd')


def main(profview, program, log):
    v = Verdict('modes')
    for umask in 0, 0o77:
        with tempfile.TemporaryDirectory() as folder:
            b = Bench(profview, program, log, folder, umask)
            for case in recorded, piped, joined, written, indexed:
                case(b)
            there = b.found()
            for name, mode in there.items():
                private = FOLDER if (b.folder / name).is_dir() else SAID if '/' in name else None
                v.equal(f'umask {umask:o}: {name}', oct(mode), oct(private or b.modes.pop(name, -1)))
            v.equal(f'umask {umask:o}: missing', list(b.modes), [])
            v.true('an index', any(name.startswith('cache/profview/index/') for name in there), there)
            v.true('a tree', 'tree/index.json' in there and 'joined/index.json' in there, there)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
