#!/usr/bin/env python3
"""Programs in containers, spoken to from outside: by their own numbers, files and users.

usage: test_peers.py PROFVIEW PROBE PROGRAM
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys

import target
from test_clr_join import can, child_of
from test_port import press
from verdict import Verdict

NOBODY = '65534'
INSIDE = ('mount --bind "$1" /mnt && mount -t tmpfs none /tmp && mount -t proc none /proc && shift && exec env LD_PRELOAD="$1" '
          'PROFVIEW_OPTIONS="output=$3,sample=100,control=on" "$2" compute 60000')
PODS = {'root': ['unshare', '-mpf', '--kill-child'],
        'rootless': ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups', 'unshare', '-Urmpf', '--kill-child']}


@contextlib.contextmanager
def pod(how, folder, probe, program, output):
    """A program with mounts and numbers of its own that shares but one folder; its number outside."""
    with subprocess.Popen([*PODS[how], 'sh', '-c', INSIDE, 'sh', folder, probe, program, output], stdout=subprocess.DEVNULL) as p:
        try:
            pid = child_of(p.pid)
            log = folder / pathlib.Path(output).name
            target.wait_for('its log', lambda: log.exists() and log.stat().st_size)
            yield pid
        finally:
            p.kill()


def ask(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, timeout=target.DEADLINE)


def joined(v, how, profview, pid, folder):
    """From outside, as often as one likes."""
    log = folder / 'viewer.mlpd'
    log.unlink(missing_ok=True)
    with subprocess.Popen([profview, 'attach', str(pid), '--record', log], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as viewer:
        try:
            target.wait_for('the viewer to read', lambda: viewer.poll() is not None or log.exists() and log.stat().st_size > 1000)
        finally:
            viewer.send_signal(signal.SIGINT)
            said = viewer.communicate(timeout=target.DEADLINE)[1]
    v.true(f'{how}: attached', log.exists() and 'refuse' not in said and 'no probe' not in said, said)


def cell(v, how, profview, probe, program, folder):
    folder.mkdir()
    folder.chmod(0o777)
    with pod(how, folder, probe, program, '|cat >/mnt/piped') as pid:
        said = ask(profview, 'ctl', pid, 'stats')
        v.true(f'{how}: ctl', said.stdout.startswith('ok pid=1 '), said)
        rows = [r for r in json.loads(ask(profview, 'ps', '--format', 'json').stdout) if r['pid'] == pid]
        v.equal(f'{how}: ps', [(r['join'], r['answered'], r['socket']) for r in rows],
                [('probe', True, f'/proc/{pid}/root/tmp/profview-0/1')])
        joined(v, how, profview, pid, folder)
        joined(v, f'{how}, again', profview, pid, folder)
        v.true(f'{how}: after leaving', ask(profview, 'ctl', pid, 'stats').stdout.startswith('ok '))
    with pod(how, folder, probe, program, '/mnt/log.mlpd') as pid:
        v.true(f'{how}: the key', 'blocks are not followed' in (said := press(profview, folder / 'log.mlpd')), said)


def main(profview, probe, program):
    if os.geteuid() != 0 or not can(*PODS['root'], 'true'):
        print('only root can make these containers')
        sys.exit(target.SKIP)
    v = Verdict('peers')
    with target.scratch() as name:
        os.chmod(name, 0o755)
        for how in PODS:
            if can(*PODS[how], 'true'):
                cell(v, how, profview, probe, program, pathlib.Path(name, how))
    v.close()


if __name__ == '__main__':
    main(*map(os.path.abspath, sys.argv[1:]))
