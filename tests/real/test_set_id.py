#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program that runs with its owner's rights does not obey the environment of who started it; another does.

usage: test_set_id.py PROGRAM    linked with the probe
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from verdict import Verdict

SKIP, NOBODY = 77, 65534


def run(program, mode, folder):
    """What it said, and whether what PROFVIEW_OPTIONS names was made or started."""
    made = folder / 'made'
    made.unlink(missing_ok=True)
    program.chmod(mode)
    said = []
    for output in (made, f'|/usr/bin/touch {made}'):
        env = os.environ | {'PROFVIEW_OPTIONS': f'output={output}'}
        done = subprocess.run([program], env=env, user=NOBODY, group=NOBODY, extra_groups=[], text=True,
                              capture_output=True, check=False)
        said.append((done.returncode, done.stdout.strip(), made.exists()))
        made.unlink(missing_ok=True)
    return said


def main(program):
    if os.geteuid() != 0:
        return SKIP
    v = Verdict('set-id')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o777)
        own = folder / 'program'
        shutil.copyfile(program, own)
        v.equal('with the rights of root', run(own, 0o4755, folder), [(0, f'{NOBODY} 0', False)] * 2)
        v.equal('with its own', run(own, 0o755, folder), [(0, f'{NOBODY} {NOBODY}', True)] * 2)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
