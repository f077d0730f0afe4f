#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is followed across clocks and networks.

usage: test_pod_follow.py stepped PROFVIEW LOG.mlpd.gz
       test_pod_follow.py network PROFVIEW COUNTED.EXE
"""
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import time

import target
from term import Terminal
from test_clr_join import can, child_of
from test_port import Listener, log_of
from verdict import Verdict

HOUR_MS = 3600 * 1000
# Loopback is down in a new namespace: SIOCSIFFLAGS, IFF_UP and IFF_RUNNING.
LOOPBACK = ('import fcntl, socket, struct\n'
            'fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14s", b"lo", 0x41, b""))')


def lines(profview, *words):
    return subprocess.run([profview, 'dump', *words], capture_output=True, check=False, timeout=target.DEADLINE).stdout.splitlines()


def stepped(v, profview, packed, folder):
    """The clock was set by an hour, forward or back, after the log had begun: its writer is live until it ends."""
    data = gzip.decompress(pathlib.Path(packed).read_bytes())
    for step in -HOUR_MS, HOUR_MS:
        log, said = folder / f'{step}.mlpd', folder / f'{step}.txt'
        with subprocess.Popen(['sh', '-c', 'exec 3>"$1"; echo; while read -r part; do cat "$part" >&3; echo; done', 'sh', log],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as writer:
            whole = log_of(data, folder / 'whole', writer.pid, start=int(time.time() * 1000) - step).read_bytes()
            half = len(whole) // 2
            writer.stdout.readline()

            def write(part, name, to=writer):
                (folder / name).write_bytes(part)
                to.stdin.write(f'{folder / name}\n')
                to.stdin.flush()
                to.stdout.readline()

            write(whole[:half], 'first')
            with open(said, 'wb') as out, subprocess.Popen([profview, 'dump', '--follow', log], stdout=out,
                                                           stderr=subprocess.PIPE) as follower:
                want = len(lines(profview, folder / 'first')) * 9 // 10
                try:
                    target.wait_for('the first half', lambda: said.read_bytes().count(b'\n') >= want)
                    v.equal(f'{step}: it is followed', follower.poll(), None)
                    write(whole[half:], 'second')
                    writer.stdin.close()
                    writer.wait(target.DEADLINE)
                    complaint = follower.communicate(timeout=target.DEADLINE)[1]
                finally:
                    follower.kill()
                    writer.kill()
        v.equal(f'{step}: complaints', (follower.returncode, complaint), (0, b''))
        v.true(f'{step}: every event', said.read_bytes().splitlines() == lines(profview, log), complaint)


def network(v, profview, exe, folder):
    """The port in a log's header is of the program's network, and not of the one in which it is read."""
    if os.geteuid() != 0 or not can('unshare', '-mpfn', 'true'):
        print('only root can make a network')
        sys.exit(target.SKIP)
    target.need('mono')
    shutil.copy(exe, folder / 'app.exe')
    log = folder / 'log.mlpd'
    listener = Listener()  # on the same number, in our own network
    options = f'log:nodefaults,exception,heapshot=ondemand,port={listener.port},output={log}'
    inside = f"python3 -c '{LOOPBACK}' && mount -t proc none /proc && exec mono --profile={options} {folder}/app.exe pause throws pause"
    try:
        with target.Program(['unshare', '-mpfn', '--kill-child', 'sh', '-c', inside], log) as program, Terminal(folder) as t:
            program.wait_phase(1)
            t.run(profview, '--follow', '--no-index', log)
            t.wait(f'pid {child_of(program.process.pid)} (1 inside)')
            t.keys('S')
            said = t.wait(lambda screen: next((x for x in screen.splitlines() if x.strip().startswith(
                ('no heap shot', 'heap shot asked'))), None))
            v.true('it is asked for', 'heap shot asked for' in said, said)
            t.keys('q')
            t.wait_prompt()
            for phase in 2, 3:
                program.go()
                program.wait_phase(phase)
            program.wait()
        v.equal('what was sent to another program', listener.heard(), None)
        v.true('the shot', any(b'heap.end' in line for line in lines(profview, log)))
    finally:
        listener.close()


def main(case, profview, what):
    v = Verdict(f'pod {case}')
    with target.scratch() as folder:
        globals()[case](v, os.path.abspath(profview), os.path.abspath(what), pathlib.Path(folder))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
