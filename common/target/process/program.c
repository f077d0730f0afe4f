/* SPDX-License-Identifier: MIT */
/* Finds out what kind of program a command runs, by reading files. */
#include "common/target/process/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/base/utf8.h"
#include "common/io/fd.h"

enum { HEAD = 64 << 10, DEEP = 5, WORDS = 32 };

#if defined(__x86_64__)
enum { OUR_MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
enum { OUR_MACHINE = EM_AARCH64 };
#else
enum { OUR_MACHINE = EM_NONE };
#endif

struct look {
	struct pv_program *to;
	struct pv_error *err;
	char head[HEAD + 1];
	size_t n;
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Named as a place; in the search path folders are passed over. */
static bool is_folder(const char *word)
{
	struct stat st;
	return strchr(word, '/') && stat(word, &st) == 0 && S_ISDIR(st.st_mode);
}

bool pv_program_find(const char *word, char to[PV_PROGRAM_PATH])
{
	const char *path = getenv("PATH");
	if (strchr(word, '/'))
		return snprintf(to, PV_PROGRAM_PATH, "%s", word) < PV_PROGRAM_PATH && is_file(to);
	for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at;) {
		int len = (int)strcspn(at, ":");
		int n = snprintf(to, PV_PROGRAM_PATH, "%.*s%s%s", len, at, len ? "/" : "./", word);
		if (n < PV_PROGRAM_PATH && is_file(to) && access(to, X_OK) == 0)
			return true;
		at += len + (at[len] == ':');
	}
	return false;
}

static bool read_head(struct look *l, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? -1 : pv_fd_pread(fd, l->head, HEAD, 0);
	if (fd >= 0)
		close(fd);
	l->n = n > 0 ? (size_t)n : 0;
	l->head[l->n] = 0;
	return n >= 0;
}

/* ---- ELF */

/* The file's dynamic loader; NULL: none. "" when not known from here. */
static const char *loader_of(const struct look *l)
{
	Elf64_Ehdr h;
	memcpy(&h, l->head, sizeof h);
	for (unsigned i = 0; i < h.e_phnum; i++) {
		Elf64_Phdr p;
		uint64_t at = h.e_phoff + (uint64_t)i * h.e_phentsize;
		if (at > l->n || l->n - at < sizeof p)
			return "";
		memcpy(&p, l->head + at, sizeof p);
		if (p.p_type != PT_INTERP)
			continue;
		bool there =
			p.p_offset < l->n && memchr(l->head + p.p_offset, 0, l->n - p.p_offset);
		return there ? (const char *)l->head + p.p_offset : "";
	}
	return NULL;
}

/* Libraries for one C library do not load into programs for the other. */
static bool is_for_other_libc(const char *loader)
{
#if defined(__GLIBC__) || defined(PV_CARRIES)
	return loader && strstr(loader, "/ld-musl-") != NULL;
#else
	(void)loader;
	return false;
#endif
}

/* With other rights than ours the loader takes no library from us. */
static bool has_other_rights(const char *path)
{
	struct stat st;
	char value[32];
	if (stat(path, &st) < 0)
		return false;
	if ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
		((st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
			st.st_gid != getegid()))
		return true;
	return geteuid() != 0 && getxattr(path, "security.capability", value, sizeof value) > 0;
}

static bool with_sibling(const char *path, const char *ending)
{
	char name[PV_PROGRAM_PATH + 32];
	snprintf(name, sizeof name, "%s%s", path, ending);
	return is_file(name);
}

enum { CHUNK = 1 << 20, MARK = 32, PLACE = 8 };

/*
 * Searches the first 256 MiB for the bytes; on success `part` (CHUNK bytes) has them at *ret_at,
 * after the PLACE bytes in front of them.
 */
static bool find_in_file(
	int fd, const void *bytes, size_t length, unsigned char *part, size_t *ret_at)
{
	enum { MOST = 256 << 20 };
	for (uint64_t at = 0; at < MOST; at += CHUNK - MARK - PLACE) {
		ssize_t n = pv_fd_pread(fd, part, CHUNK, at);
		const unsigned char *in = n > 0 ? memmem(part, (size_t)n, bytes, length) : NULL;
		*ret_at = in ? (size_t)(in - part) : 0;
		if (in || n < CHUNK)
			return in;
	}
	return false;
}

/*
 * .NET's host program has a mark in its data, first in the file; before the mark the place of the
 * header of a single-file program (0: none). False: no such host.
 */
static bool is_host(int fd, bool *ret_bundle)
{
	static const unsigned char mark[MARK] = { 0x8b, 0x12, 0x02, 0xb9, 0x6a, 0x61, 0x20, 0x38,
		0x72, 0x7b, 0x93, 0x02, 0x14, 0xd7, 0xa0, 0x32, 0x13, 0xf5, 0xb9, 0xe6, 0xef, 0xae,
		0x33, 0x18, 0xee, 0x3b, 0x2d, 0xce, 0x24, 0xb3, 0x6a, 0xae };
	struct stat st;
	uint64_t place = 0;
	size_t at;
	bool known = fstat(fd, &st) == 0;
	unsigned char *part = known ? malloc(CHUNK) : NULL;
	bool found = part && find_in_file(fd, mark, MARK, part, &at);
	if (found && at >= PLACE)
		memcpy(&place, part + at - PLACE, PLACE);
	free(part);
	*ret_bundle = place > 0 && place < (uint64_t)st.st_size;
	return found;
}

bool pv_program_is_dotnet(int fd, const char *path, bool siblings)
{
	char magic[SELFMAG];
	bool bundle;
	return pv_fd_pread(fd, magic, sizeof magic, 0) == SELFMAG &&
	       memcmp(magic, ELFMAG, SELFMAG) == 0 &&
	       (strcmp(base_of(path), "dotnet") == 0 ||
		       (is_host(fd, &bundle) && (siblings || bundle)));
}

static bool runs_dotnet(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	bool is = pv_program_is_dotnet(
		fd, path, with_sibling(path, ".dll") && with_sibling(path, ".runtimeconfig.json"));
	pv_fd_close(&fd);
	return is;
}

/* --- compiled ahead of time */

enum { SECTIONS = 128, NAMES = 4096 };

static bool read_program_at(int fd, void *to, size_t n, uint64_t at)
{
	return pv_fd_pread(fd, to, n, at) == (ssize_t)n;
}

/* Whether an ELF file has a section of this name; false also for other files. */
static bool has_section(int fd, const char *wanted)
{
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS];
	char names[NAMES];
	if (!read_program_at(fd, &head, sizeof head, 0) ||
		memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof *section ||
		head.e_shnum > SECTIONS || head.e_shstrndx >= head.e_shnum ||
		!read_program_at(fd, section, head.e_shnum * sizeof *section, head.e_shoff))
		return false;
	size_t n = section[head.e_shstrndx].sh_size;
	n = n < sizeof names ? n : sizeof names - 1;
	if (!read_program_at(fd, names, n, section[head.e_shstrndx].sh_offset))
		return false;
	names[n] = 0;
	for (unsigned i = 0; i < head.e_shnum; i++)
		if (section[i].sh_name < n && strcmp(names + section[i].sh_name, wanted) == 0)
			return true;
	return false;
}

