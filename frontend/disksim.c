/* SPDX-License-Identifier: MIT */
#include "frontend/disksim.h"

#include "sim/core/types.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_DEEP  8
#define FILE_BYTES  ((size_t)64 << 20)
#define BLOCKS_DEEP 32

struct dfile {
	struct dfile *next;
	char path[];
};

/* A file being parsed. */
struct source {
	const char *path; /* owned by *files */
	const char *p;    /* in the text, which ends in a NUL */
	int line;
	int files_deep, blocks_deep;
	struct dfile **files;
	struct err *e;
};

/* ---- nodes ---- */

static int fail_here(const struct source *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int
fail_here(const struct source *s, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(s->e, ERR_INPUT, "%s:%d: %s", s->path, s->line, text);
}

int
disksim_fail(const struct dnode *node, struct err *e, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(e, ERR_INPUT, "%s:%d: %s", node->file, node->line, text);
}

static void
free_nodes(struct dnode *node)
{
	while (node) {
		struct dnode *next = node->next;

		free_nodes(node->child);
		free(node->key);
		free(node->type);
		free(node->text);
		free(node);
		node = next;
	}
}

void
disksim_free(struct dnode *root, struct dfile *files)
{
	free_nodes(root);
	while (files) {
		struct dfile *next = files->next;

		free(files);
		files = next;
	}
}

static void
append(struct dnode *parent, struct dnode *node)
{
	if (parent->last)
		parent->last->next = node;
	else
		parent->child = node;
	parent->last = node;
}

static struct dnode *
add_node(const struct source *s, struct dnode *parent, enum dnode_kind kind)
{
	struct dnode *node = calloc(1, sizeof(*node));

	if (!node) {
		err_nomem(s->e);
		return NULL;
	}
	node->kind = kind;
	node->file = s->path;
	node->line = s->line;
	append(parent, node);
	return node;
}

struct dnode *
disksim_block(struct dnode *node, const char *type)
{
	for (struct dnode *c = node->child; c; c = c->next) {
		struct dnode *found = NULL;

		if (c->kind == DNODE_BLOCK && strcmp(c->type, type) == 0)
			return c;
		if (c->child)
			found = disksim_block(c, type);
		if (found)
			return found;
	}
	return NULL;
}

struct dnode *
disksim_find(const struct dnode *block, const char *key)
{
	for (struct dnode *c = block->child; c; c = c->next) {
		if (!c->key || strcmp(c->key, key) != 0)
			continue;
		c->used = true;
		return c;
	}
	return NULL;
}

int
disksim_number(const struct dnode *node, double *value, struct err *e)
{
	char *end;

	if (node->kind == DNODE_SCALAR) {
		*value = strtod(node->text, &end);
		if (end != node->text && !*end && *value > -1e15 &&
		    *value < 1e15)
			return 0;
	}
	return disksim_fail(node, e, "%s%s%s: a number is wanted",
			    node->key ? node->key : "",
			    node->key && node->kind == DNODE_SCALAR ? " = "
								    : "",
			    node->kind == DNODE_SCALAR ? node->text : "");
}

/* ---- text ---- */

static void
skip_blanks(struct source *s)
{
	for (;; s->p++) {
		if (*s->p == '#')
			while (s->p[1] && s->p[1] != '\n')
				s->p++;
		else if (*s->p == '\n')
			s->line++;
		else if (!isspace((unsigned char)*s->p))
			return;
	}
}

static bool
ends_text(char c)
{
	return !c || strchr("=,{}[]#\n", c) != NULL;
}

/* Text up to a separator, its blanks single; NULL when memory runs out. */
static char *
take_text(struct source *s)
{
	size_t n = strcspn(s->p, "=,{}[]#\n"), used = 0;
	char *text = malloc(n + 1);

	if (!text) {
		err_nomem(s->e);
		return NULL;
	}
	for (; !ends_text(*s->p); s->p++) {
		if (!isspace((unsigned char)*s->p))
			text[used++] = *s->p;
		else if (used && text[used - 1] != ' ')
			text[used++] = ' ';
	}
	while (used && text[used - 1] == ' ')
		used--;
	text[used] = '\0';
	return text;
}

static int
read_file(const struct source *by, const char *path, struct dnode *root);

/* "source NAME" of @text: take the file's blocks into @parent. */
static int
take_source(const struct source *s, const char *text, struct dnode *parent)
{
	const char *slash = strrchr(s->path, '/');
	const char *name = text + strlen("source ");
	char path[1024];

	if (*name == '/' || !slash)
		snprintf(path, sizeof(path), "%s", name);
	else
		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - s->path),
			 s->path, name);
	return read_file(s, path, parent);
}

