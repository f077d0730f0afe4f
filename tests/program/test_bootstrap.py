#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What bootstrap.sh installs on machines that nobody has touched.

usage: test_bootstrap.py BOOTSTRAP made|hidden
made: the machine's own apt and dpkg-query on a release made of files, in folders of their own; as root,
as a user, without apt. hidden: on the machine's own list of what is installed, without Mono, with no list
of packages ever fetched, in a mount namespace (root). Nothing is installed: apt-get says what it would
bring, and that is taken for installed. meson and ninja are stand-ins.
"""
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = ('meson ninja-build gcc libc6-dev pkg-config libncurses-dev libevent-dev libcjson-dev zlib1g-dev '
         'libsodium-dev python3 libc6').split()
MORE = ['scdoc', 'libiberty-dev', 'libdw-dev']
MONO = ['mono-runtime', 'mono-mcs', 'libmono-2.0-dev']
ALL = BUILD + MORE + MONO
TESTS = ('check g++ make tmux valgrind ccache sqlite3 zstd zsh fish git perl xz-utils clang libxml2-utils procps bindfs musl-tools libjemalloc2 '
         'libtcmalloc-minimal4t64 libmono-profiler mono-utils').split()
TOOLS = 'awk bash cat cut dirname env grep head mkdir mkfifo mktemp nproc rm sed sh sleep tail timeout tr'.split()
FAILED = []

STAND_INS = {
    # What would be installed is installed from then on.
    'apt-get': r'''
case " $* " in
*' update '*) echo update >>"$W/did"; exec /usr/bin/apt-get "$@" ;;
*' download '*) echo download >>"$W/did"; exit 100 ;;
*' APT::Status-Fd=1 '*) echo 'apt 3 closes it to the scripts of packages'; exit 100 ;;
*' install '*)
	# Without Mono what depends on it is broken: there it is what was asked for.
	if [ "${FAKE_HIDDEN:-}" ]; then printf 'Inst %s .\n' "$@" >"$W/would"; else /usr/bin/apt-get -s "$@" >"$W/would" || exit; fi
	cat "$W/would"
	for p in $(sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$W/would"); do
		echo "+$p" >>"$W/did"
		{ sed -n "/^Package: $p\$/,/^\$/p" "$W/release/Packages" | sed '/^$/d; /^Filename\|^Size\|^SHA/d'; echo 'Status: install ok installed'; echo; } >>"$W/dpkg/status"
	done ;;
esac
''',
    'uname': 'echo "${FAKE_MACHINE:-x86_64}"',
    'id': 'echo "${FAKE_UID:-0}"',
    'sudo': r'''
[ "${FAKE_SUDO:-}" ] || exit 1
case $1 in
-n) [ "$FAKE_SUDO" = free ] || exit 1; shift ;;
-v) [ -t 0 ] || exit 1; echo asked >>"$W/did"; exit 0 ;;
esac
exec "$@"
''',
    'meson': r'''
echo "meson $*" >>"$W/did"
[ "$1" != setup ] || for d; do case $d in build*) mkdir -p "$d"; touch "$d/build.ninja" ;; esac; done
''',
    'ninja': r'''
echo "ninja $*" >>"$W/did"
[ ! "${FAKE_BROKEN:-}" ] || { echo 'FAILED: a.c.o'; echo 'a.c:1: error: no such thing'; exit 1; }
printf '#!/bin/sh\necho "a frame of $(cat "$2")"\n' >"$2/profview"
printf '#!/bin/sh\necho native >"$1"\n' >"$2/demo-native"
chmod +x "$2/profview" "$2/demo-native"
echo '[1 of 1] Linking target profview'
''',
}


def packages(names, provides=None, suggests=None):
    """A list of packages, as apt reads it."""
    rows = []
    for name in names:
        rows.append(f'Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody <a@example.org>\n'
                    f'Description: {name}\nFilename: ./{name}.deb\nSize: 1\nSHA256: {"0" * 64}\n'
                    + (f'Provides: {", ".join(provides[name])}\n' if name in (provides or {}) else '')
                    + (f'Suggests: {", ".join(suggests[name])}\n' if name in (suggests or {}) else ''))
    return '\n'.join(rows) + '\n'


def as_installed(text):
    text = re.sub(r'^(Filename|Size|SHA256): .*\n', '', text, flags=re.M)
    return text.replace('\nVersion', '\nStatus: install ok installed\nVersion')


def all_of(master):
    """What is left in a terminal whose other end is closed; it comes in pieces."""
    said = b''
    try:
        while piece := os.read(master, 1 << 16):
            said += piece
    except OSError: # EIO: that was all
        pass
    return said


class Machine:
    def __init__(self, top, bootstrap, release, installed, provides=None, suggests=None, holds=None, broken=False):
        self.top = pathlib.Path(top)
        for folder in ('bin', 'tree', 'release', 'lists/partial', 'cache/archives/partial', 'parts', 'dpkg/updates', 'dpkg/info'):
            (self.top / folder).mkdir(parents=True)
        shutil.copy(bootstrap, self.top / 'tree/bootstrap.sh')
        (self.top / 'release/Packages').write_text(packages(release, provides, suggests))
        status = self.top / 'dpkg/status'
        status.write_text(as_installed(packages(installed, holds)))
        sources = f'deb [trusted=yes] file:{self.top}/release ./\n'
        if broken:
            sources += f'deb [trusted=yes] file:{self.top}/nowhere ./\n'
        (self.top / 'sources').write_text(sources)
        (self.top / 'apt.conf').write_text(''.join(f'{k} "{v}";\n' for k, v in {
            'Dir::State::lists': self.top / 'lists', 'Dir::State::status': status, 'Dir::Cache': self.top / 'cache',
            'Dir::Etc::sourcelist': self.top / 'sources', 'Dir::Etc::sourceparts': self.top / 'parts',
            'Dir::Etc::parts': self.top / 'parts', 'Dir::Etc::main': '/dev/null', 'Dir::Etc::preferences': '/dev/null',
            'Dir::Etc::preferencesparts': self.top / 'parts', 'APT::Sandbox::User': 'root',
            'Acquire::Languages': 'none', 'APT::Architecture': 'amd64', 'APT::Architectures': 'amd64',
            'Dir::State::extended_states': self.top / 'extended', 'Debug::NoLocking': '1'}.items()))
        self.env = {'PATH': f'{self.top}/bin', 'APT_CONFIG': f'{self.top}/apt.conf', 'DPKG_ADMINDIR': f'{self.top}/dpkg',
                    'W': str(self.top), 'HOME': str(self.top), 'TMPDIR': str(self.top)}
        for name in TOOLS + ['apt-cache', 'dpkg-query']:
            (self.top / 'bin' / name).symlink_to(shutil.which(name))
        for name, text in STAND_INS.items():
            (self.top / 'bin' / name).write_text('#!/bin/bash\nPATH=$PATH:/usr/bin:/bin\n' + text)
            (self.top / 'bin' / name).chmod(0o755)

    def fetch_lists(self):
        subprocess.run(['/usr/bin/apt-get', 'update', '-qq'], env=self.env, check=True, capture_output=True)
        return self

    def run(self, *words, terminal=False, **env):
        """What was done, a word a step, and the exit code; all that was said."""
        (self.top / 'did').write_text('')
        master, slave = pty.openpty() if terminal else (None, subprocess.DEVNULL)
        with open(self.top / 'said', 'w+', encoding='utf-8') as said:
            done = subprocess.run(['bash', 'bootstrap.sh', *words], cwd=self.top / 'tree', env={**self.env, **env},
                                  stdin=slave, stdout=said, stderr=slave if terminal else said, timeout=150)
            said.seek(0)
            text = said.read()
        if terminal:
            os.close(slave)
            text += all_of(master).decode()
            os.close(master)
        return (self.top / 'did').read_text().split('\n')[:-1] + [done.returncode], text


def expect(what, got, want, said=(), unsaid=()):
    """want: regular expressions of steps in this order, other steps may lie between; '!STEP': none is so."""
    steps, text = got
    rest = iter(map(str, steps))
    good = all(any(re.fullmatch(w, step) for step in rest) for w in want if w[0] != '!')
    good &= not any(re.fullmatch(w[1:], str(step)) for w in want if w[0] == '!' for step in steps)
    good &= all(re.search(s, text) for s in said) and not any(re.search(s, text) for s in unsaid)
    if not good:
        FAILED.append(f'{what}: did {steps}, not {want}; said {text!r}, not {said}')


BUILT = [r'meson setup build -Dtests=false', r'ninja -C build program', '0']
NOTHING = ['!update', r'!\+.*', *BUILT]
INSTALLED = ['update', r'\+mono-mcs', *BUILT]


def made(bootstrap):
    def machine(release, installed, **more):
        top = tempfile.mkdtemp(dir=folder)
        return Machine(top, bootstrap, release, installed, **more)

    with tempfile.TemporaryDirectory() as folder:
        expect('a compiler and no lists', machine(ALL, ['libc6', 'gcc', 'libc6-dev']).run('build'), INSTALLED)
        expect('nothing and no lists', machine(ALL, ['libc6']).run('build'), INSTALLED)
        expect('lists', machine(ALL, ['libc6']).fetch_lists().run('build'), INSTALLED)
        expect('all is there, no lists', machine(ALL, ALL).run('build'), NOTHING)
        without = BUILD + MORE
        expect('no Mono, no lists', machine(without, ['libc6', 'libc6-dev']).run('build'),
               ['update', r'\+meson', *BUILT], ['this release has no mono-runtime mono-mcs libmono-2.0-dev'])
        expect('no Mono, all is there', machine(without, without).fetch_lists().run('build'), NOTHING,
               ['this release has no mono-runtime'])
        expect('a name that is only mentioned', machine(without, ['libc6'], suggests={'gcc': MONO}).fetch_lists().run('build'),
               ['update', r'\+meson', *BUILT], ['this release has no mono-runtime'])
        one = machine(without + ['mono-runtime', 'mono-devel'], ['libc6'], provides={'mono-devel': MONO[1:]})
        expect('one package for several', one.run('build'), ['update', r'\+mono-devel', *BUILT])
        expect('the same once more', one.run('build'), ['!update', r'!\+.*', 'ninja .*', '0'])
        own = machine(ALL, BUILD + MORE + ['mono-runtime', 'own-mono'], holds={'own-mono': MONO[1:]})
        expect('provided by another', own.fetch_lists().run('build'), NOTHING)
        expect('a foreign list that cannot be fetched', machine(ALL, ['libc6'], broken=True).run('build'), INSTALLED,
               ['not every list of packages could be fetched'])
        expect('no rights', machine(ALL, ['libc6']).fetch_lists().run('build', FAKE_UID='1000'), ['!update', r'!\+.*', '2'],
               [r'sudo apt-get update; sudo apt-get install -y --no-install-recommends meson .*mono-mcs'])
        expect('no rights and no need', machine(ALL, BUILD).fetch_lists().run('build', FAKE_UID='1000'), NOTHING, ['apt-get install .*mono-mcs'])
        expect('sudo', machine(ALL, ['libc6']).run('build', FAKE_UID='1000', FAKE_SUDO='free'), INSTALLED)
        expect('sudo asks, nobody is there', machine(ALL, ['libc6']).run('build', FAKE_UID='1000', FAKE_SUDO='asks'),
               ['!update', '2'], ['sudo apt-get install'])
        expect('sudo asks', machine(ALL, ['libc6']).run('build', terminal=True, FAKE_UID='1000', FAKE_SUDO='asks'),
               ['asked', *INSTALLED], [r'packages: 1\d', r'files of build: 1 of 1'])
        expect('a needed package that no source has', machine(MORE + ['libc6'], ['libc6']).run('build'), ['update', '2'],
               ['this release has no meson ninja-build'])
        expect('no source at all', machine(MORE, ['bash']).run('build'), ['update', '2'], ['no list of packages could be fetched'])
        expect('no rights and no lists', machine(ALL, ['libc6']).run('build', FAKE_UID='1000'), ['!update', '2'],
               ['as far as this release has them: scdoc .*mono-mcs', r'apt-get install -y --no-install-recommends meson .* python3\n'])
        some = machine(ALL, ['libc6'], suggests={'scdoc': ['x\nDepends: no-such-package']})
        expect('a wish that cannot be', some.run('build'), ['update', r'\+meson', *BUILT, '!\\+scdoc'], ['going on without scdoc'])
        full = machine(ALL + TESTS, ALL + TESTS)
        (full.top / 'tree/build').mkdir()
        (full.top / 'tree/build/build.ninja').touch()
        expect('a build folder is there', full.run('build'), ['!meson .*', 'ninja -C build program', '0'])
        expect('it has no tests', full.fetch_lists().run('test'),
               ['meson setup --reconfigure build -Dtests=true', 'ninja -C build all meson-test-prereq'])
        expect('what is built is broken', machine(ALL, ALL).run('build', FAKE_BROKEN='1'), ['ninja .*', '1'],
               ['a.c:1: error: no such thing', 'build/bootstrap.log'])
        expect('the one file on another processor', machine(ALL, []).run('static', FAKE_MACHINE='aarch64'), ['!update', r'!\+.*', '2'],
               ['the one file is made on x86-64 alone'])
        bare = machine([], [])
        for name in ('apt-get', 'apt-cache', 'dpkg-query'):
            (bare.top / 'bin' / name).unlink()
        expect('no apt', bare.run('build'), NOTHING, ['there is no apt-get here', 'libncurses-dev'])
        demo = machine(without, without).fetch_lists()
        expect('no Mono', demo.run('demo', '1'), ['!update', r'!\+.*', r'meson setup build-demo .*', 'ninja -C build-demo profview demo-native', '0'],
               ['this is the demo of a C program', 'a frame of native', 'build makes the one to keep'])
        expect('what is built to keep', demo.run('build'), NOTHING)
        expect('its demo', demo.run('demo', 'native', '1'), ['!meson .*', 'ninja -C build program', '0'], ['a frame of native'])
        some = machine(ALL + ['libmono-profiler'], ['libc6'])
        expect('what a demo needs', some.run('demo', '1'), ['update', r'\+libmono-profiler', r'!\+libmono-2.0-dev', r'!\+scdoc', 'ninja -C build-demo .*'])
        expect('tests where versions are other ones', machine(ALL + TESTS, ['libc6']).run('test'),
               ['update', r'\+clang', r'\+libtcmalloc-minimal4t64', 'meson setup build -Dtests=true', 'ninja -C build all meson-test-prereq', 'meson test .*'],
               ['this release has no mono-profiler clang-format-19 clang-tidy-19 libmimalloc2.0'])


def hidden(bootstrap):
    if os.geteuid() or subprocess.run(['unshare', '-m', 'true'], capture_output=True).returncode:
        print('only root may hide the lists of packages')
        return 77
    with tempfile.TemporaryDirectory() as top:
        m = Machine(top, bootstrap, ALL, [])
        stanzas = pathlib.Path('/var/lib/dpkg/status').read_text(encoding='utf-8').split('\n\n')
        (m.top / 'dpkg/status').write_text('\n\n'.join(
            s for s in stanzas if not re.match(rf'Package: ({"|".join(map(re.escape, MONO))})\n', s)))
        for name in ('APT_CONFIG', 'DPKG_ADMINDIR'):
            del m.env[name]
        inside = ['unshare', '-m', '--propagation', 'private', 'sh', '-c', '''
            for d in /var/lib/apt/lists /var/cache/apt /etc/apt; do mount -t tmpfs tmpfs $d || exit 99; done
            mkdir -p /var/lib/apt/lists/partial /var/cache/apt/archives/partial /etc/apt/apt.conf.d /etc/apt/preferences.d
            cp "$1/sources" /etc/apt/sources.list
            echo 'APT::Sandbox::User "root";' >/etc/apt/apt.conf
            mount --bind "$1/dpkg/status" /var/lib/dpkg/status || exit 99
            exec "$0" bootstrap.sh build''', shutil.which('bash'), top]
        done = subprocess.run(inside, cwd=m.top / 'tree', env={**m.env, 'FAKE_HIDDEN': '1', 'PATH': f'{m.top}/bin:/usr/sbin:/usr/bin:/sbin:/bin'},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        did = (m.top / 'did').read_text().split('\n')[:-1] + [done.returncode]
        expect('this machine without lists', (did, done.stdout + done.stderr),
               ['update', r'\+mono-runtime', r'\+mono-mcs', r'\+libmono-2.0-dev', *BUILT])
    return 0


def main(bootstrap, which):
    if not shutil.which('apt-get') or not shutil.which('dpkg-query'):
        print('there is no apt here')
        return 77
    code = made(bootstrap) if which == 'made' else hidden(bootstrap)
    print('\n'.join(FAILED) or f'{which}: all is installed')
    return 1 if FAILED else code or 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