bool pv_program_is_aot(int fd)
{
	return has_section(fd, "__managedcode");
}

/*
 * The event stream is compiled in if the file has the words used to call a listener (event_door.c).
 */
static void look_at_aot(struct pv_program *p, const char *path)
{
	static const char words[] = "ADVR_V1";
	size_t at;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	unsigned char *part = fd >= 0 && pv_program_is_aot(fd) ? malloc(CHUNK) : NULL;
	p->aot = part != NULL;
	p->streams = part && find_in_file(fd, words, sizeof words - 1, part, &at);
	free(part);
	pv_fd_close(&fd);
}

static bool is_mono_name(const char *base)
{
	return strcmp(base, "mono") == 0 || strncmp(base, "mono-sgen", 9) == 0 ||
	       strncmp(base, "mono-boehm", 10) == 0 || strcmp(base, "mono64") == 0 ||
	       strcmp(base, "cli") == 0;
}

static bool look_at_elf(struct look *l, const char *path)
{
	const char *why = NULL, *loader = NULL;
	Elf64_Ehdr h;
	l->to->refused = "foreign architecture";
	memcpy(&h, l->head, sizeof h);
	if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_machine != OUR_MACHINE)
		why = "is for another architecture than the probes are";
	else if (is_for_other_libc(loader = loader_of(l)))
		why = "is for musl, and the probes were built for glibc";
	else if (has_other_rights(path))
		l->to->refused = "set-id",
		why = "runs with other rights than yours (set-id, capabilities): no probe gets in";
	if (why)
		return pv_fail(l->err, PV_EUSAGE, 0, "%s %s", PV_FIT(path, 120), why);
	l->to->refused = "static";
	if (is_mono_name(base_of(path)))
		l->to->kind = PV_PROGRAM_MONO;
	else if (runs_dotnet(path))
		l->to->kind = PV_PROGRAM_DOTNET;
	else if (!loader)
		return pv_fail(l->err, PV_EUSAGE, 0, "%s is linked statically: no probe gets in",
			PV_FIT(path, 120));
	else
		l->to->kind = PV_PROGRAM_NATIVE, look_at_aot(l->to, path);
	l->to->refused = NULL;
	return true;
}

