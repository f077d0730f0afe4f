# SPDX-License-Identifier: MIT
"""The programs of matrix.py: how each is started, and what it needs. Each computes for a second or less."""
import textwrap

PYTHON = '/usr/bin/python3'
LIB = '/usr/lib/x86_64-linux-gnu/'
MONO = '/usr/lib/mono/4.5/'

COMPUTE = '''
import hashlib
h = b''
for i in range(150000):
    h = hashlib.sha256(h + b'%d' % i).digest()
words = sorted(str(i * 7919 % 100003) for i in range(200000))
print(h.hex(), words[1234])
'''
FORKS = '''
import os, multiprocessing
def work(n):
    return sum(i * i % 7 for i in range(n))
if __name__ == '__main__':
    with multiprocessing.Pool(3) as pool:
        print(pool.map(work, [600000, 700000, 800000]))
'''
DAEMON = '''
import os, sys, time
r, w = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    n = sum(i * i % 7 for i in range(2000000))
    os.write(w, b'%d' % n)
    os._exit(7)
os.close(w)
print(os.read(r, 100).decode())
'''
SIGNALS = '''
import os, re
keep = ('SigBlk', 'SigIgn', 'SigCgt')
print([l for l in open('/proc/self/status') if l.startswith(keep[:2])])
print(os.nice(0), sorted(os.sched_getaffinity(0))[:1], os.umask(0), os.getcwd() != '')
'''
KILLED = '''
import os, signal
sum(i * i for i in range(1000000))
os.kill(os.getpid(), signal.SIGSEGV)
'''
ASKED = '''
import signal, sys
def end(*_):
    print('asked to end', flush=True)
    sys.exit(5)
signal.signal(signal.SIGTERM, end)
while True:
    sum(range(100000))
'''
PERL = '''
my %n; my $x = 1;
for (1 .. 600000) { $x = ($x * 16807) % 2147483647; $n{$x % 5003}++; }
print join(',', map { "$_=$n{$_}" } (sort { $n{$b} <=> $n{$a} || $a <=> $b } keys %n)[0 .. 3]), "\\n";
my @p; for my $i (1 .. 3) { my $p = fork; if (!$p) { my $s = 0; $s += $_ % 7 for 1 .. 900000; exit $i; } push @p, $p; }
for (@p) { waitpid $_, 0; print $? >> 8, "\\n"; }
'''
NODE = '''
const words = new Map();
for (let i = 0; i < 2000000; i++) { const w = 'w' + (i * 7919 % 5003); words.set(w, (words.get(w) || 0) + 1); }
console.log([...words.entries()].sort().slice(0, 3).join(' '), JSON.stringify([...words.keys()]).length);
'''
SQL = '''create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
insert into t select i, 'name ' || (i * 7919 % 100003), i * 0.5 from n;
create index by_b on t(b);
select count(*), sum(c) from t where b like 'name 1%';
select b, count(*) from t group by b order by 2 desc, 1 limit 3;
'''
CPP = '''
#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
template <int N> struct Tower { static long up(long x) { return Tower<N - 1>::up(x * N % 1009) + N; } };
template <> struct Tower<0> { static long up(long x) { return x; } };
int main() { std::map<std::string, std::vector<long>> m; std::regex r("a+b");
  for (int i = 0; i < 100; i++) m[std::to_string(i)].push_back(Tower<200>::up(i));
  std::cout << m.size() << std::regex_match("aab", r) << "\\n"; }
'''
MAKE = '''all: one two three four
%: %.cpp
\t@g++ -O1 -o $@ $< && ./$@
'''
MAKES = '''all:
\t@for d in a b; do $(MAKE) --no-print-directory -s -C $$d; done
'''
INNER = '''all: x.o y.o
\t@cat x.o y.o | md5sum
%.o: %.c
\t@gcc -O2 -c -o $@ $<
'''
C = '#include <stdio.h>\n' + '\n'.join(
    f'int f{i}(int n) {{ int s = {i}; for (int k = 0; k < n; k++) s = s * {i + 3} + k % (s | 1); return s; }}'
    for i in range(400)) + '\nint main(void) { printf("%d\\n", f1(3) + f399(5)); }\n'
