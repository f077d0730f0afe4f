#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Names of native code: stubs of the PLT, stripped programs, symbols from separate debug files, inlined
functions, versions of symbols, functions chosen when a library is loaded, Rust.

usage: test_native_names.py PROFVIEW CC

A program that calls a function of libc in a loop is compiled here, stripped, and given its symbols
again in two ways: .gnu_debuglink and .gnu_debugdata. A debug file of another build is not believed.
"""
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile

from verdict import Verdict

PROGRAM = r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int n, char **v)
{
	unsigned s = 0;
	for (int r = 0; r < 20; r++) {
		for (unsigned i = 0; i < 4000000; i++)
			s += i * i ^ s >> 3;
		for (int i = 0; i < 4000000; i++)
			s += (unsigned)labs(i + n);
	}
	printf("%u %s\n", s, v[0]);
	return 0;
}
'''


TRIES = 12


def run(*words, cwd):
    subprocess.run(words, cwd=cwd, check=True, timeout=150, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def build(folder, cc):
    (folder / 'p.c').write_text(PROGRAM)
    flags = ['-O2', '-fno-builtin', '-fcf-protection=none', '-Wl,-z,lazy', '-Wl,--build-id']
    run(cc, *flags, '-o', 'whole', 'p.c', cwd=folder)
    run(cc, *flags, '-DOTHER=1', '-g', '-o', 'other', 'p.c', cwd=folder)
    run('strip', '-o', 'stripped', 'whole', cwd=folder)
    (folder / '.debug').mkdir()
    for name, source in ('linked', 'whole'), ('wrong', 'other'):
        run('objcopy', '--only-keep-debug', source, f'.debug/{name}.debug', cwd=folder)
        run('objcopy', f'--add-gnu-debuglink=.debug/{name}.debug', 'stripped', name, cwd=folder)
    (folder / 'keep').write_text('main\n')
    run('objcopy', '-S', '--keep-symbols=keep', '.debug/linked.debug', 'mini', cwd=folder)
    run('xz', 'mini', cwd=folder)
    run('objcopy', '--add-section', '.gnu_debugdata=mini.xz', 'stripped', 'minimal', cwd=folder)


def samples(profview, folder, program):
    """Samples by name, of code in the program's own file."""
    log = folder / f'{program}.mlpd'
    run(profview, 'run', '--sample=1000', '--record', log, '--', folder / program, cwd=folder)
    return read(profview, log)


def read(profview, log):
    done = subprocess.run([profview, 'report', log, '--section', 'methods', '--format', 'json', '--no-index'],
                          capture_output=True, check=True, timeout=150)
    rows = json.loads(done.stdout)['methods']
    return {r['name']: r['samples_self'] for r in rows if r['kind'] == 'user'}


def main(profview, cc):
    profview = pathlib.Path(profview).absolute()
    if not all(shutil.which(tool) for tool in ('strip', 'objcopy', 'xz', cc)):
        sys.exit(77)
    v = Verdict('native names')
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top)
        build(folder, cc)
        for program in 'whole', 'stripped', 'linked', 'minimal', 'wrong':
            for _ in range(TRIES):  # the stub is a few instructions: some recordings miss it
                got = samples(profview, folder, program)
                if got.get('labs@plt'):
                    break
            own = [name for name in got if got[name] and name != 'labs@plt']
            v.true(f'{program}: the stub has its function\'s name', got.get('labs@plt', 0) > 0, got)
            named = program not in ('stripped', 'wrong')
            want = 'main' if named else f'{program}+0x'
            v.true(f'{program}: its own code is {want}', own and all(n.startswith(want) for n in own), got)
        moved(v, profview, folder)
        made(v, profview, folder, cc)
        inlined(v, profview, folder, cc)
        library(v, profview, folder, cc)
        rust(v, profview, folder)
    v.close()


INLINED = r'''
#include <stdio.h>
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 2000; i++)
		x = x * 1664525u + 1013904223u ^ x >> 7;
	return x;
}
static inline __attribute__((always_inline)) unsigned again(unsigned x)
{
	return mix(x ^ 0x55) + 1;
}
__attribute__((noinline)) unsigned whole(unsigned n)
{
	unsigned s = 0;
	for (unsigned i = 0; i < n; i++)
		s += again(i + s);
	return s;
}
int main(int n, char **v)
{
	printf("%u %s\\n", whole(40000u + (unsigned)n), v[0]);
	return 0;
}
'''