/* ---- images */

/* A PE image with a CLI header. */
static bool is_cli_image(const struct look *l)
{
	uint32_t pe;
	uint16_t magic;
	if (l->n < 0x40 || memcmp(l->head, "MZ", 2) != 0)
		return false;
	memcpy(&pe, l->head + 0x3c, 4);
	if (pe > l->n || l->n - pe < 24 + 2 + 240 || memcmp(l->head + pe, "PE\0", 4) != 0)
		return false;
	memcpy(&magic, l->head + pe + 24, 2);
	uint32_t directory;
	memcpy(&directory, l->head + pe + 24 + (magic == 0x20b ? 112 : 96) + 14 * 8, 4);
	return directory != 0;
}

static bool look_at_image(struct look *l, const char *path)
{
	char config[PV_PROGRAM_PATH];
	snprintf(config, sizeof config, "%s", path);
	char *dot = strrchr(config, '.');
	bool core = false;
	if (dot && !strchr(dot, '/')) {
		*dot = 0;
		core = with_sibling(config, ".runtimeconfig.json");
	}
	l->to->kind = core ? PV_PROGRAM_DOTNET_CLI : PV_PROGRAM_CLI;
	return true;
}

/* ---- scripts */

static bool look_at_file(struct look *l, const char *path, int depth);

/* The next word of a shell's command line, without quotes; false at the end. */
static bool next_word(const char **at, char *to, size_t room)
{
	size_t n = 0;
	char quote = 0;
	*at += strspn(*at, " \t");
	if (!**at || **at == ';' || **at == '&' || **at == '|' || **at == '#')
		return false;
	for (; **at && (quote || !strchr(" \t;&|", **at)); ++*at) {
		char c = **at;
		if (c == quote)
			quote = 0;
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else if (n + 1 < room)
			to[n++] = c;
	}
	to[n] = 0;
	return true;
}

static bool is_assignment(const char *word)
{
	size_t n = strcspn(word, "=");
	return n && word[n] &&
	       strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			    "0123456789_") == n;
}

/* The command in a command line, after assignments, exec and env; "" when not known. */
static void command_of(const char *line, char *to, size_t room)
{
	bool skip = false;
	for (int i = 0; i < WORDS && next_word(&line, to, room); i++) {
		if (skip)
			skip = false;
		else if (strcmp(to, "-a") == 0)
			skip = true;
		else if (strcmp(to, "exec") != 0 && strcmp(base_of(to), "env") != 0 && *to != '-' &&
			 !is_assignment(to))
			return;
	}
	*to = 0;
}

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list) != 0)
		list++;
	return *list;
}

/* The first line that runs a managed runtime, else the last with a program of its own. */
static void main_command(const char *lines, char *to, size_t room)
{
	static const char *const shells_own[] = { "fi", "done", "esac", "}", "exit", "return",
		"echo", "printf", "wait", "cd", "test", "[", "if", "then", "else", "for", "while",
		"case", "trap", "set", "export", "unset", "shift", ":", "true", "false", NULL };
	char line[1024], word[PV_PROGRAM_PATH];
	*to = 0;
	for (const char *at = strchr(lines, '\n'); at; at = strchr(at + 1, '\n')) {
		const char *from = at + 1 + strspn(at + 1, " \t");
		size_t n = strcspn(from, "\n");
		if (n >= sizeof line)
			continue;
		memcpy(line, from, n);
		line[n] = 0;
		command_of(line, word, sizeof word);
		if (*word && !is_one_of(word, shells_own))
			snprintf(to, room, "%s", word);
		if (is_mono_name(base_of(word)) || strcmp(base_of(word), "dotnet") == 0)
			return;
	}
}

