/* SPDX-License-Identifier: MIT */
#include "frontend/signals.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define EXIT_SIGNAL 128 /* a shell's status for signal N is 128 + N */

/* Lock-free, so fit for a handler; atomic, for workers read it too. */
static atomic_int pending;

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
	/* Under nohup it stays ignored. */
	if (signal(SIGHUP, SIG_IGN) != SIG_IGN)
		sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
}

int
signals_pending(void)
{
	return pending;
}

int
signals_status(void)
{
	return pending ? EXIT_SIGNAL + pending : 0;
}

bool
signals_is_unread(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&out, 1, 0) == 1 && out.revents & POLLERR;
}

int
signals_die_of_pipe(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	return EXIT_SIGNAL + SIGPIPE;
}
