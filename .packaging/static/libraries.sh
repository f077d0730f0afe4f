#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libraries.sh FOLDER: builds what the one file is linked with into FOLDER/musl/{include,lib}, from Debian's own sources,
# since Debian's static libraries are for glibc. Needs no rights: the lists of sources lie in FOLDER/apt.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
out=$folder/musl
SOURCES=(cjson elfutils libevent libiberty libsodium mimalloc ncurses zlib)
# Terminals whose descriptions lie in the program, for machines that have none.
TERMINALS=xterm-256color,xterm,xterm-direct,tmux-256color,tmux,screen-256color,screen,linux,vt100,vt220,\
rxvt-unicode-256color,alacritty,foot,xterm-kitty,st-256color,konsole-256color,vte-256color,putty-256color,cygwin,dumb

# What was built by this recipe before stays.
recipe=$(cat "$here"/libraries.sh "$here"/musl/*.h "$here"/musl/sys/*.h)
if [ "$(cat "$out/recipe" 2>/dev/null)" = "$recipe" ]; then
	exit 0
fi
rm -rf "$out"
mkdir -p "$out"/{include,lib,pkgconfig} "$folder/sources" "$folder"/apt/{parts,lists/partial,cache/archives/partial}

# ---- sources

apt() {
	apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$folder/apt/parts" \
		-o Dir::State::lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" \
		-o APT::Sandbox::User="$(id -un)" "$@"
}

fetch() {
	local file name
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
		[ -f "$file" ] || continue
		name=$folder/apt/parts/$(basename "$file")
		# A list has a source a line, the other format fields.
		sed 's/^deb[[:space:]]/deb-src /; s/^Types:.*/Types: deb-src/' "$file" >"$name"
	done
	apt update || true # a foreign source need have no sources
	cd "$folder/sources"
	apt source --download-only "${SOURCES[@]}"
	touch complete
}
[ -e "$folder/sources/complete" ] || (fetch)

# ---- libraries

# Through ccache where it is there: a second folder's libraries take a third of the time.
cache=$(command -v ccache || true)
export CC="${cache:+ccache }musl-gcc" AR=gcc-ar RANLIB=gcc-ranlib
export CFLAGS='-O2 -fPIC -ffunction-sections -fdata-sections -fno-strict-aliasing -w'
MAKEFLAGS=-j$(nproc)
export MAKEFLAGS
configure=(--host="$(uname -m)-linux-musl" --prefix="$out")

# Kernel headers belong to no C library.
for name in linux asm-generic; do
	ln -s /usr/include/$name "$out/include/$name"
done
ln -s "/usr/include/$(gcc -print-multiarch)/asm" "$out/include/asm"

# describe NAME LIBRARIES [INCLUDES]: for pkg-config.
describe() {
	printf 'Name: %s\nDescription: for the one file\nVersion: 1\nLibs: -L%s/lib %s\nCflags: -I%s/include%s\n' \
		"$1" "$out" "$2" "$out" "${3:-}" >"$out/pkgconfig/$1.pc"
}

# of SOURCE: unpacks it afresh and goes there.
of() {
	printf 'library: %s\n' "$1"
	rm -rf "$folder/unpacked/$1"
	mkdir -p "$folder/unpacked"
	dpkg-source --no-check -x "$folder/sources/$1"_*.dsc "$folder/unpacked/$1"
	cd "$folder/unpacked/$1"
}

build_zlib() {
	of zlib
	./configure --static --prefix="$out"
	make libz.a
	cp libz.a "$out/lib"
	cp zlib.h zconf.h "$out/include"
	describe zlib -lz
}

build_sodium() {
	of libsodium
	autoreconf -fi
	./configure "${configure[@]}" --disable-shared --disable-pie
	make -C src install
	describe libsodium -lsodium
}

build_event() {
	of libevent
	autoreconf -fi
	./configure "${configure[@]}" --disable-shared --disable-openssl --disable-samples \
		--disable-libevent-regress --disable-debug-mode
	make include/event2/event-config.h
	make libevent_core.la
	cp .libs/libevent_core.a "$out/lib"
	cp -r include/event2 "$out/include"
	describe libevent_core -levent_core
}

