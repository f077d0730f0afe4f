#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Stacks of Mono's samples have the native functions in front of the managed ones that called them; threads of
native code are sampled once they call managed code.

usage: test_mixed.py PROFVIEW MODULE MIXED.EXE LIBRARY
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from verdict import Verdict

MS, RATE = 700, 500
NATIVE = ['mixed_spin', 'mixed_outer', 'mixed_inner']  # outermost first


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, capture_output=True, text=True, timeout=150, **more).stdout


def leaves(profview, log):
    """Names from the root on, and samples, of each row of the call tree that has some."""
    rows = json.loads(run(profview, 'report', log, '--section', 'call_tree', '--format', 'json', '--limit', '0',
                          '--no-index'))['call_tree']
    path = {0: []}
    for r in rows:
        path[r['id']] = path[r['parent']] + [r['method'].split(' ')[0]]
    return [(path[r['id']], r['samples']) for r in rows if r['samples']]


def main(profview, module, program, library):
    if not shutil.which('mono'):
        sys.exit(77)
    v = Verdict('mixed')
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, 'mixed.mlpd')
        path = ':'.join([str(pathlib.Path(p).resolve().parent) for p in (module, library)])
        run('mono', f'--profile=profview:nodefaults,sample={RATE},output={log}', program, MS,
            env={**os.environ, 'LD_LIBRARY_PATH': path})
        rows = leaves(profview, log)
        stock = shutil.which('mprof-report') and subprocess.run(['mprof-report', str(log)], capture_output=True,
                                                                text=True, check=False, timeout=150)
    inner = [(p, n) for p, n in rows if p[-1] == 'mixed_inner']
    of_main = [(p, n) for p, n in inner if any('Below' in m for m in p)]
    whole = [(p, n) for p, n in of_main if p[-3:] == NATIVE and any('Main' in m for m in p)]
    v.at_least('samples in native code', sum(n for _, n in of_main), MS * RATE / 1000 / 4)
    v.at_least('those with all native callers below managed ones, percent',
               100 * sum(n for _, n in whole) / max(sum(n for _, n in of_main), 1), 97)
    late = [(p, n) for p, n in rows if any('Late' in m for m in p)]
    v.at_least('samples of the thread that came late', sum(n for _, n in late), MS * RATE / 1000 / 4)
    v.true('a frame once', all(len(set(p[-4:])) == len(p[-4:]) for p, _ in whole), whole)
    if stock:
        v.equal('mprof-report', (stock.returncode, stock.stderr), (0, ''))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
