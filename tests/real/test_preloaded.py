#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that cannot load the probe run in a recorded tree as they do outside of one.

usage: test_preloaded.py musl|small|root|blank|older PROFVIEW [COMPILER]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import odd_ways
from verdict import Verdict

SKIP = 77
SMALL = '/lib32/libc.so.6'    # a program of 32 bits, which says what it is
SOURCE = '#include <stdio.h>\nint main(void) { puts("here"); return 7; }\n'


def compare(v, profview, folder, words, name):
    """From a shell: what is not typed is not looked at before."""
    words = [*odd_ways.SHELL, *words]
    run = [profview, 'run', '--record', f'{folder}/logs/', '--', *words]
    v.equal(name, odd_ways.outcome(run, os.environ | {'TERM': 'dumb'}), odd_ways.outcome(words))


def musl(v, profview, folder, compiler):
    program = folder / 'musl'
    (folder / 'musl.c').write_text(SOURCE)
    subprocess.run([compiler, '-o', program, folder / 'musl.c'], check=True)
    compare(v, profview, folder, [program], 'with musl')


def small(v, profview, folder):
    compare(v, profview, folder, [SMALL], 'of 32 bits')


def new_root(v, profview, folder):
    """With a shell and what that is linked with, and nothing of the probe's."""
    root = folder / 'root'
    libraries = subprocess.run(['ldd', '/bin/sh'], capture_output=True, text=True, check=True).stdout
    for word in ['/bin/sh', *(w for w in libraries.split() if w.startswith('/'))]:
        (root / word[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(word, root / word[1:])
    compare(v, profview, folder, ['chroot', str(root), '/bin/sh', '-c', 'echo inside; (exit 7)'], 'in a new root')


def blank(v, profview, folder):
    place = folder / 'a b:c'
    shutil.copytree(pathlib.Path(profview).parent / 'probe', place / 'probe', symlinks=True,
                    ignore=lambda _, names: [n for n in names if n.endswith(('.p', '.a'))])
    shutil.copy(profview, place / 'profview')
    compare(v, place / 'profview', folder, ['sh', '-c', 'echo said; exit 7'], 'from a path with a blank')
    log = folder / 'log.mlpd'
    words = [sys.executable, '-c', 'sum(range(10**7))']
    odd_ways.outcome([place / 'profview', 'run', '--record', log, '--', *words], os.environ | {'TERM': 'dumb'})
    v.true('it is recorded', log.exists() and log.stat().st_size > 0)
    links = [link for link in pathlib.Path(f'/tmp/profview-{os.geteuid()}').glob('probe-*')
             if str(folder) in os.readlink(link)]
    v.equal('links to it', len(links), 1)
    for link in links:
        link.unlink()


def older(v, profview, folder, compiler):
    """Beside its loader lies a C library that has less than the probe asks for."""
    program, loader, library = folder / 'old', folder / 'ld.so', folder / 'libc.so.6'
    (folder / 'old.c').write_text(SOURCE)
    (folder / 'libc.c').write_text('int nothing;\n')
    (folder / 'libc.map').write_text('GLIBC_2.2.5 { };\nGLIBC_2.9 { };\n')
    subprocess.run([compiler, '-o', program, folder / 'old.c', f'-Wl,--dynamic-linker={loader}'], check=True)
    subprocess.run([compiler, '-shared', '-nostdlib', '-o', library, folder / 'libc.c', '-Wl,-soname,libc.so.6',
                    f'-Wl,--version-script={folder / "libc.map"}'], check=True)
    shutil.copy(re.search(rb'\[Requesting program interpreter: (.*)\]',
                          subprocess.run(['readelf', '-l', sys.executable], capture_output=True, check=True).stdout)[1].decode(), loader)
    log = folder / 'log.mlpd'
    p = subprocess.run([profview, 'run', '--record', log, '--', program], capture_output=True, text=True, timeout=150)
    v.equal('it is not started', (p.returncode, p.stdout), (3, ''))
    v.true('with the reason', 'runs on glibc 2.9, and the probe asks for 2.' in p.stderr)
    words = [str(program)]
    v.equal('in a tree', odd_ways.outcome([profview, 'run', '--record', f'{folder}/logs/', '--', *words], os.environ | {'TERM': 'dumb'}),
            odd_ways.outcome(words))
    v.equal('without a probe', [p.name for p in (folder / 'logs').glob('*.mlpd')], [])


def main(what, profview, compiler=None):
    missing = {'musl': not compiler, 'small': not os.path.exists(SMALL), 'root': os.geteuid() != 0}
    if missing.get(what):
        return SKIP
    v = Verdict(f'preloaded {what}')
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = pathlib.Path(name)
        if what in ('musl', 'older'):
            globals()[what](v, profview, folder, compiler)
        else:
            {'small': small, 'root': new_root, 'blank': blank}[what](v, profview, folder)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
