/* SPDX-License-Identifier: MIT */
#include "sim/core/json.h"

#include "sim/core/utf8.h"

#include <assert.h>
#include <string.h>

static void
flush_buffer(struct json *json)
{
	if (json->status == 0 && json->used)
		json->status = json->sink(json->ctx, json->buffer, json->used);
	json->used = 0;
}

static void
put_bytes(struct json *json, const char *data, size_t size)
{
	while (size) {
		size_t room = JSON_BUFFER_BYTES - json->used;
		size_t n = size < room ? size : room;

		memcpy(json->buffer + json->used, data, n);
		json->used += n;
		data += n;
		size -= n;
		if (json->used == JSON_BUFFER_BYTES)
			flush_buffer(json);
	}
}

static void
put_text(struct json *json, const char *text)
{
	put_bytes(json, text, strlen(text));
}

static void
put_newline(struct json *json)
{
	if (json->style != JSON_PRETTY)
		return;
	put_bytes(json, "\n", 1);
	for (uint32_t i = 0; i < json->depth; i++)
		put_bytes(json, "  ", 2);
}

void
json_init(struct json *json, enum json_style style, json_sink_fn *sink,
	  void *ctx)
{
	memset(json, 0, offsetof(struct json, buffer));
	json->sink = sink;
	json->ctx = ctx;
	json->style = style;
}

int
json_finish(struct json *json)
{
	assert(json->depth == 0 && json->has_member[0]);
	if (json->style != JSON_COMPACT)
		put_bytes(json, "\n", 1);
	flush_buffer(json);
	return json->status;
}

static void
put_escaped(struct json *json, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	char code[] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	switch (c) {
	case '"':
		put_bytes(json, "\\\"", 2);
		break;
	case '\\':
		put_bytes(json, "\\\\", 2);
		break;
	case '\n':
		put_bytes(json, "\\n", 2);
		break;
	case '\t':
		put_bytes(json, "\\t", 2);
		break;
	default:
		put_bytes(json, code, sizeof(code));
	}
}

static void
put_string(struct json *json, const char *text)
{
	size_t left = strlen(text);

	put_bytes(json, "\"", 1);
	while (left) {
		unsigned char c = (unsigned char)*text;
		size_t n = utf8_length(text, left);

		if (n == 0) {
			put_text(json, "\xef\xbf\xbd"); /* U+FFFD */
			n = 1;
		} else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
			put_escaped(json, c);
		} else {
			put_bytes(json, text, n);
		}
		text += n;
		left -= n;
	}
	put_bytes(json, "\"", 1);
}

/* What stands before a value: comma, line, key. */
static void
put_lead(struct json *json, const char *key)
{
	bool in_object = json->depth && !json->is_array[json->depth - 1];

	assert(in_object == (key != NULL));
	assert(json->depth || !json->has_member[0]);
	if (json->has_member[json->depth])
		put_bytes(json, ",", 1);
	json->has_member[json->depth] = true;
	if (json->depth)
		put_newline(json);
	if (!key)
		return;
	put_string(json, key);
	put_text(json, json->style == JSON_PRETTY ? ": " : ":");
}

static void
begin_container(struct json *json, const char *key, bool is_array)
{
	put_lead(json, key);
	assert(json->depth < JSON_DEPTH_MAX);
	json->is_array[json->depth++] = is_array;
	json->has_member[json->depth] = false;
	put_bytes(json, is_array ? "[" : "{", 1);
}

static void
end_container(struct json *json, bool is_array)
{
	assert(json->depth && json->is_array[json->depth - 1] == is_array);
	json->depth--;
	if (json->has_member[json->depth + 1])
		put_newline(json);
	put_bytes(json, is_array ? "]" : "}", 1);
}

void
json_begin_object(struct json *json, const char *key)
{
	begin_container(json, key, false);
}

void
json_end_object(struct json *json)
{
	end_container(json, false);
}

void
json_begin_array(struct json *json, const char *key)
{
	begin_container(json, key, true);
}

void
json_end_array(struct json *json)
{
	end_container(json, true);
}

void
json_string(struct json *json, const char *key, const char *text)
{
	put_lead(json, key);
	put_string(json, text);
}

/* Digits of @value before @end, at least @least of them; where they begin. */
static char *
format_digits(char *end, uint64_t value, uint32_t least)
{
	char *p = end;

	while (value || least) {
		*--p = (char)('0' + value % 10);
		value /= 10;
		least -= least > 0;
	}
	return p;
}

static uint64_t
magnitude(int64_t value)
{
	return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

void
json_uint(struct json *json, const char *key, uint64_t value)
{
	char digits[20], *end = digits + sizeof(digits);
	char *p = format_digits(end, value, 1);

	put_lead(json, key);
	put_bytes(json, p, (size_t)(end - p));
}

void
json_int(struct json *json, const char *key, int64_t value)
{
	json_decimal(json, key, value, 0);
}

void
json_decimal(struct json *json, const char *key, int64_t value, uint32_t digits)
{
	char text[24], *end = text + sizeof(text), *p;
	uint64_t rest = magnitude(value);

	assert(digits <= 18);
	p = end;
	if (digits) {
		uint64_t unit = 1;

		for (uint32_t i = 0; i < digits; i++)
			unit *= 10;
		p = format_digits(p, rest % unit, digits);
		*--p = '.';
		rest /= unit;
	}
	p = format_digits(p, rest, 1);
	if (value < 0)
		*--p = '-';
	put_lead(json, key);
	put_bytes(json, p, (size_t)(end - p));
}

void
json_bool(struct json *json, const char *key, bool value)
{
	put_lead(json, key);
	put_text(json, value ? "true" : "false");
}

void
json_null(struct json *json, const char *key)
{
	put_lead(json, key);
	put_text(json, "null");
}

void
json_hex64(struct json *json, const char *key, uint64_t value)
{
	static const char hex[] = "0123456789abcdef";
	char text[17] = { 0 };

	for (int i = 15; i >= 0; i--, value >>= 4)
		text[i] = hex[value & 15];
	json_string(json, key, text);
}
