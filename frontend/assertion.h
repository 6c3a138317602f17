/* SPDX-License-Identifier: MIT */
/*
 * What is asserted of results: "p99_ms < 60", "B.iops >= 1.2 * A.iops".
 *
 *	assertion  = sum ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum
 *	sum        = product { ( "+" | "-" ) product }
 *	product    = term { ( "*" | "/" ) term }
 *	term       = NUMBER | [ LETTER "." ] FIGURE | "(" sum ")"
 *
 * LETTER is a result in the order given: A, B, C...  A figure without one
 * means every result in turn.  Figures are those of figures.h; a duration
 * is in the unit of its name.
 */
#ifndef NCQSIM_FRONTEND_ASSERTION_H
#define NCQSIM_FRONTEND_ASSERTION_H

#include "frontend/figures.h"

struct assertion {
	const char *text;
	const struct figures *figures; /* one a result */
	size_t count;
	size_t failed;      /* the first result of which it is not so */
	double left, right; /* the two sides there */
	bool each;          /* it was asked of every result */
};

/* 1: it holds; 0: it does not, for .failed; ERR_CONFIG: not understood. */
int assertion_check(struct assertion *assertion, struct err *e);

#endif