def inlined(v, profview, folder, cc):
    """Inlined functions are frames below theirs while debug information is there; the sums stay."""
    (folder / 'i.c').write_text(INLINED)
    run(cc, '-O2', '-g', '-Wl,--build-id', '-o', 'bare', 'i.c', cwd=folder)
    run('objcopy', '--only-keep-debug', 'bare', '.debug/bare.debug', cwd=folder)
    run('strip', '-g', 'bare', cwd=folder)
    run('objcopy', '--add-gnu-debuglink=.debug/bare.debug', 'bare', cwd=folder)
    log = folder / 'inlined.mlpd'
    run(profview, 'run', '--sample=1000', '--record', log, '--', folder / 'bare', cwd=folder)
    rows = tree(profview, log)
    paths = [path[-3:] for path, n in rows if n and 'whole' in path]
    v.true('the innermost is the inlined one', ['whole', 'again (inlined)', 'mix (inlined)'] in paths, rows)
    there = sum(n for path, n in rows if 'whole' in path)
    (folder / '.debug/bare.debug').unlink()
    rows = tree(profview, log)
    v.true('without debug information there are none', not any('inlined' in str(path) for path, _ in rows if 'whole' in path), rows)
    gone = sum(n for path, n in rows if 'whole' in path)
    v.true('the function has the same samples', there == gone > 0, (there, gone))


def tree(profview, log):
    """(names from the root on, samples of its own) of each node of the call tree."""
    done = subprocess.run([profview, 'report', log, '--section', 'call_tree', '--format', 'json', '--no-index'],
                          capture_output=True, check=True, timeout=150)
    path = {0: []}
    rows = json.loads(done.stdout)['call_tree']
    for row in rows:
        path[row['id']] = path[row['parent']] + [row['method']]
    return [(path[r['id']], r['samples']) for r in rows]


LIBRARY = r'''
static unsigned work(unsigned n)
{
	unsigned s = 1;
	for (unsigned i = 0; i < n; i++)
		s = s * 1664525u + 1013904223u ^ s >> 7;
	return s;
}
__attribute__((noinline)) unsigned old_spin(unsigned n) { return work(n); }
__attribute__((noinline)) unsigned new_spin(unsigned n) { return work(n) + 1; }
__asm__(".symver old_spin,spin@V_1");
__asm__(".symver new_spin,spin@@V_2");
static __attribute__((noinline, noclone)) unsigned chosen_here(unsigned n) { return work(n) + 2; }
static void *resolve(void) { return (void *)chosen_here; }
unsigned chosen(unsigned n) __attribute__((ifunc("resolve")));
'''

CALLER = r'''
#include <stdio.h>
unsigned spin(unsigned), chosen(unsigned);
int main(void)
{
	unsigned s = 0;
	for (int i = 0; i < 5; i++)
		s += spin(5000000) + chosen(5000000);
	printf("%u\n", s);
	return 0;
}
'''


def library(v, profview, folder, cc):
    """Functions with versions, chosen when loaded, and in no table at all."""
    (folder / 'l.c').write_text(LIBRARY)
    (folder / 'u.c').write_text(CALLER)
    (folder / 'l.map').write_text('V_1 { local: *; };\nV_2 { global: spin; chosen; } V_1;\n')
    flags = ['-O2', '-shared', '-fPIC', '-Wl,--version-script=l.map', '-Wl,--build-id', '-o', 'libl.so', 'l.c']
    run(cc, *flags, cwd=folder)
    run(cc, '-O2', '-o', 'user', 'u.c', '-L.', '-ll', '-Wl,-rpath,$ORIGIN', cwd=folder)
    log = folder / 'library.mlpd'
    for what, more, wanted in (('whole', [], ('spin', 'chosen_here [libl.so]')),
                               ('without symbols', ['-s'], ('spin', 'libl.so+0x')),
                               ('without tables', ['-s', '-fno-asynchronous-unwind-tables'],
                                ('spin', 'unresolved in libl.so'))):
        run(cc, *more, *flags, cwd=folder)
        log.unlink(missing_ok=True)
        run(profview, 'run', '--sample=1000', '--record', log, '--', folder / 'user', cwd=folder)
        got = {name: n for name, n in read(profview, log).items() if n and name != 'main'}
        v.true(f'library {what}: both functions and no other', len(got) == 2 and
               all(any(name.startswith(w) for name in got) for w in wanted), got)


