/* SPDX-License-Identifier: MIT */
/*
 * Streaming JSON writer: keys come out in the order of the calls, integers
 * are written whole, decimals from integers, so the text is the same
 * everywhere.  Nothing is held but a small buffer.
 *
 * Within an object every value has a key; within an array and at the top
 * the key is NULL.  Calls that would make invalid JSON are asserts.  An
 * error of the sink stops the output and is returned by json_finish().
 */
#ifndef NCQSIM_CORE_JSON_H
#define NCQSIM_CORE_JSON_H

#include "sim/core/err.h"
#include "sim/core/types.h"

/* Takes @size bytes; a negative return (an err_code) stops the writer. */
typedef int json_sink_fn(void *ctx, const char *data, size_t size);

#define JSON_DEPTH_MAX    32
#define JSON_BUFFER_BYTES 4096

enum json_style {
	JSON_COMPACT, /* no blanks, no newline */
	JSON_PRETTY,  /* two blanks a level, newline at the end */
	JSON_LINE,    /* compact with a newline at the end: JSON Lines */
};

struct json {
	json_sink_fn *sink;
	void *ctx;
	enum json_style style;
	int status; /* 0 or what the sink returned */
	uint32_t depth;
	bool is_array[JSON_DEPTH_MAX];
	bool has_member[JSON_DEPTH_MAX + 1];
	size_t used;
	char buffer[JSON_BUFFER_BYTES];
};

void json_init(struct json *json, enum json_style style, json_sink_fn *sink,
	       void *ctx);

/* End the document, write what is buffered.  Returns 0 or the sink's code. */
int json_finish(struct json *json);

void json_begin_object(struct json *json, const char *key);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *key);
void json_end_array(struct json *json);

/* Bytes that are not valid UTF-8 become U+FFFD. */
void json_string(struct json *json, const char *key, const char *text);
void json_int(struct json *json, const char *key, int64_t value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

/*
 * @value / 10^@digits, all digits written: (12345678, 6) is 12.345678, so
 * that nanoseconds with 6 digits are milliseconds.  0 to 18 digits.
 */
void json_decimal(struct json *json, const char *key, int64_t value,
		  uint32_t digits);

/* 16 hexadecimal digits as a string, for hashes. */
void json_hex64(struct json *json, const char *key, uint64_t value);

#endif
