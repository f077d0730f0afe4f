#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The program on a pseudo terminal: it always gives it back as it was, whatever ends it.

usage: test_terminal.py PROFVIEW LOG
"""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time

DEADLINE = 60
FAILED = []
ENTER_SCREEN, LEAVE_SCREEN = b'\x1b[?1049h', b'\x1b[?1049l'


def check(what, good, more=''):
    if not good:
        FAILED.append(f'{what} {more}')


class Viewer:
    def __init__(self, words, term='xterm-256color', locale='C.UTF-8', stdin=None):
        self.master, slave = pty.openpty()
        self.slave = slave
        self.size(120, 36)
        self.before = termios.tcgetattr(slave)
        self.seen = b''
        said, say = os.pipe()
        self.shell = os.fork()
        if self.shell == 0:
            os.close(said)
            self.be_a_shell(words, term, locale, stdin, say)
        os.close(say)
        self.said = said
        self.pid = struct.unpack('i', os.read(said, 4))[0]

    def be_a_shell(self, words, term, locale, stdin, say):
        """
        Runs the program as a job of a session with this terminal, as a shell does: only then can
        it be stopped. Says its process id at once, and its status when it has ended.
        """
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        os.setsid()
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
        pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            os.tcsetpgrp(self.slave, os.getpid())
            for sig in (signal.SIGTTOU, signal.SIGHUP):
                signal.signal(sig, signal.SIG_DFL)
            for fd in (0, 1, 2):
                os.dup2(stdin if fd == 0 and stdin is not None else self.slave, fd)
            os.closerange(3, 100)
            env = {**os.environ, 'TERM': term, 'LC_ALL': locale}
            env.pop('NO_COLOR', None)
            os.execve(words[0], words, env)
        os.close(self.master)
        os.close(self.slave)
        os.write(say, struct.pack('i', pid))
        os.write(say, struct.pack('i', os.waitpid(pid, 0)[1]))
        os._exit(0)

    def size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def read(self, wait):
        if select.select([self.master], [], [], wait)[0]:
            try:
                self.seen += os.read(self.master, 65536)
            except OSError:
                return False
        return True

    def wait_for(self, part, what, anew=False):
        """
        Polls until the program has written `part`; what was before it is forgotten. `anew`: words
        that may have come bit by bit, so the screen is drawn anew now and then.
        """
        end = again = time.monotonic() + DEADLINE
        while part not in self.seen and time.monotonic() < end and self.read(0.05):
            if anew and time.monotonic() > again - DEADLINE:
                again += 1
                self.keys('\x0c')
        found = part in self.seen
        check(what, found, repr(self.seen[-300:]))
        if found:
            self.seen = self.seen[self.seen.index(part) + len(part):]
        return found

    def keys(self, text):
        os.write(self.master, text.encode())

    def state(self):
        with open(f'/proc/{self.pid}/stat', encoding='ascii') as stat:
            return stat.read().rsplit(')', 1)[1].split()[0]

    def wait_state(self, letters, what):
        end = time.monotonic() + DEADLINE
        while self.state() not in letters and time.monotonic() < end:
            self.read(0.02)
        check(what, self.state() in letters, self.state())

    def end(self, seconds=DEADLINE):
        """The exit code, negative for a signal; None when it goes on."""
        end = time.monotonic() + seconds
        while not select.select([self.said], [], [], 0)[0]:
            if time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                return None
            if self.master < 0 or not self.read(0.02):
                time.sleep(0.02)
        while self.master >= 0 and select.select([self.master], [], [], 0)[0]:
            if not self.read(0):
                break
        return os.waitstatus_to_exitcode(struct.unpack('i', os.read(self.said, 4))[0])

    def restored(self, what):
        check(f'{what}: modes of the terminal', termios.tcgetattr(self.slave) == self.before)

    def close(self):
        os.waitpid(self.shell, 0)
        for fd in (self.slave, self.master, self.said):
            if fd >= 0:
                os.close(fd)


def leaves(profview, log, what, act, want):
    v = Viewer([profview, log])
    if v.wait_for(ENTER_SCREEN, f'{what}: the screen'):
        v.wait_for(b'1 Home', f'{what}: the first frame')
        act(v)
        check(f'{what}: exit code', (code := v.end()) == want, code)
        v.wait_for(LEAVE_SCREEN, f'{what}: the main screen')
        v.restored(what)
    v.close()


def endings(profview, log):
    leaves(profview, log, 'q', lambda v: v.keys('q'), 0)
    leaves(profview, log, 'Q in another pane', lambda v: v.keys('2Q'), 0)
    leaves(profview, log, 'Ctrl-C', lambda v: v.keys('\x03'), 130)
    for sig in (signal.SIGTERM, signal.SIGHUP):
        leaves(profview, log, sig.name, lambda v, s=sig: os.kill(v.pid, s), 128 + sig)
    for sig in (signal.SIGSEGV, signal.SIGABRT):
        leaves(profview, log, sig.name, lambda v, s=sig: os.kill(v.pid, s), -sig)


def habits(profview, log):
    """What hands and terminals send besides keys."""
    v = Viewer([profview, log])
    v.wait_for(b'1 Home', 'habits: the first frame')
    v.keys('2')
    v.wait_for(b'Methods', 'habits: methods')
    v.keys('\x13\x1c')  # Ctrl-S, Ctrl-\\
    v.keys('\x1b[200~Q\r3Q\x1b[201~')
    v.wait_for(b'not taken for keys', 'habits: pasted text is said')
    for pieces in (('\x1b[20', '0~Q'), ('\x1b', '[200~Q'), ('\x1b[2', '00~3Q\x1b[20', '1~')):
        for piece in pieces:  # as a slow line brings them
            v.keys(piece)
            time.sleep(0.3)
    v.keys('\x1b[201~')
    v.keys('\x1b[1;9Q\x1b[99~\x1b[?62;22c\x1b[I')  # a key that nobody knows, answers of a terminal
    v.keys('/\x1b[200~Shop\rQ\x1b[201~')
    v.wait_for(b'ShopQ', 'habits: pasted into a prompt')
    v.keys('\x1b')
    time.sleep(0.1)  # else it begins a sequence
    v.keys(':wq\r')
    check('habits: exit code', (code := v.end()) == 0, code)
    v.wait_for(b'\x1b[?2004l', 'habits: paste is as it was')
    v.restored('habits')
    v.close()


def clicks_far_out(profview, log):
    """Columns beyond 223, on a terminal whose description has no such mouse."""
    v = Viewer([profview, log], term='screen-256color')
    v.size(300, 36)
    v.wait_for(b'\x1b[?1006h', 'clicks: digits are asked for')
    v.wait_for(b'1 Home', 'clicks: the first frame')
    v.keys('\x1b[<0;280;3M\x1b[<0;280;3m')
    v.keys('2')
    v.wait_for(b'Methods', 'clicks: they are no keys')
    v.keys('Q')
    check('clicks: exit code', (code := v.end()) == 0, code)
    v.restored('clicks')
    v.close()


def stops_and_goes_on(profview, log):
    v = Viewer([profview, log])
    v.wait_for(b'1 Home', 'stop: the first frame')
    os.kill(v.pid, signal.SIGTSTP)
    v.wait_state('tT', 'stop: Ctrl-Z stops it')
    v.wait_for(LEAVE_SCREEN, 'stop: the main screen')
    v.restored('stop')
    v.size(60, 20)
    os.kill(v.pid, signal.SIGCONT)
    v.wait_for(ENTER_SCREEN, 'stop: the screen again')
    v.wait_for(b'Findings', 'stop: a whole frame')
    v.keys('2')
    v.wait_for(b'Methods', 'stop: keys work')
    v.keys('Q')
    check('stop: exit code', v.end() == 0)
    v.restored('stop, then leave')
    v.close()


def terminals(profview, log):
    for term in ('', 'dumb', 'no-such-terminal'):
        v = Viewer([profview, log], term=term)
        check(f'TERM={term}: exit code', (code := v.end()) == 2, code)
        v.wait_for(b'profview report', f'TERM={term}: advice')
        v.restored(f'TERM={term}')
        v.close()
    v = Viewer([profview, log], term='vt100', locale='C')
    v.wait_for(b'1 Home', 'vt100: the first frame')
    v.keys('2q')
    check('vt100: exit code', v.end() == 0)
    check('vt100: plain ASCII', all(byte < 128 for byte in v.seen), v.seen[:200])
    v.close()


def keys_from_the_terminal(profview, log):
    read, write = os.pipe()
    v = Viewer([profview, '-'], stdin=read)
    os.close(read)
    with open(log, 'rb') as data:
        bytes_left = data.read()
    while bytes_left:
        bytes_left = bytes_left[os.write(write, bytes_left[:4096]):]
        v.read(0)
    os.close(write)
    v.wait_for(b'Shop.Main', 'data on standard input: figures', anew=True)
    v.keys('h')
    v.wait_for(b'Everywhere', 'data on standard input: keys work')
    v.keys('Q')
    check('data on standard input: exit code', v.end() == 0)
    v.restored('data on standard input')
    v.close()


def the_terminal_goes_away(profview, log):
    v = Viewer([profview, log])
    v.wait_for(b'1 Home', 'hang-up: the first frame')
    os.close(v.master)
    os.close(v.slave)
    v.master = v.slave = -1
    code = v.end()
    check('hang-up: exit code', code == 129, code)
    v.close()


def main(profview, log):
    profview = os.path.abspath(profview)
    endings(profview, log)
    habits(profview, log)
    clicks_far_out(profview, log)
    stops_and_goes_on(profview, log)
    terminals(profview, log)
    keys_from_the_terminal(profview, log)
    the_terminal_goes_away(profview, log)
    print('\n'.join(FAILED) or 'the terminal was given back each time')
    sys.exit(1 if FAILED else 0)


if __name__ == '__main__':
    main(*sys.argv[1:])
