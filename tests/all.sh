# SPDX-License-Identifier: MIT
# What `bootstrap.sh test --all` has besides; a part of that script, with its functions and lists.

# What is distributed has all that it takes to build and test it.
test_dist() {
	local name dir=build/meson-dist
	say 'building what is distributed'
	rm -rf "$dir"
	meson dist -C build --no-tests --allow-dirty --formats xztar >&2
	name=$(basename "$dir"/*.tar.xz .tar.xz)
	tar -C "$dir" -xf "$dir/$name.tar.xz"
	set_up "$dir/$name/build" "$dir/$name"
	build_tests "$dir/$name/build"
	run_tests "$dir/$name/build" --no-rebuild --suite unit --suite style
}

# The worked examples of the developers' page do what it says, all of them together.
test_examples() {
	local dir=build/examples
	say 'building the worked examples'
	rm -rf "$dir"
	mkdir -p "$dir"
	git ls-files -z | xargs -0 cp --parents -t "$dir"
	python3 "$dir/tests/tools/check_examples.py" "$dir" apply
	set_up "$dir/build" "$dir"
	build_tests "$dir/build"
	run_tests "$dir/build" --no-rebuild test_codec test_persist test_query_runtime test_column_help \
		'report formats' test_commands test_keys test_idle_keys manual
}

# Units and screens for arm64, under qemu; skips.txt names those that are about the host.
test_arm64() {
	local dir=build-arm64 names tool=tests/tools/arm64.sh
	[ "$(uname -m)" != aarch64 ] || return 0 # all tests were for it
	say 'units and screens for arm64'
	folders+=("$dir")
	rm -f "$dir"/meson-logs/testlog*.json
	need_packages -- "${ARM64_WISHES[@]}"
	mapfile -t names < <(printf '%s\n' "${BUILD_PACKAGES[@]}" "${BUILD_WISHES[@]}" "${TEST_PACKAGES[@]}" | grep -E -- '-dev$|^check$')
	if ! logged 'libraries of arm64' "$tool" root "$dir-root" "${names[@]}"; then
		say "nothing is tested for arm64 here: no compiler, no qemu, or no packages for it"
		return 0
	fi
	set_up "$dir" --cross-file "$dir-root/cross.ini" -Dtests=true -Dmono=disabled
	build_tests "$dir"
	"$tool" wrap "$dir-root" "$dir"
	mapfile -t names < <(meson test -C "$dir" --no-rebuild --list --suite unit --suite golden |
		python3 tests/tools/summary.py --chosen tests/tools/skips.txt "$dir")
	if [ ${#names[@]} -gt 0 ]; then
		run_tests "$dir" --no-rebuild "${names[@]}"
	else
		failed=1
	fi
}

# Where no static viewer was made, that of the build stands in: its packages do for this machine.
test_packages() {
	local viewer=build-static/profview
	say 'making packages'
	make_debian || failed=1
	if [ ! -e "$viewer" ]; then
		say 'there is no static viewer: packages that depend on no other are made of what was built'
		viewer=build/package/viewer
		mkdir -p "$viewer/probe"
		cp build/profview "$viewer"
		cp -r build/probe/*.{so,exe} build/probe/{profview-outside,platforms} "$viewer/probe" || true
		strip "$viewer/profview" "$viewer"/probe/*.so
	fi
	make_portable "$viewer" || failed=1
	need_packages -- "${PACKAGE_WISHES[@]}"
	run_part build packages --no-rebuild --suite packages
}

# The one file, which the packages for any release are made of.
test_one_file() {
	[ "$(uname -m)" = x86_64 ] || return 0
	say 'the one file is built, and runs where nothing else is'
	./bootstrap.sh static || failed=1
	python3 tests/soak/one_file.py build-static/profview build/profview tests/golden/shop.mlpd.gz ||
		[ $? -eq 77 ] || failed=1
}

test_tidy() {
	if command -v clang-tidy-19 >/dev/null; then
		say 'clang-tidy reads the whole tree'
		python3 tests/tools/check_tidy.py . build || failed=1
	else
		say 'clang-tidy-19 is not installed: it does not read the tree'
	fi
}

# Adds to the folders of do_test, and sets its `failed`.
test_all() {
	if [ -e .git ]; then # it lists the files that git knows
		test_dist
		test_examples
		folders+=(build/meson-dist/*/build build/examples/build)
	fi
	test_one_file
	test_packages
	test_arm64
	test_tidy
	say 'what hostile logs cost is counted at more events, and hostile strings are looked for everywhere'
	python3 tests/program/test_hostile_time.py build/tests/hostile every 250 || failed=1
	python3 tests/program/test_foreign.py logs build/profview \
		build/tests/{make_log,b07_write,report_lists,frames_print} every || failed=1
	say 'exports are opened by the programs that they are for, as far as these can be had'
	python3 tests/soak/viewers.py build/profview tests/golden/shop.mlpd.gz build/viewers || failed=1
}