NINJA = '''rule cc
  command = gcc -O2 -c -o $out $in
build a.o: cc a.c
build b.o: cc b.c
build c.o: cc c.c
'''
NGINX = '''user root;
daemon {daemon};
worker_processes 2;
pid {{d}}/pid;
error_log {{d}}/error.log;
events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path {{d}}/body; proxy_temp_path {{d}}/proxy; fastcgi_temp_path {{d}}/f;
  uwsgi_temp_path {{d}}/u; scgi_temp_path {{d}}/s; gzip on; gzip_http_version 1.0; gzip_types text/plain; gzip_comp_level 9;
  types {{ text/plain txt; }}
  server {{ listen unix:{{d}}/s.sock; location / {{ root {{d}}/www; }} }} }}
'''
NGINX_DRIVER = '''
import os, signal, socket, subprocess, time, zlib, sys
here = os.getcwd()
server = subprocess.Popen(['nginx', '-p', here, '-c', here + '/nginx.conf', '-e', here + '/early.log'])
def ask():
    with socket.socket(socket.AF_UNIX) as s:
        s.connect(here + '/s.sock')
        s.sendall(b'GET /a.txt HTTP/1.0\\r\\nAccept-Encoding: gzip\\r\\n\\r\\n')
        got = b''
        while part := s.recv(65536):
            got += part
        return got.partition(b'\\r\\n\\r\\n')[2]
for _ in range(600):
    try:
        first = ask()
        break
    except OSError:
        time.sleep(0.05)
try:
    print(len(zlib.decompress(first, 31)), all(ask() == first for _ in range(60)), flush=True)
finally:
    os.kill(int(open(here + '/pid').read()), signal.SIGQUIT)
print(server.wait())
for _ in range(600):
    if not os.path.exists(here + '/pid'):
        break
    time.sleep(0.05)
'''
WEB_DRIVER = '''
import http.client, re, subprocess, sys
server = subprocess.Popen(['dotnet', sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
address = re.search(r'[\\w.]+:\\d+', server.stdout.readline())[0]
link = http.client.HTTPConnection(address)
codes = {}
for i in range(1500):
    link.request('GET', '/')
    answer = link.getresponse()
    answer.read()
    codes[answer.status] = codes.get(answer.status, 0) + 1
print(codes, flush=True)
link.close()
server.stdin.close()
print(server.stdout.read().count('1500') > 0, server.wait())
'''
CS = '''using System; using System.Linq; using System.Collections.Generic;
class P { static void Main () { var d = new Dictionary<string, int> ();
  for (int i = 0; i < 400000; i++) { var k = "w" + i * 7919L % 5003; d.TryGetValue (k, out var n); d[k] = n + 1; }
  Console.WriteLine (string.Join (",", d.OrderBy (p => p.Key).Take (3).Select (p => p.Key + "=" + p.Value))); } }
'''
CS_MANY = 'using System; namespace Many {\n' + '\n'.join(
    f'public class C{i} {{ public int F (int n) {{ int s = {i}; for (int k = 0; k < n; k++) s += k * {i}; return s; }} }}'
    for i in range(800)) + '\npublic class P { public static void Main () { Console.WriteLine (new C7 ().F (9)); } } }\n'
CSHARP = 'long s = 0; for (int i = 0; i < 3000000; i++) s += i % 7; print(s);'
PROJECT = '''<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><OutputType>Exe</OutputType>
<TargetFramework>net10.0</TargetFramework><Deterministic>true</Deterministic>{more}</PropertyGroup>{items}</Project>
'''
TEST_ITEMS = '''<ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.11.1" />
<PackageReference Include="xunit" Version="2.9.2" /><PackageReference Include="xunit.runner.visualstudio" Version="2.8.2" />
</ItemGroup>'''
RUBY = 'h = Hash.new(0); 600000.times { |i| h["w#{i * 7919 % 5003}"] += 1 }; p h.sort.first(3)'
LUA = 'local t = {} for i = 1, 3000000 do local k = i * 7919 % 5003 t[k] = (t[k] or 0) + 1 end print(#t, t[17])'
AWK = 'BEGIN { for (i = 0; i < 1500000; i++) n[i * 7919 % 5003]++; print n[17], length(n) }'
JAVA = '''import java.util.*; public class P { public static void main(String[] a) { Map<String, Integer> m = new TreeMap<>();
 for (int i = 0; i < 500000; i++) m.merge("w" + i * 7919L % 5003, 1, Integer::sum); System.out.println(m.get("w17")); } }
'''
GIT = '''export GIT_AUTHOR_DATE='2026-01-01 00:00:00 +0000' GIT_COMMITTER_DATE='2026-01-01 00:00:00 +0000' GIT_CONFIG_GLOBAL=/dev/null
git init -q -b main . && git config user.name n && git config user.email e@x && git config gc.auto 0
for i in $(seq 1 300); do seq $i 7 4000 > f$i; done
git add . && git commit -q -m one && sed -i s/1/2/ f* && git commit -q -a -m two
git log --stat --format=%H | md5sum && git repack -q -a -d -f --window=50 --threads=2 && git fsck --strict && git diff HEAD~1 | md5sum
'''
CMAKE = 'cmake_minimum_required(VERSION 3.18)\nproject(p C)\nadd_executable(p a.c)\n'


