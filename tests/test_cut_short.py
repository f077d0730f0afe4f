#!/usr/bin/env python3
"""A finished log that is cut short under a report: what was read is shown, and the damage said.

usage: test_cut_short.py PROFVIEW BIGLOG
Buffers are kept back behind the end of a thread, and some of these are read a second time: they are
gone then.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

DEADLINE = 120
TRIES = 20
SIZE = '16'
CUT = 1000000


def read_so_far(pid):
    with open(f'/proc/{pid}/io') as io:
        return int(io.readline().split()[1])


def stop_amid(reader, size):
    """Stopped in the middle of the log; False: it was through before."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until and reader.poll() is None:
        if read_so_far(reader.pid) > size // 2:
            os.kill(reader.pid, signal.SIGSTOP)
            return read_so_far(reader.pid) < size * 0.9
    return False


def once(profview, path):
    """(exit code, report, what was complained of), or None where the log was not cut in time."""
    size = os.path.getsize(path)
    reader = subprocess.Popen([profview, 'report', path, '--no-index', '--format', 'json',
                               '--section', 'source,events,methods'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    amid = stop_amid(reader, size)
    if amid:
        os.truncate(path, CUT)
    if reader.poll() is None:
        os.kill(reader.pid, signal.SIGCONT)
    out, err = reader.communicate(timeout=DEADLINE)
    return (reader.returncode, json.loads(out), err.decode()) if amid else None


def main(profview, biglog):
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'cut.mlpd')
            with open(path, 'wb') as out:
                subprocess.run([biglog, 'kept', SIZE], stdout=out, timeout=DEADLINE, check=True)
            got = once(profview, path)
        if got:
            break
    else:
        sys.exit('the report was always through before the log was cut')
    code, report, said = got
    reasons = [d['reason'] for d in report['source']['damage']]
    assert code == 4, (code, said)
    assert 'the file has changed while it was read' in reasons, reasons
    assert 'the rest is shown' in said, said
    assert not report['source']['complete']
    assert report['events']['method.enter'] > CUT // 10, report['events']
    assert len(report['methods']) == 50, len(report['methods'])


if __name__ == '__main__':
    main(*sys.argv[1:])
