#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A finished log that is cut short under a report: what was read is shown, and the damage said.

usage: test_cut_short.py PROFVIEW BIGLOG
Of one log whatever is read at once ends with a buffer, so nothing in it looks cut. In the other
buffers are held back after the end of a thread: those that were read are shown all the same.
"""
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

DEADLINE = 120
TRIES = 20
SIZE = '16'
CUT = 1000000
BLOCK = 1 << 16  # bytes of the header and of each buffer: what is read at once is some of these
BLOCKS = 1024


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


def write_kept(biglog, out):
    subprocess.run([biglog, 'kept', SIZE], stdout=out, timeout=DEADLINE, check=True)


def counted(text):
    return struct.pack('<I', len(text) + 1) + text + b'\0'


def write_blocks(biglog, out):
    """Calls of one method, a nanosecond each; the fixed part of the header is another log's."""
    fixed = subprocess.run([biglog, 'kept', '1'], stdout=subprocess.PIPE, timeout=DEADLINE,
                           check=True).stdout[:38]
    rest = counted(b'x86-64') + counted(b'linux')
    out.write(fixed + counted(b'x' * (BLOCK - len(fixed) - len(rest) - 5)) + rest)
    calls = b'\x23\x01\x00\x13\x01\x00' * ((BLOCK - 48) // 6)
    calls = b'\x23\x81\x80\x80\x80\x00\x00' + calls[3:]  # four bytes more: the block is full
    for i in range(BLOCKS):
        out.write(struct.pack('<IIQQQQQ', 0x4d504c01, len(calls), 10 ** 12 + i * 10 ** 6, 0, 0, 1,
                              0x401000) + calls)
        assert 48 + len(calls) == BLOCK, len(calls)


def cut_amid(profview, biglog, write):
    for _ in range(TRIES):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'cut.mlpd')
            with open(path, 'wb') as out:
                write(biglog, out)
            got = once(profview, path)
        if got:
            return got
    sys.exit('the report was always through before the log was cut')


def check_blocks(profview, biglog):
    code, report, said = cut_amid(profview, biglog, write_blocks)
    damage = report['source']['damage']
    assert code == 4, (code, said)
    assert [d['reason'] for d in damage] == ['the file was cut short while it was read'], damage
    assert damage[0]['offset'] % BLOCK == 0, damage
    assert damage[0]['offset'] + damage[0]['bytes'] == BLOCK * (BLOCKS + 1), damage
    assert not report['source']['complete']


def main(profview, biglog):
    check_blocks(profview, biglog)
    code, report, said = cut_amid(profview, biglog, write_kept)
    reasons = [d['reason'] for d in report['source']['damage']]
    assert code == 4, (code, said)
    assert reasons == ['the input ends inside a buffer'], reasons
    assert 'the rest is shown' in said, said
    assert not report['source']['complete']
    assert report['events']['method.enter'] > CUT // 10, report['events']
    assert len(report['methods']) == 50, len(report['methods'])


if __name__ == '__main__':
    main(*sys.argv[1:])
