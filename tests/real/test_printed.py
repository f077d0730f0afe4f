#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command that README.md and the manual pages print is run as it is printed.

usage: test_printed.py SOURCE_ROOT BUILD [COUNTED_CLR.DLL]

ROWS says of each in which setting it runs: the files that it names are there, and words that stand
for something (a process id, an object's address, a path in /tmp) are replaced. A command without a row
fails. Those of .NET are left out where its SDK is not installed; tests in other files run them.
"""
import contextlib
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'tools'))
sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / 'program'))
import recorded_folder
import target
import test_packages as packages
from target import DEADLINE, wait_for
from verdict import Verdict

BEGINS = re.compile(r'((LD|CORECLR)_\w+=\S+|profview|\./bootstrap\.sh|mono|gcc|mkfifo|apt|dotnet|npx|\S+ \| profview)( |$)')
SERVER = r'''
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
	char c;
	for (int i = 0; i < 300; i++) {
		for (int k = 0; k < 1000; k++) {
			void *volatile p = malloc(1000);
			free(p);
		}
		usleep(10000);
	}
	while (read(0, &c, 1) > 0) /* of a program that is joined, however long that takes */
		;
	return 0;
}
'''
# A stand-in for ssh and kubectl exec: what follows --, and ssh's destination, is run on this machine.
WAY = '''#!/bin/bash
while [ "$1" != -- ]; do shift; done
shift
[ "${0##*/}" = kubectl ] || shift
exec "$@"
'''


# --- what is printed

def blocks(text):
    """Lines of code blocks: indented by four, or by a tab, or fenced."""
    fenced = False
    for line in re.sub(r'\\\n\s*', '', text).splitlines():
        if line.startswith('```'):
            fenced = not fenced
        elif fenced or line.startswith('    ') or line.startswith('\t'):
            yield line.strip()


def commands(text):
    """What stands in code blocks without the remark behind it, in tables, and in running text with a file."""
    for line in blocks(text):
        command = re.split(r'\s{2,}|\s+#', line)[0].strip()
        if BEGINS.match(command):
            yield command
    for line in text.splitlines():
        for code in re.findall(r'`([^`]+)`', line):
            if re.match(r'(profview|mono|gcc) .* ?\S+\.\w+$|\./bootstrap\.sh ', code) or line[0] == '|' and BEGINS.match(code):
                yield code


# --- settings

class Setting:
    def __init__(self, v, root, build, dll, folder):
        self.v, self.root, self.build = v, root, build
        self.dll, self.folder = dll, pathlib.Path(folder)
        self.env = {**os.environ, 'PATH': f'{build}:{os.environ["PATH"]}', 'LC_ALL': 'C.UTF-8',
                    'XDG_CACHE_HOME': f'{folder}/cache'}
        os.symlink(build, self.folder / 'build')
        shutil.copy(build / 'tests/real/planted.exe', self.folder / 'app.exe')
        (self.folder / 'server.c').write_text(SERVER)
        subprocess.run(['gcc', '-o', 'server', 'server.c'], cwd=folder, check=True)
        shutil.copy(self.folder / 'server', self.folder / 'app')
        if dll:
            shutil.copy(dll, self.folder / 'app.dll')
            shutil.copy(dll.with_suffix('.runtimeconfig.json'), self.folder / 'app.runtimeconfig.json')
        (self.folder / 'ways').mkdir()
        for way in 'ssh', 'kubectl':
            at = self.folder / 'ways' / way
            at.write_text(WAY)
            at.chmod(0o755)
        self.env['PATH'] = f'{self.folder}/ways:{self.env["PATH"]}'
        self.log = self.folder / 'whole.mlpd'
        self.sh('mono --profile=log:nodefaults,alloc,calls,gcmove,heapshot,output=whole.mlpd app.exe')

    def sh(self, command, code=0, **how):
        done = subprocess.run(['bash', '-c', command], cwd=self.folder, env=self.env, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=DEADLINE * 2,
                              check=False, **how)
        self.v.equal(f'{command}: exit code', done.returncode, code)
        for line in done.stderr.splitlines():
            self.v.true(f'{command}: no complaint', not re.match('profview: .*: (not(?! in the)|no|cannot) ', line),
                        line)
        return done

    @contextlib.contextmanager
    def start(self, command, stdin=subprocess.DEVNULL):
        process = self.begin(command, stdin)
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def begin(self, command, stdin=subprocess.DEVNULL):
        return subprocess.Popen(['bash', '-c', f'exec {command}'], cwd=self.folder, env=self.env,
                                stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def no_logs(self):
        for path in self.folder.glob('app.mlpd*'):
            path.unlink()


def shows(s, command):
    """A log is there; the command has something to say."""
    s.no_logs()
    shutil.copy(s.log, s.folder / 'app.mlpd')
    s.sh(f'{command} > printed.txt')    # of a dump hundreds of megabytes
    s.v.at_least(f'{command}: bytes printed', (s.folder / 'printed.txt').stat().st_size, 100)


def of_a_folder(s, command):
    """Two processes: a shell, of which there is no log, and the Mono that it started."""
    recording = s.folder / 'recording'
    if not recording.exists():
        recording.mkdir()
        shutil.copy(s.log, recording / '8-0.mlpd')
        recorded_folder.put_index(recording, [
            {'pid': 7, 'ppid': 1, 'image': 0, 'exe': '/bin/sh', 'argv': ['sh', 'all.sh'], 'host': 'native', 'log': None,
             'reason': 'used less than 20 ms of CPU', 'cpu_ns': 4000000},
            {'pid': 8, 'ppid': 7, 'image': 0, 'exe': '/usr/bin/mono', 'argv': ['mono', 'app.exe'], 'host': 'mono',
             'log': '8-0.mlpd', 'reason': None, 'cpu_ns': 900000000}])
    shows(s, command)
    text = (s.folder / 'printed.txt').read_text()
    wanted = ('sh all.sh', 'used less than') if 'processes' in command else ('8-0.mlpd', 'METHOD')
    s.v.true(f'{command}: its rows', all(word in text for word in wanted), text[:500])


def records_tree(s, command):
    """Two compressors that a make starts: each has a log."""
    (s.folder / 'Makefile').write_text('all: a b\na b:\n\tgzip -9 -c whole.mlpd > $@.gz\n')
    s.sh(command)
    index = json.loads((s.folder / 'recording/index.json').read_text())
    logs = [p for p in index['processes'] if p['log'] and p['exe'].endswith('gzip')]
    s.v.equal(f'{command}: logs of gzip', len(logs), 2)
    s.v.true(f'{command}: they are there', all((s.folder / 'recording' / p['log']).stat().st_size for p in logs))
    def removed(folder):  # its list may be written once more, by the process that outlives the command
        shutil.rmtree(folder, ignore_errors=True)
        return not folder.exists()
    target.wait_for('the recording to be left alone', lambda: removed(s.folder / 'recording'))


def writes(s, command):
    """A log is there, another file comes."""
    s.no_logs()
    name = re.search(r'-o (\S+)', command)[1]
    shutil.copy(s.log, s.folder / 'app.mlpd')
    s.sh(command)
    s.v.at_least(f'{command}: bytes written', (s.folder / name).stat().st_size, 40)


def of_an_object(s, command):
    """The address stands for one that is in the shot."""
    s.no_logs()
    shutil.copy(s.log, s.folder / 'app.mlpd')
    said = s.sh('profview report app.mlpd --section heap_objects --shot 5 --limit 1 --format json')
    address = json.loads(said.stdout)['heap_objects'][0]['address']
    s.v.true(f'{command}: an address in it', re.search('0x[0-9a-f]{8,}', command) is not None)
    shows(s, re.sub('0x[0-9a-f]{8,}', address, command))


def records(s, command):
    """A program runs and leaves app.mlpd."""
    s.no_logs()
    s.sh(command)
    s.v.true(f'{command}: the log has events',
             'complete' in s.sh('profview report app.mlpd').stdout)


RULES = '[rule all]\nkind = alloc.total\nmax = 1GiB\n[rule code]\nkind = duration\nmax = 5m\n'


def shares(s, command):
    """Two logs, which are one, and rules that it keeps to."""
    for name in ('base.mlpd', 'new.mlpd'):
        shutil.copy(s.log, s.folder / name)
    (s.folder / 'rules.ini').write_text(RULES)
    done = s.sh(command)
    out = done.stderr if ' run ' in command else done.stdout
    s.v.true(f'{command}: it prints', 'junit=' in command or len(out) > 100, out)
    if 'junit=' in command:
        s.v.true(f'{command}: its file', '<testcase' in (s.folder / 'check.xml').read_text())


def of_requests(s, command):
    """A log of a web server; the screen is drawn once."""
    with gzip.open(s.root / 'tests/golden/requests.mlpd.gz') as f:
        (s.folder / 'shop.mlpd').write_bytes(f.read())
    done = s.sh(command if ' diff ' in command else command + ' --dump --size 100x20')
    s.v.true(f'{command}: it prints', len(done.stdout) > 100, done.stderr)


def runs(s, command):
    """A program runs; its overview comes on standard error."""
    done = s.sh(command)
    s.v.true(f'{command}: the overview', 'Hot methods' in done.stderr, done.stderr[-1000:])


def dotnet(how):
    def one(s, command):
        if s.dll:
            how(s, command)
    return one


def pipe(s, command):
    """What another command writes into."""
    s.no_logs()
    path = command.split()[-1]
    local = str(s.folder / pathlib.Path(path).name)
    s.pipe = (path, local)
    if os.path.exists(local):
        os.unlink(local)
    s.sh(command.replace(path, local))


def follows(s, command):
    """The viewer, in the background: the writer's command comes behind it."""
    path, local = getattr(s, 'pipe', ('', ''))
    s.follower = (command, s.begin(command.replace(path, local) if path else command))


def writer(s, command):
    path, local = s.pipe
    s.sh(command.replace(path, local))
    follower, process = s.follower
    out = process.communicate(timeout=DEADLINE)[0].decode()
    s.v.equal(f'{follower}: exit code', process.returncode, 0)
    s.v.true(f'{follower}: its figures', 'Hot methods' in out, out[-1000:])
    s.pipe = ('', '')


def grows(s, command):
    """A file, which the viewer follows until the program has ended."""
    s.no_logs()
    with s.start('profview --follow app.mlpd') as process:
        s.sh(command)
        out = process.communicate(timeout=DEADLINE)[0].decode()
    s.v.true(f'{command}: followed', 'Hot methods' in out, out[-1000:])


def paired(_s, _command):
    """Run by the row of the command that it belongs to."""


def of_input(s, command):
    s.no_logs()
    shutil.copy(s.log, s.folder / 'app.mlpd')
    shows(s, command.replace('mono-writes-here', 'cat app.mlpd'))


def answers(s, pid):
    return subprocess.run(['profview', 'ctl', str(pid), 'hello'], env=s.env, capture_output=True,
                          check=False, timeout=DEADLINE).returncode == 0


def streams(pid):
    """Whether its runtime writes an event stream: one more thread of that name than serves the socket."""
    return sum(p.read_text(encoding='utf-8') == '.NET EventPipe\n' for p in pathlib.Path(f'/proc/{pid}/task').glob('*/comm')) > 1


def is_watched(pid):
    """Whether a process waits for its end: it has been joined."""
    for one in pathlib.Path('/proc').glob('[0-9]*/fdinfo/*'):
        try:
            if re.search(rf'^Pid:\t{pid}$', one.read_text(), re.M):
                return True
        except OSError:  # ended meanwhile, or another's
            pass
    return False


def joins(start, inside):
    """A program runs: `start`; once `inside` is in its memory it goes on to its end."""
    def one(s, command):
        s.no_logs()
        with s.start(start, stdin=subprocess.PIPE) as program:
            ready = re.compile({'preload': 'libprofview-native', 'outside': 'libc'}.get(inside, 'mono|coreclr'))

            def maps():
                return pathlib.Path(f'/proc/{program.pid}/maps').read_text(encoding='utf-8')

            wait_for('the program', lambda: ready.search(maps()))
            if program.args[-1].endswith(' input'):
                wait_for('its code', lambda: 'leaky.exe' in maps())
            with s.start(command.replace('PID', str(program.pid))) as viewer:
                # A library is there before the runtime has said that it took it.
                joined = {'dotnet': lambda: answers(s, program.pid) or streams(program.pid),
                          'mono': lambda: answers(s, program.pid)}.get(inside, lambda: is_watched(program.pid))
                wait_for('it to be joined', lambda: viewer.poll() is not None or joined())
                program.stdin.write(b'\n')
                program.stdin.close()
                out = viewer.communicate(timeout=DEADLINE)[0].decode()
            s.v.equal(f'{command}: exit code', viewer.returncode, 0)
            s.v.true(f'{command}: it prints', len(out) > 100 and 'lost' in out, out[-1000:])
            program.wait(timeout=DEADLINE)
    return one


PRELOADED = 'env LD_PRELOAD=build/probe/libprofview-native.so PROFVIEW_OPTIONS=sample,output=x%p.mlpd ./server'
attach_native = joins(PRELOADED, 'preload')
attach_outside = joins('./server', 'outside')
attach_dotnet = dotnet(joins('dotnet app.dll pause', 'dotnet'))
attach_mono = joins('mono build/tests/real/leaky.exe none 100 input', 'mono')


def attaches(s, command):
    attach_native(s, command)
    attach_dotnet(s, command)


def asks(s, command):
    with s.start(PRELOADED, stdin=subprocess.PIPE) as program:
        wait_for('the program', lambda: answers(s, program.pid))
        s.v.true(f'{command}: an answer', 'ok' in s.sh(command.replace('PID', str(program.pid))).stdout)
        program.kill()


def lists(s, command):
    s.sh(command)


def elsewhere_log(s, command):
    """A log of another machine, which ends."""
    shutil.copy(s.log, s.folder / 'there.mlpd')
    s.sh(command.replace('--follow ', '').replace('/var/tmp/app.mlpd', f'{s.folder}/there.mlpd') + ' > printed.txt')
    s.v.at_least(f'{command}: bytes printed', (s.folder / 'printed.txt').stat().st_size, 100)


def bootstrap(s, command):
    """Not run: they install, and run this. But what they ask for there is."""
    text = (s.root / 'bootstrap.sh').read_text(encoding='utf-8')
    verb = command.split()[1]
    s.v.true(f'{command}: there is a {verb}', re.search(rf'^{verb}\)', text, re.M) is not None)
    if len(command.split()) > 2:
        s.v.true(f'{command}: and a {command.split()[2]}', command.split()[2] in text)


def elsewhere(_s, _command):
    """tests/program/test_packages.py runs it, where there are packages."""


CLR = ('CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER={6D2B0F64-91C7-4E5A-8B3D-2F70726F6676} CORECLR_PROFILER_PATH='
       'build/probe/libprofview-coreclr.so PROFVIEW_OPTIONS=calls,output=app.mlpd dotnet app.dll')
STOCK = 'mono --profile=log:nodefaults,sample,alloc,exception,monitor,counter,output=/tmp/app.mlpd app.exe'
ROWS = {
    './bootstrap.sh demo': bootstrap,
    './bootstrap.sh test': bootstrap,
    './bootstrap.sh demo native': bootstrap,
    './bootstrap.sh build': bootstrap,
    './bootstrap.sh static': bootstrap,
    './bootstrap.sh package': bootstrap,
    './bootstrap.sh package all': bootstrap,
    packages.APT: elsewhere,
    packages.TOOL: elsewhere,
    packages.DNX: elsewhere,
    packages.NPX: elsewhere,
    'profview run -- mono app.exe': runs,
    'profview run --calls --alloc -- dotnet app.dll': dotnet(runs),
    'profview run --alloc=512k --heapshot -- ./server': runs,
    'profview run --leaks -- ./server': runs,
    'profview run --record recording/ -- make -j2': records_tree,
    'profview ps': lists,
    'profview attach PID': attaches,
    'profview attach --alloc=512k --sample=500 PID': attach_dotnet,
    'profview attach --via outside --sample=500 PID': attach_outside,
    'profview attach --via events --heapshot PID': attach_dotnet,
    'profview attach --inject PID': attach_mono,
    'profview ctl PID stats': asks,
    'profview --on user@host ps': lists,
    'profview --on user@host attach PID': attach_native,
    'profview --on user@host report /var/tmp/app.mlpd --section methods': elsewhere_log,
    "profview --on 'kubectl exec -i shop -c app --' --follow /var/tmp/app.mlpd": elsewhere_log,
    'mkfifo /tmp/app.mlpd': pipe,
    'profview --follow /tmp/app.mlpd': follows,
    STOCK: writer,
    'mono --profile=log:calls,output=app.mlpd app.exe': grows,
    'profview --follow app.mlpd': paired,
    'profview app.mlpd': shows,
    'mono-writes-here | profview -': of_input,
    'profview report app.mlpd --section methods,classes --limit 10': shows,
    'profview report app.mlpd --format json': shows,
    'profview dump app.mlpd': shows,
    'profview convert app.mlpd --range 1s..2s -o cut.mlpd': writes,
    'profview convert app.mlpd -o app.html': writes,
    'profview convert app.mlpd --shot 3 -o app.heapsnapshot': writes,
    'profview --help': shows,
    'profview report app.mlpd --section findings': shows,
    'profview report app.mlpd --section heap_ladder --limit 10': shows,
    'profview report app.mlpd --section heap_diff --base 0 --shot 5 --by identity': shows,
    'profview report app.mlpd --section heap_keepers --shot 5': shows,
    'profview report app.mlpd --section heap_path --shot 5 --object 0x7fdfbb3dc130': of_an_object,
    'LD_LIBRARY_PATH=build/probe mono --profile=profview:calls,alloc,output=app.mlpd app.exe': records,
    'LD_PRELOAD=build/probe/libprofview-native.so PROFVIEW_OPTIONS=sample,output=app.mlpd ./app': records,
    CLR: dotnet(records),
    'mkfifo /tmp/app.pipe': pipe,
    'profview --follow /tmp/app.pipe': follows,
    'mono --profile=log:calls,alloc,output=/tmp/app.pipe app.exe': writer,
    # Of containers: all lines are run by test_pod_lines.py, in namespaces.
    **dict.fromkeys((
        "profview attach $(docker inspect -f '{{.State.Pid}}' shop)", 'profview attach /var/tmp/prof/dotnet-diagnostic-1-*-socket',
        'profview listen /var/tmp/prof/calls', 'profview --follow /var/tmp/prof/app.mlpd', 'profview ctl /var/tmp/prof/ctl stats',
        'profview attach /var/tmp/prof/ctl', 'profview attach $(systemctl show --property MainPID --value shop)',
        'profview run --record /var/tmp/prof/app.mlpd -- ./server'), paired),
    'profview report app.mlpd --section classes --format csv --limit 10': shows,
    'profview app.mlpd --dump --size 120x36 --keys 2': shows,
    'profview diff base.mlpd new.mlpd --per none': shares,
    "profview diff shop.mlpd --filter 'route:/list slow>300ms' --base-filter 'route:/list slow<=300ms'": of_requests,
    "profview shop.mlpd --base shop.mlpd --base-filter 'route:/list slow<=300ms'": of_requests,
    'profview check new.mlpd --rules rules.ini --format junit=check.xml': shares,
    'profview run --check rules.ini -- ./server': shares,
    'profview brief new.mlpd --budget 2000': shares,
    'profview report recording/ --section processes': of_a_folder,
    'profview report recording/ --process mono --section methods': of_a_folder,
}


def main(root, build, dll=None):
    root, build = pathlib.Path(root), pathlib.Path(build).resolve()
    v = Verdict('printed')
    with target.scratch() as folder:
        s = Setting(v, root, build, pathlib.Path(dll) if dll else None, folder)
        printed = []
        for page in (root / 'README.md', root / '.github/CONTRIBUTING.md', *sorted(root.glob('*/*.scd'))):
            text = page.read_text(encoding='utf-8')
            printed += commands(text.replace('\\\\', '\\') if page.suffix == '.scd' else text)
        for command in printed:
            v.true(f'a row for: {command}', command in ROWS)
        for command in ROWS:
            v.true(f'it is printed: {command}', command in printed)
        for command in dict.fromkeys(printed):
            if command in ROWS:
                ROWS[command](s, command)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