class Program:
    """`makes`: files that must be alike. `code`: as it ends, bare; None: whatever it is, alike."""

    def __init__(self, name, command, needs=(), files=None, makes=(), code=0, text=0, env=None):
        self.name, self.command, self.needs = name, command, tuple(needs)
        self.files, self.makes, self.code, self.text, self.env = files or {}, makes, code, text, env


def fill(program, folder):
    for name, content in program.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content).replace('{d}', str(folder)))
    if program.text:  # so many megabytes that pack well
        block = ''.join(f'{i * 7919 % 100003} line of {i % 977}\n' for i in range(50000))
        with open(folder / 'text', 'w', encoding='ascii') as to:
            for i in range(program.text):
                to.write(block.replace('line', f'line {i}'))


def sh(script):
    return ['sh', '-c', script]


def wrapped(name, *words):
    return Program(name, [*words, PYTHON, 'compute.py'], [words[0], PYTHON], {'compute.py': COMPUTE})


def preloaded(name, library):
    return Program(name, ['sqlite3', '-batch', 'db', '.read q.sql'], ['sqlite3', LIB + library], {'q.sql': SQL},
                   env={'LD_PRELOAD': LIB + library})


def linked(name):
    return Program(f'{name} linked', [f'{{linked}}/allocators-{name}'], [f'{{linked}}/allocators-{name}'])