static bool
is_source(const char *text)
{
	return strncmp(text, "source ", 7) == 0;
}

/* ---- values ---- */

static int parse_entries(struct source *s, struct dnode *block);
static int parse_list(struct source *s, struct dnode *list);

/* "type name" of a block in @text, which the node takes over. */
static void
name_block(struct dnode *node, char *text)
{
	char *blank = strchr(text, ' ');

	node->type = text;
	if (!blank)
		return;
	*blank = '\0';
	node->text = strdup(blank + 1);
}

static int
enter(struct source *s)
{
	s->p++;
	if (++s->blocks_deep > BLOCKS_DEEP)
		return fail_here(s, "blocks are nested more than %d deep",
				 BLOCKS_DEEP);
	return 0;
}

/* A file that stands for a value: its first block. */
static int
parse_sourced(struct source *s, struct dnode *parent, char *key, char *text)
{
	struct dnode holder = { 0 };
	int r = take_source(s, text, &holder);

	free(text);
	if (r == 0 && !holder.child)
		r = fail_here(s, "%s: the file has no block", key ? key : "");
	if (r == 0) {
		free_nodes(holder.child->next);
		holder.child->next = NULL;
		free(holder.child->key);
		holder.child->key = key;
		append(parent, holder.child);
		return 0;
	}
	free_nodes(holder.child);
	free(key);
	return r;
}

/* What follows "=", or is an element of a list.  @key is taken over. */
static int
parse_value(struct source *s, struct dnode *parent, char *key)
{
	struct dnode *node;
	char *text;

	skip_blanks(s);
	text = take_text(s);
	if (!text) {
		free(key);
		return ERR_INTERNAL;
	}
	if (is_source(text))
		return parse_sourced(s, parent, key, text);
	node = add_node(s, parent,
			*s->p == '{'   ? DNODE_BLOCK
			: *s->p == '[' ? DNODE_LIST
				       : DNODE_SCALAR);
	if (!node) {
		free(key);
		free(text);
		return ERR_INTERNAL;
	}
	node->key = key;
	node->text = text;
	if (*s->p == '{') {
		node->text = NULL;
		name_block(node, text);
		return enter(s) < 0 ? ERR_INPUT : parse_entries(s, node);
	}
	if (*s->p == '[')
		return enter(s) < 0 ? ERR_INPUT : parse_list(s, node);
	if (!*text)
		return fail_here(s, "%s: a value is wanted",
				 key ? key : "a list");
	return 0;
}

static int
parse_list(struct source *s, struct dnode *list)
{
	for (;;) {
		int r;

		skip_blanks(s);
		if (*s->p == ',') {
			s->p++;
			continue;
		}
		if (*s->p == ']') {
			s->p++;
			s->blocks_deep--;
			return 0;
		}
		if (!*s->p)
			return fail_here(s,
					 "the file ends in a list that begins "
					 "in line %d",
					 list->line);
		if (*s->p == '}' || *s->p == '=')
			return fail_here(s, "'%c' in a list: ] is wanted",
					 *s->p);
		r = parse_value(s, list, NULL);
		if (r < 0)
			return r;
	}
}

