# SPDX-License-Identifier: MIT
"""Runs the programs of odd bare and under each way of recording, alone and as a child of a shell, and compares."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

LIMIT_S = 20
SHELL = ['sh', '-c', '"$@"; code=$?; trap : 0; exit $code', 'sh']
RECORD = {
    'run': ['--record', 'FOLDER/log.mlpd'],
    'tree': ['--record', 'FOLDER/logs/'],
    'calls': ['--calls', '--record', 'FOLDER/log.mlpd'],
    'alloc': ['--alloc=64k', '--record', 'FOLDER/log.mlpd'],
    'leaks': ['--leaks', '--record', 'FOLDER/log.mlpd'],
    'leaks of a tree': ['--leaks', '--record', 'FOLDER/logs/'],
}
# Where samples cannot be had, and what a report says of that.
MISSED = {
    'reads-signals': 'none of threads that block their signal',
    'takes-all-raw': 'the program has taken every signal that they could come by',
}
# The first line of a picture ends with the recording's state.
PICTURE = re.compile(r'^ .* [■●○] [A-Z][A-Z ?]*$', re.M)


def of_program(text):
    """What profview says itself is left out; its picture comes last."""
    picture = PICTURE.search(text)
    lines = text[:picture.start() if picture else None].splitlines()
    return [line for line in lines if not line.startswith('profview:')]


def end_session(pid):
    """Whatever of a run that hung is left: it is in a session of its own."""
    left = subprocess.run(['ps', '-o', 'pid=', '--sid', str(pid)], capture_output=True, text=True, check=False)
    for word in left.stdout.split():
        try:
            os.kill(int(word), 9)
        except ProcessLookupError:
            pass


def outcome(command, env=None):
    """Exit code, output and errors; (None, ...) where it hung."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, start_new_session=True, env=env) as run:
        try:
            out, err = run.communicate(timeout=LIMIT_S)
            code = run.returncode
        except subprocess.TimeoutExpired:
            end_session(run.pid)
            run.kill()
            out, err = run.communicate()
            code = None
    # A shell says how its child ended, profview ends with the code that a shell would.
    return (128 - code if code is not None and code < 0 else code), out.splitlines(), of_program(err)


def recorded(profview, way, words):
    folder = tempfile.mkdtemp(prefix='odd-')
    try:
        options = [word.replace('FOLDER', folder) for word in RECORD[way]]
        return outcome([profview, 'run', *options, '--', *words], os.environ | {'TERM': 'dumb'})
    finally:
        shutil.rmtree(folder, ignore_errors=True)  # what profview drains into ends a little later


def names_of(program):
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()


PARENTS = {'alone': [], 'in a shell': SHELL}


def compare(v, profview, program, name, ways):
    """One program: each way must end as the bare run does."""
    for parent, prefix in PARENTS.items():
        words = [*prefix, program, name]
        bare = outcome(words)
        for way in ways[parent]:
            v.equal(f'{name}, {parent}, {way}', recorded(profview, way, words), bare)


def coverage_of_samples(profview, program, name):
    """State and sentence of a recording, as a report has them."""
    with tempfile.TemporaryDirectory(prefix='odd-') as folder:
        log = os.path.join(folder, 'log.mlpd')
        outcome([profview, 'run', '--record', log, '--', program, name], os.environ | {'TERM': 'dumb'})
        done = subprocess.run([profview, 'report', log, '--format', 'json', '--section', 'coverage', '--no-index'],
                              capture_output=True, text=True, check=True)
    row, = [r for r in json.loads(done.stdout)['coverage'] if r['what'] == 'samples']
    return row


def main(v, profview, program, names, ways):
    for name in names:
        wrong = len(v.wrong)
        compare(v, profview, program, name, ways)
        if name in MISSED:
            row = coverage_of_samples(profview, program, name)
            v.equal(f'{name}: samples are', row['state'], 'partial')
            v.true(f'{name}: the reason', MISSED[name] in str(row), str(row))
        print(f'{name}: {"differs" if len(v.wrong) > wrong else "the same"}', flush=True)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit('a part of test_odd.py and of tests/soak/odd.py')
