"""Times of calls from enter and leave events, by the plainest rules: the tests' reference.

A leave closes every frame above its own; one without an enter closes nothing; frames still open
run to their thread's last event. Only a method's outermost activation adds to its total.
"""
import collections


class Thread:
    def __init__(self):
        self.stack = []     # [method, entered, time in callees]
        self.last = 0


class CallTimes:
    def __init__(self):
        self.threads = collections.defaultdict(Thread)
        self.total = collections.Counter()
        self.self_time = collections.Counter()
        self.longest = collections.Counter()
        self.unmatched = 0

    def enter(self, thread, method, time):
        t = self.threads[thread]
        t.stack.append([method, time, 0])
        t.last = max(t.last, time)

    def leave(self, thread, method, time):
        t = self.threads[thread]
        t.last = max(t.last, time)
        if not any(frame[0] == method for frame in t.stack):
            self.unmatched += 1
            return
        while self.close(t, time) != method:
            pass

    def seen(self, thread, time):
        """The thread had an event of any kind at that time."""
        if thread in self.threads:
            t = self.threads[thread]
            t.last = max(t.last, time)

    def end(self, thread):
        """The thread ended; its id may be used again by another."""
        if thread in self.threads:
            t = self.threads.pop(thread)
            while t.stack:
                self.close(t, t.last)

    def finish(self):
        for thread in list(self.threads):
            self.end(thread)

    def close(self, t, time):
        method, entered, in_callees = t.stack.pop()
        took = time - entered
        self.self_time[method] += took - in_callees
        self.longest[method] = max(self.longest[method], took)
        if t.stack:
            t.stack[-1][2] += took
        if not any(frame[0] == method for frame in t.stack):
            self.total[method] += took
        return method