build_cjson() {
	of cjson
	$CC $CFLAGS -c cJSON.c
	ar rcsD "$out/lib/libcjson.a" cJSON.o
	mkdir "$out/include/cjson"
	cp cJSON.h "$out/include/cjson"
	describe libcjson -lcjson
}

# (__USE_ISOC11 is glibc's word for aligned_alloc(), which is replaced with the others only then.)
# The allocator: musl's own gives memory back at once, and with it reading a log takes up to twice as long.
build_mimalloc() {
	of mimalloc
	$CC $CFLAGS -DNDEBUG -DMI_MALLOC_OVERRIDE -D__USE_ISOC11=1 -Iinclude -ftls-model=local-exec -c src/static.c -o "$out/lib/mimalloc.o"
	cp include/mimalloc.h "$out/include"
}

build_ncurses() {
	of ncurses
	grep -q '^xterm-kitty|' misc/terminfo.src || printf 'xterm-kitty|kitty,\n\tuse=kitty,\n' >>misc/terminfo.src
	./configure "${configure[@]}" --without-shared --with-normal --without-debug --without-cxx \
		--without-cxx-binding --without-ada --without-manpages --without-progs --without-tests --enable-widec \
		--with-termlib --disable-db-install --with-fallbacks="$TERMINALS" \
		--with-terminfo-dirs=/etc/terminfo:/lib/terminfo:/usr/share/terminfo:/usr/lib/terminfo \
		--with-default-terminfo-dir=/usr/share/terminfo
	make
	make -C include install
	make -C ncurses install.libs
	describe ncursesw '-lncursesw -ltinfow' "/ncursesw -I$out/include -DNCURSES_WIDECHAR=1"
}

build_iberty() {
	of libiberty
	mkdir -p built
	cd built
	../libiberty/configure "${configure[@]}"
	make
	cp libiberty.a "$out/lib"
	mkdir "$out/include/libiberty"
	cp ../include/*.h "$out/include/libiberty"
	describe iberty -liberty
}

# A part's static library alone; their shared ones do not link, and nobody wants them.
build_elfutils() {
	local part flags="$CFLAGS -I$here/musl -I$out/include -idirafter $out/include/libiberty -D_GNU_SOURCE -include $here/musl/sys/cdefs.h"
	of elfutils
	mkdir -p built
	cd built
	CFLAGS=$flags LDFLAGS=-L$out/lib ac_cv_search_argp_parse='none required' ac_cv_search_fts_close='none required' \
		ac_cv_search__obstack_free='none required' ../configure "${configure[@]}" --disable-debuginfod \
		--disable-libdebuginfod --without-bzlib --without-lzma --without-zstd --disable-nls --disable-symbol-versioning
	for part in lib/libeu libelf/libelf libcpu/libcpu backends/libebl_backends libebl/libebl libdwelf/libdwelf \
		libdwfl/libdwfl libdw/libdw; do
		[ "${part%%/*}" != libcpu ] || make -C libcpu x86_64_dis.h i386_dis.h
		make -C "${part%%/*}" "${part#*/}.a" CFLAGS="$flags"
	done
	cp lib/libeu.a libelf/libelf.a libdw/libdw.a "$out/lib"
	mkdir "$out/include/elfutils"
	cp ../libelf/{libelf,gelf,nlist,elf}.h ../libdw/dwarf.h "$out/include"
	cp ../libdw/libdw.h ../libdwfl/libdwfl.h ../libebl/libebl.h ../libdwelf/libdwelf.h ../libelf/elf-knowledge.h \
		version.h "$out/include/elfutils"
	describe libdw '-ldw -lelf -leu -liberty -lz'
}

# (A subshell of `set -e` that stands alone ends the script with it.)
for library in zlib sodium event cjson mimalloc ncurses iberty elfutils; do
	("build_$library")
done
rm -rf "$folder/unpacked"
printf '%s\n' "$recipe" >"$out/recipe"
