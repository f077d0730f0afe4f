# SPDX-License-Identifier: MIT
"""Times of calls from enter and leave events, by the plainest rules: the tests' reference.

A leave closes every frame above its own; one without an enter closes nothing; frames still open
run to their thread's last event. Only a method's outermost activation adds to its total.
"""
import collections


class Thread:
    def __init__(self):
        self.stack = []     # [method's name, entered, time in callees]
        self.last = 0


class CallTimes:
    """Events are kept and replayed at the end, when every method has its name."""

    def __init__(self):
        self.log = []
        self.total = collections.Counter()      # these by name
        self.self_time = collections.Counter()
        self.longest = collections.Counter()
        self.exceptional = collections.Counter()    # by method: only leaves of entered frames
        self.unmatched = 0      # leaves without an enter
        self.closed_early = 0   # frames that were left by the leave of one around them

    def enter(self, thread, method, time):
        self.log.append((thread, 'enter', method, time))

    def leave(self, thread, method, time, exceptional=False):
        self.log.append((thread, 'thrown' if exceptional else 'leave', method, time))

    def seen(self, thread, time):
        """The thread had an event of any kind at that time."""
        self.log.append((thread, 'seen', 0, time))

    def end(self, thread):
        """The thread ended; its id may be used again by another."""
        self.log.append((thread, 'end', 0, 0))

    def replay(self, names):
        threads = collections.defaultdict(Thread)
        for thread, what, method, time in self.log:
            t = threads[thread]
            t.last = max(t.last, time)
            name = names.get(method, method)
            if what == 'enter':
                t.stack.append([name, time, 0])
            elif what in ('leave', 'thrown'):
                if not any(frame[0] == name for frame in t.stack):
                    self.unmatched += 1
                    continue
                self.exceptional[method] += what == 'thrown'
                while self.close(t, time) != name:
                    self.closed_early += 1
            elif what == 'end':
                self.close_all(threads.pop(thread))
        for t in threads.values():
            self.close_all(t)
        self.log.clear()

    def close_all(self, t):
        while t.stack:
            self.close(t, t.last)

    def close(self, t, time):
        name, entered, in_callees = t.stack.pop()
        took = time - entered
        self.self_time[name] += took - in_callees
        self.longest[name] = max(self.longest[name], took)
        if t.stack:
            t.stack[-1][2] += took
        if not any(frame[0] == name for frame in t.stack):
            self.total[name] += took
        return name
