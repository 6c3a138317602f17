/* SPDX-License-Identifier: MIT */
#include "models/elevators/cfq.h"

/* An average that forgets an eighth at each sample. */
static uint64_t
decay(uint64_t total, uint64_t sample)
{
	return (7 * total + CFQ_ONE * sample) / 8;
}

static void
sample_think(struct cfq *cfq, struct cfq_process *p)
{
	int64_t think = cfq_now(cfq) - p->completed_at;

	if (think > 2 * cfq->slice_idle_ms)
		think = 2 * cfq->slice_idle_ms;
	p->think_samples = (uint32_t)decay(p->think_samples, 1);
	p->think_total = decay(p->think_total, (uint64_t)think);
	p->think_mean = (p->think_total + CFQ_ONE / 2) / p->think_samples;
}

static void
sample_seek(const struct cfq *cfq, struct cfq_seeks *s,
	    const struct request *rq)
{
	sector_t d, limit;

	if (s->last_end == 0 && cfq->era > ERA_2_6_27)
		d = 0;
	else if (rq->lba > s->last_end)
		d = rq->lba - s->last_end;
	else
		d = s->last_end - rq->lba;
	limit = 4 * s->mean + (s->samples <= 60 ? 2097152 : 131072);
	if (d > limit)
		d = limit;
	s->samples = (uint32_t)decay(s->samples, 1);
	s->total = decay(s->total, d);
	s->mean = (s->total + s->samples / 2) / s->samples;
}

/* Is it worth to wait for the next request of this process? */
static void
update_idle_window(struct cfq *cfq, struct cfq_queue *q,
		   struct io_context *context)
{
	const struct cfq_process *p = cfq_process_of(context);
	const struct cfq_seeks *seeks = cfq_seeks_of(cfq, q, context);
	int64_t wait = cfq->slice_idle_ms;
	bool is_seeky = cfq_is_seeky(seeks);
	bool keeps_seeky = cfq->era >= ERA_2_6_32 && cfq->low_latency;

	if (q->kind == CFQ_ASYNC || q->io_class == IO_CLASS_IDLE)
		return;
	if (context->has_exited || wait == 0 ||
	    (!keeps_seeky && cfq->hw_tag && is_seeky)) {
		q->idle_window = false;
		return;
	}
	if (!cfq_is_valid(p->think_samples))
		return;
	if (cfq->era >= ERA_2_6_32 && cfq_is_valid(seeks->samples) &&
	    is_seeky && wait > CFQ_MIN_THINK_MS)
		wait = CFQ_MIN_THINK_MS;
	q->idle_window = p->think_mean <= (uint64_t)wait;
}

/* @rq has been put into @q. */
void
cfq_sample(struct cfq *cfq, struct cfq_queue *q, struct request *rq)
{
	struct cfq_process *p = cfq_process_of(rq->context);

	struct cfq_seeks *seeks = cfq_seeks_of(cfq, q, rq->context);

	sample_think(cfq, p);
	sample_seek(cfq, seeks, rq);
	if (q->is_coop && cfq->merges) {
		if (!cfq_is_seeky(seeks))
			q->is_splitting = false;
		else if (!q->is_splitting)
			q->seeky_since = cfq_now(cfq);
		q->is_splitting = cfq_is_seeky(seeks);
	}
	update_idle_window(cfq, q, rq->context);
	seeks->last_end = rq_end(rq);
}

/* ---- queues close to the head ---- */

/* Within the usual seek of the process whose slice it is, or of @q. */
bool
cfq_is_close(struct cfq *cfq, struct cfq_queue *q, const struct request *rq)
{
	const struct cfq_seeks *s = cfq_seeks_of(cfq, q, cfq->attached);
	sector_t distance = rq->lba > cfq->last_end ? rq->lba - cfq->last_end
						    : cfq->last_end - rq->lba;

	return distance <= (cfq_is_valid(s->samples) ? s->mean : CFQ_CLOSE);
}

static struct cfq_queue *
close_queue(struct rb_node *node)
{
	return node ? container_of(node, struct cfq_queue, close_node) : NULL;
}

/*
 * Descend towards @lba by the present next request of each queue.  The one
 * that begins there, or NULL with where the search ended in @parent, @link.
 */
static struct cfq_queue *
close_find(struct rb_root *root, sector_t lba, struct rb_node **parent,
	   struct rb_node ***link)
{
	*link = &root->node;
	*parent = NULL;
	while (**link) {
		struct cfq_queue *at = close_queue(**link);

		*parent = **link;
		if (lba == at->next->lba)
			return at;
		*link = lba > at->next->lba ? &(*parent)->right
					    : &(*parent)->left;
	}
	return NULL;
}

void
cfq_close_remove(struct cfq_queue *q)
{
	if (!q->close_tree)
		return;
	rb_remove(q->close_tree, &q->close_node);
	q->close_tree = NULL;
}

/* Sort @q by its next request; of two at one sector the first is kept. */
void
cfq_close_add(struct cfq *cfq, struct cfq_queue *q)
{
	struct rb_root *root = &cfq->close[q->level];
	struct rb_node *parent, **link;

	cfq_close_remove(q);
	if (q->io_class == IO_CLASS_IDLE || !q->next)
		return;
	if (close_find(root, q->next->lba, &parent, &link))
		return;
	rb_insert(root, &q->close_node, parent, link);
	q->close_tree = root;
}

/*
 * Which of two close neighbours is found depends on the shape of the tree:
 * the node where the search ends, then the one on the other side.
 */
static struct cfq_queue *
find_close(struct cfq *cfq, struct cfq_queue *q)
{
	struct rb_root *root = &cfq->close[q->level];
	struct rb_node *parent, **link;
	struct cfq_queue *found;

	if (!root->node)
		return NULL;
	found = close_find(root, cfq->last_end, &parent, &link);
	if (found)
		return found;
	found = close_queue(parent);
	if (cfq_is_close(cfq, q, found->next))
		return found;
	found = close_queue(found->next->lba < cfq->last_end ? rb_next(parent)
							     : rb_prev(parent));
	return found && cfq_is_close(cfq, q, found->next) ? found : NULL;
}

/* 2.6.32.71: only sync queues that are not seeky cooperate. */
static bool
cfq_mergeable(const struct cfq_queue *q)
{
	return q->kind == CFQ_SYNC && !cfq_is_seeky(&q->seeks);
}

/*
 * A queue that could go on where the active @q has stopped; marked as used
 * unless this @is_probe.
 */
struct cfq_queue *
cfq_cooperator(struct cfq *cfq, struct cfq_queue *q, bool is_probe)
{
	struct cfq_queue *other;

	if (cfq->merges)
		return cfq_mergeable(q) && (other = find_close(cfq, q)) &&
				       cfq_mergeable(other)
			       ? other
			       : NULL;
	if (cfq->era < ERA_2_6_31 || !cfq->attached)
		return NULL;
	other = find_close(cfq, q);
	if (!other || other->is_coop)
		return NULL;
	if (!is_probe)
		other->is_coop = true;
	return other;
}