PROGRAMS = [
    Program('gcc', ['gcc', '-O2', '-c', '-o', 'a.o', 'a.c'], ['gcc'], {'a.c': C}, ['a.o']),
    Program('g++', ['g++', '-O1', '-c', '-o', 'a.o', 'a.cpp'], ['g++'], {'a.cpp': CPP}, ['a.o']),
    Program('make -j2', ['make', '-j2', '-s', '-Oline'], ['make', 'g++'], {'Makefile': MAKE, **{
        f'{n}.cpp': f'#include <iostream>\n#include <map>\nint main() {{ std::map<int, int> m; m[1] = {i}; }}\n'
        for i, n in enumerate(('one', 'two', 'three', 'four'))}}),
    Program('make of make', ['make'], ['make', 'gcc'], {'Makefile': MAKES, **{
        f'{d}/{f}.c': C.replace('main', f'main_{d}{f}') for d in 'ab' for f in 'xy'},
        'a/Makefile': INNER, 'b/Makefile': INNER}),
    Program('ninja', ['ninja', '-j1'], ['ninja', 'gcc'], {'build.ninja': NINJA, **{f'{n}.c': C for n in 'abc'}},
            ['a.o', 'b.o', 'c.o']),
    Program('cmake', sh('cmake -S . -B b > log && cmake --build b > log2 && b/p'), ['cmake', 'gcc'],
            {'CMakeLists.txt': CMAKE, 'a.c': C}),
    Program('objdump', sh(f'objdump -d {LIB}libstdc++.so.6 | md5sum'), ['objdump', LIB + 'libstdc++.so.6']),
    Program('clang', ['clang', '-O2', '-c', '-o', 'a.o', 'a.c'], ['clang'], {'a.c': C}, ['a.o']),
    Program('rustc', ['rustc', '-O', '-o', 'p', 'p.rs'], ['rustc'],
            {'p.rs': 'fn main() { let mut v: Vec<u32> = (0..999).collect(); v.sort(); println!("{}", v[3]); }'}),
    Program('sqlite3', ['sqlite3', '-batch', 'db', '.read q.sql'], ['sqlite3'], {'q.sql': SQL}, ['db']),
    Program('git', sh(GIT), ['git']),
    Program('xz', sh('xz -6 -T2 -k text && xz -dc text.xz | md5sum'), ['xz'], makes=['text.xz'], text=2),
    Program('zstd', sh('zstd -q -12 -T2 text && zstd -qdc text.zst | md5sum'), ['zstd'], makes=['text.zst'], text=6),
    Program('gzip to bzip2', sh('gzip -9c text | gunzip | bzip2 -9 | bunzip2 | md5sum'), ['gzip', 'bzip2'], text=4),
    Program('tar to lz4', sh('tar c --mtime=2026-01-01 --owner=0 --group=0 text | lz4 -9 -c | md5sum'), ['tar', 'lz4'],
            text=8),
    Program('sort', sh('sort --parallel=2 -S 20M text | md5sum'), ['sort'], text=6),
    Program('openssl', sh('for i in 1 2 3 4 5 6; do openssl dgst -sha512 text; done'), ['openssl'], text=30),
    Program('awk', ['mawk', AWK], ['mawk']),
    Program('jq', ['jq', '-n', '[range(200000) | . * 7919 % 5003] | group_by(.) | map(length) | add'], ['jq']),
    Program('python3', [PYTHON, 'compute.py'], [PYTHON], {'compute.py': COMPUTE}),
    Program('python3 multiprocessing', [PYTHON, 'forks.py'], [PYTHON], {'forks.py': FORKS}),
    Program('perl with forks', ['perl', 'p.pl'], ['perl'], {'p.pl': PERL}),
    Program('ruby', ['ruby', '-e', RUBY], ['ruby']),
    Program('lua', ['lua5.4', '-e', LUA], ['lua5.4']),
    Program('node', ['node', 'n.js'], ['node'], {'n.js': NODE}),
    Program('npm run', ['npm', 'run', '--silent', 'go'], ['npm', 'node'],
            {'n.js': NODE, 'package.json': '{"name":"p","version":"1.0.0","scripts":{"go":"node n.js"}}'}),
    Program('java', ['java', 'P.java'], ['java'], {'P.java': JAVA}),
    Program('nginx under load', [PYTHON, 'drive.py'], ['nginx', PYTHON], {
        'drive.py': NGINX_DRIVER, 'nginx.conf': NGINX.format(daemon='off'), 'www/a.txt': 'line of text\n' * 90000}),
    Program('nginx as a daemon', [PYTHON, 'drive.py'], ['nginx', PYTHON], {
        'drive.py': NGINX_DRIVER, 'nginx.conf': NGINX.format(daemon='on'), 'www/a.txt': 'line of text\n' * 90000}),
    Program('a daemon', [PYTHON, 'daemon.py'], [PYTHON], {'daemon.py': DAEMON}),
    Program('mcs', ['mcs', '-nologo', '-out:m.exe', 'm.cs'], ['mcs'], {'m.cs': CS_MANY}),
    Program('mono', sh('mcs -nologo -out:p.exe p.cs && mono p.exe'), ['mcs', 'mono'], {'p.cs': CS}),
    Program('gendarme', sh('mcs -nologo -out:p.exe p.cs && gendarme --quiet --console p.exe > report; echo $?'),
            ['gendarme', 'mcs'], {'p.cs': CS}),
    Program('csharp', ['csharp', '-e', CSHARP], ['csharp']),
    Program('dotnet build', sh('dotnet build -c Release --nologo -v q -o out > log; echo $? && dotnet out/p.dll'),
            ['dotnet'], {'p.cs': CS, 'p.csproj': PROJECT.format(more='', items='')}),
    Program('dotnet test', sh('dotnet test --nologo -v q > log; echo $?; grep -c Passed log'),
            ['dotnet', '/root/.nuget/packages/xunit'],
            {'t.cs': 'using Xunit; public class T { [Fact] public void Adds () { Assert.Equal (4, 2 + 2); } }',
             't.csproj': PROJECT.format(more='<IsTestProject>true</IsTestProject>', items=TEST_ITEMS)}),
    Program('ASP.NET', [PYTHON, 'drive.py', '{linked}/clr_server.dll'], ['dotnet', '{linked}/clr_server.dll'],
            {'drive.py': WEB_DRIVER}),
    Program('NativeAOT', sh('dotnet publish -c Release --nologo -v q -o out > log; echo $? && out/p'),
            ['dotnet', '/root/.nuget/packages/runtime.linux-x64.microsoft.dotnet.ilcompiler'],
            {'p.cs': CS, 'p.csproj': PROJECT.format(more='<PublishAot>true</PublishAot>', items='')}),
    preloaded('jemalloc preloaded', 'libjemalloc.so.2'),
    preloaded('tcmalloc preloaded', 'libtcmalloc_minimal.so.4'),
    Program('env LD_PRELOAD=', ['env', f'LD_PRELOAD={LIB}libjemalloc.so.2', 'sqlite3', '-batch', 'db', '.read q.sql'],
            ['sqlite3', LIB + 'libjemalloc.so.2'], {'q.sql': SQL}),
    linked('jemalloc'),
    linked('tcmalloc'),
    wrapped('env', 'env', 'A=1'),
    wrapped('nice', 'nice', '-n', '3'),
    wrapped('nohup', 'nohup'),
    wrapped('stdbuf', 'stdbuf', '-oL'),
    wrapped('timeout', 'timeout', '100'),
    wrapped('setsid', 'setsid', '--wait'),
    wrapped('taskset', 'taskset', '-c', '0'),
    Program('sh -c', sh(f'{PYTHON} compute.py; exit 9'), [PYTHON], {'compute.py': COMPUTE}, code=9),
    Program('signals handed on', ['nohup', 'nice', PYTHON, 's.py'], [PYTHON], {'s.py': SIGNALS}),
    Program('ended by a signal', [PYTHON, 'k.py'], [PYTHON], {'k.py': KILLED}, code=139),
    Program('asked to end', ['timeout', '--preserve-status', '1', PYTHON, 'a.py'], [PYTHON], {'a.py': ASKED}, code=5),
]