static int
parse_entries(struct source *s, struct dnode *block)
{
	for (;;) {
		char *key;
		int r;

		skip_blanks(s);
		if (*s->p == ',') {
			s->p++;
			continue;
		}
		if (*s->p == '}') {
			s->p++;
			s->blocks_deep--;
			return 0;
		}
		if (!*s->p)
			return fail_here(s,
					 "the file ends in a block that begins "
					 "in line %d",
					 block->line);
		key = take_text(s);
		if (!key)
			return ERR_INTERNAL;
		skip_blanks(s);
		if (*s->p != '=' || !*key) {
			r = fail_here(s, "'%s': \"key = value\" is wanted",
				      key);
			free(key);
			return r;
		}
		s->p++;
		r = parse_value(s, block, key);
		if (r < 0)
			return r;
	}
}

/* instantiate, topology: up to the end of the line or of the brackets. */
static int
skip_statement(struct source *s)
{
	int deep = 0, from = s->line;

	do {
		if (*s->p == '[' || *s->p == '{')
			deep++;
		else if (*s->p == ']' || *s->p == '}')
			deep--;
		else if (*s->p == '\n')
			s->line++;
		if (!*s->p++) {
			s->p--;
			return deep ? fail_here(s,
						"the file ends in the "
						"statement of line %d",
						from)
				    : 0;
		}
	} while (deep > 0 || *s->p != '\n');
	return 0;
}

static int
parse_top(struct source *s, struct dnode *root)
{
	for (;;) {
		const char *from;
		char *text;
		int r;

		skip_blanks(s);
		if (!*s->p)
			return 0;
		from = s->p;
		text = take_text(s);
		if (!text)
			return ERR_INTERNAL;
		if (is_source(text)) {
			r = take_source(s, text, root);
			free(text);
		} else if (*s->p == '{' && strncmp(text, "topology", 8) != 0) {
			s->p = from;
			free(text);
			r = parse_value(s, root, NULL);
		} else if (isalpha((unsigned char)*text)) {
			free(text);
			r = skip_statement(s);
		} else {
			r = fail_here(s, "'%.20s': a block is wanted",
				      *text ? text : from);
			free(text);
		}
		if (r < 0)
			return r;
	}
}

/* ---- files ---- */

static int
load_text(const char *path, char **text, struct err *e)
{
	FILE *f = fopen(path, "rb");
	size_t n = 0, size = 1 << 16;
	char *buf = NULL;

	if (!f)
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	for (;;) {
		char *grown = size > FILE_BYTES ? NULL : realloc(buf, size);

		if (!grown)
			break;
		buf = grown;
		n += fread(buf + n, 1, size - 1 - n, f);
		if (n < size - 1)
			break;
		size *= 2;
	}
	if (ferror(f) || !buf || n == size - 1) {
		err_set(e, ERR_INPUT, "%s: %s", path,
			ferror(f) ? strerror(errno) : "too large");
		free(buf);
		fclose(f);
		return ERR_INPUT;
	}
	fclose(f);
	buf[n] = '\0';
	*text = buf;
	return 0;
}

static int
read_file(const struct source *by, const char *path, struct dnode *root)
{
	struct source s = *by;
	struct dfile *file = malloc(sizeof(*file) + strlen(path) + 1);
	char *text = NULL;
	int r;

	if (!file)
		return err_nomem(by->e);
	strcpy(file->path, path);
	file->next = *by->files;
	*by->files = file;
	if (++s.files_deep > FILES_DEEP)
		return fail_here(by, "source %s: files in files, more than %d",
				 path, FILES_DEEP);
	r = load_text(path, &text, by->e);
	if (r < 0) {
		if (by->path)
			err_prefix(by->e, "%s:%d", by->path, by->line);
		return r;
	}
	s.path = file->path;
	s.p = text;
	s.line = 1;
	s.blocks_deep = 0;
	r = parse_top(&s, root);
	free(text);
	return r;
}

int
disksim_read(const char *path, struct dnode **root, struct dfile **files,
	     struct err *e)
{
	struct source none = { .files = files, .e = e };
	struct dnode *top = calloc(1, sizeof(*top));
	int r;

	*files = NULL;
	*root = top;
	if (!top)
		return err_nomem(e);
	top->kind = DNODE_BLOCK;
	top->file = path;
	r = read_file(&none, path, top);
	if (r < 0) {
		disksim_free(top, *files);
		*root = NULL;
		*files = NULL;
	}
	return r;
}
