/* SPDX-License-Identifier: MIT */
#include "frontend/signals.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t pending;

static void
on_signal(int number)
{
	pending = number;
}

void
signals_init(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sa.sa_flags = (int)SA_RESETHAND;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

int
signals_pending(void)
{
	return pending;
}
