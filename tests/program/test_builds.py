#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every build option, and a release, configures, builds and works: the viewer reports what the
ordinary build reports, runs a program where the module for it was built, and says so where not.

usage: test_builds.py MESON SOURCE PROFVIEW LOG
All but the viewer and the probes is left out, and the prefix is a package's. There is one folder, set up anew for the release and
configured again for the others, so that only what an option changes is compiled again.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NATIVE, MONO, CLR = 'libprofview-native.so', 'libmono-profiler-profview.so', 'libprofview-coreclr.so'
BUILDS = { # options, the modules that must not be there
    'release': ([], ()),
    'no-probe': (['probe'], (NATIVE, MONO, CLR)),
    'no-native': (['native'], (NATIVE,)),
    'no-mono': (['mono'], (MONO,)),
    'no-coreclr': (['coreclr'], (CLR,)),
    'nothing': (['probe', 'native', 'mono', 'coreclr', 'fuzz', 'elfutils', 'demangle'],
                (NATIVE, MONO, CLR)),
}
DEFAULTS = {'probe': 'enabled', 'native': 'enabled', 'mono': 'auto', 'coreclr': 'auto',
            'fuzz': 'disabled', 'elfutils': 'auto', 'demangle': 'auto'}
MOST_TARGETS = 760 # of what `./bootstrap.sh build` makes; its demo makes a part of that
NO_MODULE = 3 # how `profview run` ends without the module for a program


def run(command, want=0, **more):
    done = subprocess.run(command, capture_output=True, text=True, errors='replace', check=False,
                          **more)
    if done.returncode != want:
        sys.exit(f'{command}: {done.returncode}, not {want}\n'
                 f'{done.stdout[-2000:]}{done.stderr[-2000:]}')
    return done


def report(profview, log):
    return run([profview, 'report', '--no-index', '--format', 'json', log]).stdout


def as_packaged(meson, source, folder):
    """Below /usr Debian's zsh looks elsewhere, and pages stand where man looks."""
    paths = json.loads(run([meson, 'introspect', '--installed', folder]).stdout).values()
    zsh = 'vendor-completions' if pathlib.Path('/etc/debian_version').exists() else 'site-functions'
    wanted = {f'/usr/share/zsh/{zsh}/_profview'} | {f'/usr/share/man/man{p.stem[-1]}/{p.stem}'
        for p in pathlib.Path(source).glob('*/*.scd') if shutil.which('scdoc')}
    if wanted - set(paths):
        sys.exit(f'would not be installed: {wanted - set(paths)}, but {sorted(paths)}')


def as_quick(folder):
    """Whoever builds to run the program makes nothing else: as many steps as in a folder without a file."""
    told = run(['ninja', '-C', folder, '-n', 'program']).stdout
    steps = int(re.findall(r'^\[\d+/(\d+)\]', told, re.MULTILINE)[-1])
    if steps > MOST_TARGETS:
        sys.exit(f'a build of the program has {steps} targets, more than {MOST_TARGETS}')
    print(f'{steps} targets, of {MOST_TARGETS} at most', flush=True)


def environment(top):
    env = {**os.environ, 'CCACHE_NOHASHDIR': '1'}
    env.pop('XDG_CACHE_HOME', None) # tests have none, see add_test_setup()
    if 'CCACHE_DIR' not in env and not os.access(pathlib.Path.home(), os.W_OK):
        env['CCACHE_DIR'] = f'{top}/cache'
    return env


def build(meson, source, folder, options, env):
    """Sets up, builds; returns the files of the viewer and of the modules by name."""
    how = ['--reconfigure'] if pathlib.Path(folder).exists() else ['--buildtype=release', '--prefix=/usr', '-Dtests=false']
    run([meson, 'setup', *how, folder, source, *(f'-D{o}={"disabled" if o in options else default}'
                                                for o, default in DEFAULTS.items())], env=env)
    if len(how) > 1:
        as_quick(folder)
    targets = json.loads(pathlib.Path(folder, 'meson-info', 'intro-targets.json').read_text(encoding='utf-8'))
    files = [pathlib.Path(t['filename'][0]) for t in targets if t['type'] == 'shared library'
             and '/probe/' in t['filename'][0] or t['name'] == 'profview']
    of_before = ('probe/*.so', 'profview', 'run.mlpd')
    for file in (f for pattern in of_before for f in pathlib.Path(folder).glob(pattern)):
        file.unlink()
    run(['ninja', '-C', folder, *(str(f.relative_to(folder)) for f in files)], env=env)
    return {f.name: f for f in files}


def smoke(files, missing, log, wanted, folder, name):
    profview = str(files.pop('profview'))
    there = {NATIVE, MONO, CLR} - set(missing)
    if set(files) - there or NATIVE in there and NATIVE not in files:
        sys.exit(f'{name}: {sorted(files)} were built')
    run([profview, '--version'])
    if report(profview, log) != wanted:
        sys.exit(f'{name}: reports other figures of {log}')
    record = [profview, 'run', '--alloc=512k', '--record', 'run.mlpd', '--', '/bin/ls']
    if NATIVE in there:
        run(record, cwd=folder)
        if not json.loads(report(profview, f'{folder}/run.mlpd'))['coverage']:
            sys.exit(f'{name}: run.mlpd says nothing')
    elif NATIVE not in run(record, want=NO_MODULE, cwd=folder).stderr:
        sys.exit(f'{name}: does not say that {NATIVE} is missing')


def main(meson, source, profview, log):
    os.nice(10) # the other tests first: those wait for real programs
    wanted = report(profview, log)
    with tempfile.TemporaryDirectory() as top:
        env = environment(top)
        for name, (options, missing) in BUILDS.items():
            files = build(meson, source, f'{top}/build', options, env)
            smoke(files, missing, log, wanted, f'{top}/build', name)
            as_packaged(meson, source, f'{top}/build')
            print(f'{name}: built, reports, runs', flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