RUST = r'''
use std::hint::black_box;
mod shop {
    pub trait Price { fn price(&self, n: u32) -> u32; }
    pub struct Cart<T>(pub T);
    impl<T: Copy + Into<u32>> Price for Cart<T> {
        #[inline(never)]
        fn price(&self, n: u32) -> u32 {
            let mut s: u32 = self.0.into();
            for i in 0..n { s = s.wrapping_mul(1664525).wrapping_add(i) ^ (s >> 7); }
            s
        }
    }
}
use shop::Price;
#[inline(never)]
fn total(f: impl Fn(u32) -> u32) -> u32 {
    let mut s = 0u32;
    for i in 0..20 { s ^= f(i); }
    s
}
fn main() {
    let c = shop::Cart(7u8);
    println!("{}", total(|i| black_box(c.price(4_000_000 + i))));
}
'''


def rust(v, profview, folder):
    """Both ways in which Rust spells its symbols."""
    if not shutil.which('rustc'):
        print('rustc is not installed')
        return
    (folder / 'r.rs').write_text(RUST)
    for way, flags, wanted in (
            ('legacy', [], ['r::main', 'r::total', '<r::shop::Cart<T> as r::shop::Price>::price']),
            ('v0', ['-C', 'symbol-mangling-version=v0'],
             ['r::main', 'r::total::<r::main::{closure#0}>', '<r::shop::Cart<u8> as r::shop::Price>::price'])):
        log = folder / f'rust-{way}.mlpd'
        made = subprocess.run(['rustc', '-O', *flags, '-o', f'rust-{way}', 'r.rs'], cwd=folder, check=False,
                              capture_output=True, timeout=120)
        if made.returncode:
            return
        run(profview, 'run', '--sample=1000', '--record', log, '--', folder / f'rust-{way}', cwd=folder)
        paths = [path for path, n in tree(profview, log) if n]
        v.true(f'{way} symbols of Rust', any(all(w in path for w in wanted) for path in paths), paths)
        v.true(f'{way}: none is left', not any('17h' in str(path) or '_R' in str(path) for path in paths), paths)


MADE = r'''
#include <string.h>
#include <sys/mman.h>
int main(void)
{
	/* mov ecx, 0x10000000; dec ecx; jnz; ret */
	static const unsigned char code[] = { 0xb9, 0, 0, 0, 0x10, 0xff, 0xc9, 0x75, 0xfc, 0xc3 };
	void *at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(at, code, sizeof code);
	((void (*)(void))at)();
	return 0;
}
'''


def made(v, profview, folder, cc):
    """Code that lies in no file is one row, and has a name."""
    if platform.machine() != 'x86_64':
        return
    (folder / 'made.c').write_text(MADE)
    run(cc, '-O1', '-o', 'made', 'made.c', cwd=folder)
    log = folder / 'made.mlpd'
    run(profview, 'run', '--sample=1000', '--record', log, '--', folder / 'made', cwd=folder)
    done = subprocess.run([profview, 'report', log, '--section', 'methods', '--format', 'json', '--no-index'],
                          capture_output=True, check=True, timeout=150)
    got = {r['name']: r['samples_self'] for r in json.loads(done.stdout)['methods'] if r['samples_self']}
    v.true('code that nobody knows', got.get('[unknown code]', 0) > 0, got)
    v.true('no number for a name', not any(n.startswith('0x') for n in got), got)


def moved(v, profview, folder):
    """A log is read later: the file with its build id is believed whatever its time, no other is."""
    log, program = folder / 'linked.mlpd', folder / 'linked'
    later = log.stat().st_mtime + 1000
    os.utime(program, (later, later))
    got = read(profview, log)
    v.true('a file that was installed again', got.get('main [linked]', 0) > 0, got)
    program.unlink()
    shutil.copy(folder / 'other', program)
    os.utime(program, (1, 1))
    got = read(profview, log)
    v.true('another build in its place', got and not any(n.startswith('main') for n in got), got)
    done = subprocess.run(['mprof-report', log], capture_output=True, text=True, check=False, timeout=150) \
        if shutil.which('mprof-report') else None
    v.true('mprof-report reads the log', not done or (done.returncode, done.stderr) == (0, ''), done)


if __name__ == '__main__':
    main(*sys.argv[1:])