bool pv_program_of_line(const char *line, char *to, size_t room)
{
	char *lines;
	*to = 0;
	if (asprintf(&lines, "\n%s", line) < 0)
		return false;
	char quote = 0;
	for (char *at = lines; *at; at++) {
		if (*at == quote)
			quote = 0;
		else if (!quote && (*at == '"' || *at == '\''))
			quote = *at;
		else if (!quote && strchr(";&|()", *at))
			*at = '\n';
		else if (quote && *at == '\n')
			*at = ' ';
	}
	main_command(lines, to, room);
	free(lines);
	return *to && !strchr(to, '$') && !strchr(to, '`');
}

static bool is_shell(const char *base)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ash", "zsh", "ksh", NULL };
	return is_one_of(base, shells);
}

static bool look_at_script(struct look *l, int depth)
{
	char line[512], word[PV_PROGRAM_PATH], path[PV_PROGRAM_PATH];
	snprintf(line, sizeof line, "%.*s", (int)strcspn(l->head + 2, "\n"), l->head + 2);
	command_of(line, word, sizeof word); /* env is skipped */
	if (!*word || depth >= DEEP)
		goto unknown;
	if (is_shell(base_of(word))) {
		main_command(l->head, word, sizeof word);
		if (!*word || strchr(word, '$') || strchr(word, '`'))
			goto unknown;
	}
	if (!pv_program_find(word, path))
		goto unknown;
	bool ok = look_at_file(l, path, depth + 1);
	/* Running the image is up to the script, or the system. */
	if (l->to->kind == PV_PROGRAM_CLI)
		l->to->kind = PV_PROGRAM_MONO;
	if (l->to->kind == PV_PROGRAM_DOTNET_CLI)
		l->to->kind = PV_PROGRAM_DOTNET;
	return ok;
unknown:
	l->to->kind = PV_PROGRAM_SCRIPT;
	return true;
}

static bool look_at_file(struct look *l, const char *path, int depth)
{
	if (!read_head(l, path))
		return pv_fail(l->err, PV_EIO, 0, "%s: %s", PV_FIT(path, 120), strerror(errno));
	char *real = realpath(path, NULL);
	snprintf(l->to->runs, sizeof l->to->runs, "%s", real ? real : path);
	free(real);
	if (l->n >= sizeof(Elf64_Ehdr) && memcmp(l->head, ELFMAG, SELFMAG) == 0)
		return look_at_elf(l, path);
	if (is_cli_image(l))
		return look_at_image(l, path);
	if (l->n > 2 && memcmp(l->head, "#!", 2) == 0)
		return look_at_script(l, depth);
	l->to->kind = PV_PROGRAM_SCRIPT;
	return true;
}

bool pv_program_look(
	const char *word, struct pv_program *ret, bool *ret_missing, struct pv_error *reterr)
{
	*ret_missing = !pv_program_find(word, ret->path);
	if (*ret_missing && is_folder(word)) {
		*ret_missing = false;
		return pv_fail(reterr, PV_EIO, 0, "%s: %s", PV_FIT(word, 120), strerror(EISDIR));
	}
	if (*ret_missing && !*word)
		return pv_fail(reterr, PV_EIO, 0, "the command is an empty word");
	if (*ret_missing)
		return pv_fail(
			reterr, PV_EIO, 0, "%s: there is no such program", PV_FIT(word, 120));
	struct look *l = calloc(1, sizeof *l);
	if (!l)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	l->to = ret;
	l->err = reterr;
	bool ok = look_at_file(l, ret->path, 0);
	free(l);
	bool image = ret->kind == PV_PROGRAM_CLI || ret->kind == PV_PROGRAM_DOTNET_CLI;
	if (ok && !image && access(ret->path, X_OK) != 0)
		return pv_fail(
			reterr, PV_EIO, 0, "%s: %s", PV_FIT(ret->path, 120), strerror(errno));
	return ok;
}
