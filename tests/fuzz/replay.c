/* SPDX-License-Identifier: MIT */
/*
 * The main program of a fuzz target in "make check": feeds it every file of
 * its corpus, tests/fuzz/corpus/NAME, and each file cut short at every eighth
 * of its length.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The target sees a block of exactly @size bytes, so that the sanitizer
 * notices a read past the end.
 */
static void
feed(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

static int
replay_file(const char *path)
{
	static uint8_t data[1 << 20];
	FILE *f = fopen(path, "rb");
	size_t size;

	if (!f) {
		perror(path);
		return -1;
	}
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	for (size_t eighth = 0; eighth <= 8; eighth++)
		feed(data, size * eighth / 8);
	return 0;
}

int
main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	char path[4096];
	struct dirent **entries;
	int n, bad = 0;

	if (argc > 1) {
		for (int i = 1; i < argc; i++)
			bad |= replay_file(argv[i]);
		return bad ? 1 : 0;
	}
	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", name);
	n = scandir(path, &entries, NULL, alphasort);
	if (n <= 2) {
		printf("no corpus in %s\n", path);
		return n < 0 ? 77 : 1;
	}
	for (int i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s",
				 name, entries[i]->d_name);
			bad |= replay_file(path);
		}
		free(entries[i]);
	}
	free(entries);
	return bad ? 1 : 0;
}
