# SPDX-License-Identifier: MIT
"""A program on a pseudo terminal, and what its screen shows: enough of a terminal for that."""
import codecs
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time

SEQUENCE = re.compile(r'\x1b(?:\[([?>=]?)([\d;]*)([ -/]*[@-~])|[()*+].|\][^\x07\x1b]*(?:\x07|\x1b\\)|[^\[\]()*+])')
PART = re.compile(r'\x1b(?:\[[\d;?>= -/]*|[()*+]?|\][^\x07\x1b]*\x1b?)?$')


class Screen:
    """Cells as text; styles are not kept."""

    def __init__(self, columns, rows):
        self.w, self.h = columns, rows
        self.cell = [[' '] * columns for _ in range(rows)]
        self.x = self.y = 0
        self.top, self.bottom = 0, rows - 1
        self.decode = codecs.getincrementaldecoder('utf-8')(errors='replace').decode
        self.rest = ''
        self.reply = b''  # what it has been asked for

    def text(self):
        return '\n'.join(''.join(row) for row in self.cell)

    def feed(self, data):
        text = self.rest + self.decode(data)
        part = PART.search(text)
        self.rest = part[0] if part else ''
        text = text[:len(text) - len(self.rest)]
        at = 0
        for m in SEQUENCE.finditer(text):
            self.plain(text[at:m.start()])
            at = m.end()
            if m[3] and not m[1]:
                self.control(m[3], [int(n or 0) for n in m[2].split(';')])
            elif m[0] == '\x1bM':
                self.scroll(-1) if self.y == self.top else self.move(self.x, self.y - 1)
        self.plain(text[at:])

    def plain(self, text):
        for c in text:
            if c == '\r':
                self.x = 0
            elif c == '\n':
                self.scroll(1) if self.y == self.bottom else self.move(self.x, self.y + 1)
            elif c == '\b':
                self.x = max(0, self.x - 1)
            elif c >= ' ':
                if self.x >= self.w:
                    self.x = 0
                    self.y = min(self.y + 1, self.h - 1)
                self.cell[self.y][self.x] = self.last = c
                self.x += 1

    def move(self, x, y):
        self.x, self.y = max(0, min(x, self.w - 1)), max(0, min(y, self.h - 1))

    def scroll(self, by, top=None):
        top = self.top if top is None else top
        for _ in range(abs(by)):
            self.cell.insert(self.bottom + 1 if by > 0 else top, [' '] * self.w)
            del self.cell[top if by > 0 else self.bottom + 1]

    def erase(self, start, end):
        for i in range(start, min(end, self.w * self.h)):
            self.cell[i // self.w][i % self.w] = ' '

    def control(self, what, arg):
        n, row, here = max(arg[0], 1), self.cell[self.y], self.y * self.w + self.x
        second = max(arg[1], 1) if len(arg) > 1 else 1
        if what in 'ABCDGdHf':
            x, y = {'A': (self.x, self.y - n), 'B': (self.x, self.y + n), 'C': (self.x + n, self.y),
                    'D': (self.x - n, self.y), 'G': (n - 1, self.y), 'd': (self.x, n - 1),
                    'H': (second - 1, n - 1), 'f': (second - 1, n - 1)}[what]
            self.move(x, y)
        elif what == 'n' and arg[0] == 5:
            self.reply += b'\x1b[0n'
        elif what == 'J':
            self.erase(here if arg[0] == 0 else 0, here + 1 if arg[0] == 1 else self.w * self.h)
        elif what == 'K':
            start = self.y * self.w
            self.erase(here if arg[0] == 0 else start, here + 1 if arg[0] == 1 else start + self.w)
        elif what == 'X':
            self.erase(here, min(here + n, (self.y + 1) * self.w))
        elif what == 'b':
            self.plain(self.last * n)
        elif what == '@':
            row[self.x:] = ([' '] * n + row[self.x:])[:self.w - self.x]
        elif what == 'P':
            row[self.x:] = (row[self.x + n:] + [' '] * n)[:self.w - self.x]
        elif what in 'LM':
            self.scroll(-n if what == 'L' else n, self.y)
        elif what in 'ST':
            self.scroll(n if what == 'S' else -n)
        elif what == 'r':
            self.top, self.bottom = n - 1, (arg[1] if len(arg) > 1 and arg[1] else self.h) - 1
            self.move(0, 0)


class Program:
    """A program in a terminal of its own."""

    def __init__(self, words, columns=120, rows=36):
        self.screen = Screen(columns, rows)
        self.started = self.read_at = time.monotonic()
        self.bytes = 0  # that it has written
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            env = {**os.environ, 'TERM': 'xterm-256color', 'LC_ALL': 'C.UTF-8'}
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
            os.execve(words[0], [str(word) for word in words], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def read(self, wait):
        """False when it has ended."""
        if select.select([self.fd], [], [], wait)[0]:
            try:
                data = os.read(self.fd, 1 << 16)
            except OSError:
                return False
            self.read_at = time.monotonic()
            self.bytes += len(data)
            self.screen.feed(data)
            if self.screen.reply:
                os.write(self.fd, self.screen.reply)
                self.screen.reply = b''
        return True

    def catch_up(self):
        """Whatever it has written until now."""
        while select.select([self.fd], [], [], 0.001)[0] and self.read(0):
            pass

    def until(self, holds, deadline=30.0):
        """Seconds until holds(screen text), from now; None when it does not."""
        start = time.monotonic()
        while not holds(self.screen.text()):
            left = deadline - (time.monotonic() - start)
            if left <= 0 or not self.read(min(left, 0.5)):
                return None
        return time.monotonic() - start

    def keys(self, text):
        os.write(self.fd, text.encode())

    def size(self, columns, rows):
        self.screen = Screen(columns, rows)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def wait(self):
        """The exit status and what it has used."""
        while self.read(5):
            pass
        _, status, usage = os.wait4(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status), usage
