#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
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
from term import Terminal
from test_clr_join import can, child_of
from test_port import press
from verdict import Verdict

NOBODY = '65534'
INSIDE = ('mount --bind "$1" /mnt && mount -t tmpfs none /tmp && mount -t proc none /proc && shift && exec env LD_PRELOAD="$1" '
          'PROFVIEW_OPTIONS="output=$3,sample=100,control=$4" "$2" compute 60000')
PODS = {'root': ['unshare', '-mpf', '--kill-child'],
        'rootless': ['setpriv', f'--reuid={NOBODY}', f'--regid={NOBODY}', '--clear-groups', 'unshare', '-Urmpf', '--kill-child']}


@contextlib.contextmanager
def pod(how, folder, probe, program, output, control='on'):
    """A program with mounts and numbers of its own that shares but one folder; its number outside."""
    with subprocess.Popen([*PODS[how], 'sh', '-c', INSIDE, 'sh', folder, probe, program, output, control], stdout=subprocess.DEVNULL) as p:
        try:
            pid = child_of(p.pid)
            log = folder / pathlib.Path(output).name
            target.wait_for('its log', lambda: log.exists() and log.stat().st_size)
            yield pid
        finally:
            p.kill()


def ask(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, timeout=target.DEADLINE)


def viewer_of(at, profview):
    """Below what took it to its place."""
    while not pathlib.Path(f'/proc/{at}/cmdline').read_bytes().startswith(profview.encode()):
        at = child_of(at)
    return at


def joined(v, how, profview, pid, folder, before=()):
    """From outside, as often as one likes."""
    log = folder / 'viewer.mlpd'
    log.unlink(missing_ok=True)
    with subprocess.Popen([*before, profview, 'attach', str(pid), '--record', log], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as viewer:
        try:
            target.wait_for('the viewer to read', lambda: viewer.poll() is not None or log.exists() and log.stat().st_size > 1000)
        finally:
            os.kill(viewer_of(viewer.pid, profview), signal.SIGINT)
            said = viewer.communicate(timeout=target.DEADLINE)[1]
    v.true(f'{how}: attached', log.exists() and 'refuse' not in said and 'no probe' not in said, said)


def leave(t, words):
    t.keys('q')
    if words[0] == 'attach':
        t.wait('Leave?')
        t.keys('y')
    t.wait_prompt()


def header(profview, *words):
    """The screen, once it says the process's number inside."""
    with target.scratch() as folder, Terminal(folder) as t:
        t.run(profview, *words)
        said = t.wait(lambda screen: screen if ' inside)' in screen else None)
        leave(t, words)
    return said


def threads(profview, folder, pid, *words):
    """What rows say of the first thread: its number here and the one of its log."""
    rows = folder / 'rows.json'
    rows.unlink(missing_ok=True)
    with target.scratch() as home, Terminal(home) as t:
        t.run(profview, *words)
        t.wait(' inside)')
        t.type(':threads\n')
        t.wait(lambda screen: 'OUTSIDE' in screen and str(pid) in screen)
        t.type(f'e{rows}\n')
        target.wait_for('the rows', lambda: rows.exists() and rows.read_text().rstrip().endswith(']'))
        leave(t, words)
    return [(int(r['id_outside'], 16), int(r['id'], 16)) for r in json.loads(rows.read_text()) if r['id'] == '0x1']


def cell(v, how, profview, probe, program, folder):
    folder.mkdir()
    folder.chmod(0o777)
    with pod(how, folder, probe, program, '|cat >/mnt/piped') as pid:
        said = ask(profview, 'ctl', pid, 'stats')
        v.true(f'{how}: ctl', said.stdout.startswith('ok pid=1 '), said)
        def listed():  # what does not answer within its second is asked again: a busy machine may let it wait
            rows = [r for r in json.loads(ask(profview, 'ps', '--format', 'json').stdout) if r['pid'] == pid]
            return rows if all(r['answered'] for r in rows) else None
        rows = target.wait_for('its answer', listed)
        v.equal(f'{how}: ps', [(r['join'], r['answered'], r['socket']) for r in rows],
                [('probe', True, f'/proc/{pid}/root/tmp/profview-0/1')])
        target.wait_for('both numbers', lambda: f'{pid} (1 inside)' in ask(profview, 'ps').stdout)
        v.equal(f'{how}: and so does JSON', [r['pid_inside'] for r in rows], [1])
        v.true(f'{how}: the screen, too', f'pid {pid} (1 inside)' in (said := header(profview, 'attach', str(pid))), said)
        v.equal(f'{how}: and of its thread', threads(profview, folder, pid, 'attach', str(pid)), [(pid, 1)])
        joined(v, how, profview, pid, folder)
        joined(v, f'{how}, again', profview, pid, folder)
        v.true(f'{how}: after leaving', ask(profview, 'ctl', pid, 'stats').stdout.startswith('ok '))
    with pod(how, folder, probe, program, '/mnt/log.mlpd') as pid:
        said = header(profview, '--follow', '--no-index', folder / 'log.mlpd')
        v.true(f'{how}: of a followed file both numbers', f'pid {pid} (1 inside)' in said, said)
        said = threads(profview, folder, pid, '--follow', '--no-index', folder / 'log.mlpd')
        v.equal(f'{how}: its threads, too', said, [(pid, 1)])
        v.true(f'{how}: the key', 'blocks are not followed' in (said := press(profview, folder / 'log.mlpd')), said)


def by_path(v, how, profview, probe, program, folder):
    """A socket that has a name outside, too; from a sidecar that sees no process of the container."""
    # The first process of a container is not interrupted before it handles that: a shell is.
    sidecar = ['unshare', '-mpf', '--mount-proc', '--kill-child', 'sh', '-c', '"$@"; exit $?', 'sh']
    with pod(how, folder, probe, program, '|cat >/mnt/named', '/mnt/ctl') as pid:
        for who, before in ('host', []), ('sidecar', sidecar):
            said = ask(*before, profview, 'ctl', folder / 'ctl', 'stats')
            v.true(f'{how}: ctl by its path, {who}', said.stdout.startswith('ok pid=1 '), said)
        joined(v, f'{how}, by its path', profview, folder / 'ctl', folder)
        joined(v, f'{how}, from a sidecar', profview, folder / 'ctl', folder, sidecar)
        for words in ([folder / 'ctl', folder / 'ctl'], ['--record', f'{folder}/several/', folder / 'ctl']):
            said = ask(*sidecar, profview, 'attach', *words)
            v.true(f'{how}: not with others', said.returncode == 3 and 'not seen here' in said.stderr, said)
        said = ask(profview, 'ctl', folder / 'named', 'stats')
        v.true(f'{how}: no socket', said.returncode == 3 and 'no socket' in said.stderr, said)


def joined_by_path(v, profview, probe, program, folder):
    env = os.environ | {'LD_PRELOAD': probe, 'PROFVIEW_OPTIONS': f'output=|cat >/dev/null,sample=100,control={folder}/ctl'}
    with subprocess.Popen([program, 'compute', '60000'], env=env, stdout=subprocess.DEVNULL) as p:
        try:
            target.wait_for('its socket', (folder / 'ctl').exists)
            joined(v, 'by its path', profview, folder / 'ctl', folder)
        finally:
            p.kill()


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
                by_path(v, how, profview, probe, program, pathlib.Path(name, how))
        joined_by_path(v, profview, probe, program, pathlib.Path(name))
    v.close()


if __name__ == '__main__':
    main(*map(os.path.abspath, sys.argv[1:]))
