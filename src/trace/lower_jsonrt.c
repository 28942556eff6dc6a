/*
 * lower_jsonrt.c - json()'s search of the text.
 *
 * The text is read once, a character a turn. Only containers on the path are
 * looked into: `want` components of it have been matched, so that the names or
 * indexes at depth want + 1 count. What is found is a string's inside, a
 * number or word, or an object or array as it is written; NULL otherwise.
 */
#include "trace/lower_json.h"
#include "trace/lower_rt.h"

enum jstate { S_VALUE, S_NAME, S_KEY, S_KEYESC, S_COLON, S_AFTER, S_TEXT,
	     S_TEXTESC, S_WORD, S_RAW, S_RAWTEXT, S_RAWESC, S_NSTATE };

enum { MAXDEPTH = 60, IDXMAX = 7 };

static vreg
get(struct gen *g, const struct cb *c, int n)
{
	return ir_load(g, c->b, 8 * n, 8);
}

static void
set(struct gen *g, const struct cb *c, int n, vreg v)
{
	ir_store(g, c->b, 8 * n, 8, v);
}

static void
seti(struct gen *g, const struct cb *c, int n, int32_t v)
{
	ir_storei(g, c->b, 8 * n, 8, v);
}

static void
go(struct gen *g, const struct cb *c, enum jstate s)
{
	seti(g, c, J_STATE, s);
	ir_jmp(g, c->go);
}

/* The path's byte at a place. */
static vreg
pathbyte(struct lower *l, const struct cb *c, vreg at)
{
	struct gen *g = l->g;
	vreg i = ir_new(g);

	ir_mov(g, i, at);
	ir_bri(g, CC_UGE, i, l->strmax, c->stop);
	return ir_load(g, ir_alu(g, A_ADD, c->b, i), J_PATH, 1);
}

/* Appends ch to the result. */
static void
put(struct lower *l, const struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	vreg at = ir_new(g);

	ir_mov(g, at, get(g, c, J_OUT));
	ir_bri(g, CC_UGE, at, (int64_t)l->strmax - 1, c->stop);
	ir_store(g, ir_alu(g, A_ADD, c->b, at),
	    J_PATH + (int32_t)l->strsize, 1, ch);
	set(g, c, J_OUT, ir_alui(g, A_ADD, at, 1));
}

static void
found(struct gen *g, const struct cb *c)
{
	seti(g, c, J_FOUND, 1);
	ir_jmp(g, c->stop);
}

/* Jumps unless the present container is the one the path leads through. */
static void
unless_tracked(struct gen *g, const struct cb *c, label no)
{
	ir_br(g, CC_NE, get(g, c, J_DEPTH), ir_alui(g, A_ADD,
	    get(g, c, J_WANT), 1), no);
}

/* Jumps unless what is read is what the path leads to. */
static void
unless_wanted(struct gen *g, const struct cb *c, label no)
{
	ir_br(g, CC_NE, get(g, c, J_DEPTH), get(g, c, J_WANT), no);
}

/* The component is matched: its end in the path is at `end`. */
static void
matched(struct gen *g, const struct cb *c, vreg end)
{
	set(g, c, J_WANT, ir_alui(g, A_ADD, get(g, c, J_WANT), 1));
	set(g, c, J_LEFT, ir_alui(g, A_SUB, get(g, c, J_LEFT), 1));
	set(g, c, J_COMP, ir_alui(g, A_ADD, end, 1));
}

/* In the array on the path: is this index the component? It is a number of at
 * most IDXMAX digits there. */
static void
index_matches(struct lower *l, struct cb *c)
{
	struct gen *g = l->g;
	label no = ir_newlabel(g), end = ir_newlabel(g);
	vreg n = ir_new(g), at = ir_new(g), ch;
	int k;

	unless_tracked(g, c, no);
	ir_set(g, n, 0);
	ir_mov(g, at, get(g, c, J_COMP));
	for (k = 0; k < IDXMAX; k++) {
		ch = ir_new(g);
		ir_mov(g, ch, pathbyte(l, c, at));
		ir_bri(g, CC_EQ, ch, 0, end);
		ir_mov(g, ch, ir_alui(g, A_SUB, ch, '0'));
		ir_bri(g, CC_UGE, ch, 10, no);
		ir_mov(g, n, ir_alu(g, A_ADD, ir_alui(g, A_MUL, n, 10), ch));
		ir_aluito(g, at, A_ADD, at, 1);
	}
	ir_label(g, end);
	ir_br(g, CC_EQ, at, get(g, c, J_COMP), no);
	ir_br(g, CC_NE, n, get(g, c, J_INDEX), no);
	matched(g, c, at);
	ir_label(g, no);
}

/* A container opens: ch is its bracket. */
static void
open_container(struct lower *l, struct cb *c, bool object)
{
	struct gen *g = l->g;
	label look = ir_newlabel(g), deep = ir_newlabel(g);
	vreg d, bit, bits;

	/* wanted as a whole */
	ir_bri(g, CC_NE, get(g, c, J_LEFT), 0, look);
	put(l, c, ir_imm(g, object ? '{' : '['));
	seti(g, c, J_RAW, 1);
	go(g, c, S_RAW);
	ir_label(g, look);
	d = ir_alui(g, A_ADD, get(g, c, J_DEPTH), 1);
	ir_bri(g, CC_UGE, d, MAXDEPTH, c->stop);
	set(g, c, J_DEPTH, d);
	bit = ir_alu(g, A_SHL, ir_imm(g, 1), ir_alui(g, A_AND, d, 63));
	bits = get(g, c, J_OBJECT);
	if (object) {
		set(g, c, J_OBJECT, ir_alu(g, A_OR, bits, bit));
		go(g, c, S_NAME);
		return;
	}
	set(g, c, J_OBJECT, ir_alu(g, A_AND, bits, ir_alui(g, A_XOR, bit,
	    -1)));
	ir_br(g, CC_NE, d, ir_alui(g, A_ADD, get(g, c, J_WANT), 1), deep);
	seti(g, c, J_INDEX, 0);
	index_matches(l, c);
	ir_label(g, deep);
	go(g, c, S_VALUE);
}

/* Jumps over blanks. */
static void
blanks(struct gen *g, const struct cb *c, vreg ch)
{
	ir_bri(g, CC_EQ, ch, ' ', c->go);
	ir_bri(g, CC_ULT, ir_alui(g, A_SUB, ch, '\t'), 5, c->go);
}

/* A container closes: on the path, nothing in it was what is wanted. */
static void
close_container(struct lower *l, struct cb *c)
{
	struct gen *g = l->g;
	vreg d = get(g, c, J_DEPTH);

	ir_br(g, CC_ULE, d, ir_alui(g, A_ADD, get(g, c, J_WANT), 1), c->stop);
	set(g, c, J_DEPTH, ir_alui(g, A_SUB, d, 1));
	go(g, c, S_AFTER);
}

static void
value(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label obj = ir_newlabel(g), arr = ir_newlabel(g);
	label text = ir_newlabel(g), done = ir_newlabel(g);
	label skip = ir_newlabel(g);

	blanks(g, c, ch);
	ir_bri(g, CC_EQ, ch, '{', obj);
	ir_bri(g, CC_EQ, ch, '[', arr);
	ir_bri(g, CC_EQ, ch, ']', done);
	/* a matched name whose value is no container, but more is wanted */
	ir_br(g, CC_EQ, get(g, c, J_DEPTH), get(g, c, J_WANT), text);
	ir_bri(g, CC_EQ, ch, '"', skip);
	go(g, c, S_WORD);
	ir_label(g, skip);
	go(g, c, S_TEXT);
	ir_label(g, text);
	ir_bri(g, CC_NE, get(g, c, J_LEFT), 0, c->stop);
	ir_bri(g, CC_EQ, ch, '"', skip);
	put(l, c, ch);
	go(g, c, S_WORD);
	ir_label(g, obj);
	open_container(l, c, true);
	ir_label(g, arr);
	open_container(l, c, false);
	ir_label(g, done);
	close_container(l, c);
}

/* Between names, after a value. */
static void
after(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label comma = ir_newlabel(g), close = ir_newlabel(g);
	label array = ir_newlabel(g), next = ir_newlabel(g);
	vreg bit;

	blanks(g, c, ch);
	ir_bri(g, CC_EQ, ch, '}', close);
	ir_bri(g, CC_EQ, ch, ']', close);
	ir_bri(g, CC_EQ, ch, ',', comma);
	ir_jmp(g, c->stop);
	ir_label(g, close);
	close_container(l, c);
	ir_label(g, comma);
	bit = ir_alui(g, A_AND, ir_alu(g, A_SHR, get(g, c, J_OBJECT),
	    ir_alui(g, A_AND, get(g, c, J_DEPTH), 63)), 1);
	ir_bri(g, CC_EQ, bit, 0, array);
	go(g, c, S_NAME);
	ir_label(g, array);
	unless_tracked(g, c, next);
	set(g, c, J_INDEX, ir_alui(g, A_ADD, get(g, c, J_INDEX), 1));
	index_matches(l, c);
	ir_label(g, next);
	go(g, c, S_VALUE);
}

static void
name(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label quote = ir_newlabel(g), close = ir_newlabel(g);
	label track = ir_newlabel(g);

	blanks(g, c, ch);
	ir_bri(g, CC_EQ, ch, '"', quote);
	ir_bri(g, CC_EQ, ch, '}', close);
	ir_jmp(g, c->stop);
	ir_label(g, close);
	close_container(l, c);
	ir_label(g, quote);
	seti(g, c, J_KEY, -1);
	unless_tracked(g, c, track);
	seti(g, c, J_KEY, 0);
	ir_label(g, track);
	go(g, c, S_KEY);
}

/* A name's character, compared with the component as it comes. */
static void
key(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label end = ir_newlabel(g), esc = ir_newlabel(g);
	label differs = ir_newlabel(g), no = ir_newlabel(g);
	vreg k = get(g, c, J_KEY), at;

	ir_bri(g, CC_EQ, ch, '"', end);
	ir_bri(g, CC_EQ, ch, '\\', esc);
	ir_bri(g, CC_SLT, k, 0, c->go);
	at = ir_alu(g, A_ADD, get(g, c, J_COMP), k);
	ir_br(g, CC_NE, pathbyte(l, c, at), ch, differs);
	set(g, c, J_KEY, ir_alui(g, A_ADD, k, 1));
	ir_jmp(g, c->go);
	ir_label(g, differs);
	seti(g, c, J_KEY, -1);
	ir_jmp(g, c->go);
	ir_label(g, esc);
	/* an escaped name is none that a path can hold */
	seti(g, c, J_KEY, -1);
	go(g, c, S_KEYESC);
	ir_label(g, end);
	ir_bri(g, CC_SLT, k, 0, no);
	at = ir_alu(g, A_ADD, get(g, c, J_COMP), k);
	ir_bri(g, CC_NE, pathbyte(l, c, at), 0, no);
	matched(g, c, at);
	ir_label(g, no);
	go(g, c, S_COLON);
}

static void
text(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label end = ir_newlabel(g), esc = ir_newlabel(g);
	label skip = ir_newlabel(g), other = ir_newlabel(g);

	ir_bri(g, CC_EQ, ch, '"', end);
	unless_wanted(g, c, skip);
	put(l, c, ch);
	ir_label(g, skip);
	ir_bri(g, CC_EQ, ch, '\\', esc);
	ir_jmp(g, c->go);
	ir_label(g, esc);
	go(g, c, S_TEXTESC);
	ir_label(g, end);
	unless_wanted(g, c, other);
	found(g, c);
	ir_label(g, other);
	go(g, c, S_AFTER);
}

static void
textesc(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label skip = ir_newlabel(g);

	unless_wanted(g, c, skip);
	put(l, c, ch);
	ir_label(g, skip);
	go(g, c, S_TEXT);
}

/* A number or word, up to what cannot be part of it. */
static void
word(struct lower *l, struct cb *c, vreg ch)
{
	static const char ends[] = ",}] \t\n\r";
	struct gen *g = l->g;
	label end = ir_newlabel(g), other = ir_newlabel(g);
	size_t k;

	for (k = 0; ends[k] != '\0'; k++)
		ir_bri(g, CC_EQ, ch, ends[k], end);
	unless_wanted(g, c, c->go);
	put(l, c, ch);
	ir_jmp(g, c->go);
	ir_label(g, end);
	unless_wanted(g, c, other);
	found(g, c);
	ir_label(g, other);
	after(l, c, ch);
}

/* An object or array as it is written. */
static void
raw(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label open = ir_newlabel(g), close = ir_newlabel(g);
	label quote = ir_newlabel(g);
	vreg low, d;

	put(l, c, ch);
	ir_bri(g, CC_EQ, ch, '"', quote);
	/* { and [ differ in one bit, as } and ] do */
	low = ir_alui(g, A_OR, ch, 0x20);
	ir_bri(g, CC_EQ, low, '{', open);
	ir_bri(g, CC_EQ, low, '}', close);
	ir_jmp(g, c->go);
	ir_label(g, quote);
	go(g, c, S_RAWTEXT);
	ir_label(g, open);
	set(g, c, J_RAW, ir_alui(g, A_ADD, get(g, c, J_RAW), 1));
	ir_jmp(g, c->go);
	ir_label(g, close);
	d = ir_alui(g, A_SUB, get(g, c, J_RAW), 1);
	set(g, c, J_RAW, d);
	ir_bri(g, CC_NE, d, 0, c->go);
	found(g, c);
}

static void
rawtext(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;
	label esc = ir_newlabel(g), end = ir_newlabel(g);

	put(l, c, ch);
	ir_bri(g, CC_EQ, ch, '\\', esc);
	ir_bri(g, CC_EQ, ch, '"', end);
	ir_jmp(g, c->go);
	ir_label(g, esc);
	go(g, c, S_RAWESC);
	ir_label(g, end);
	go(g, c, S_RAW);
}

static void
colon(struct lower *l, struct cb *c, vreg ch)
{
	struct gen *g = l->g;

	blanks(g, c, ch);
	ir_bri(g, CC_NE, ch, ':', c->stop);
	go(g, c, S_VALUE);
}

static void
keyesc(struct lower *l, struct cb *c, vreg ch)
{
	(void)ch;
	go(l->g, c, S_KEY);
}

static void
rawesc(struct lower *l, struct cb *c, vreg ch)
{
	put(l, c, ch);
	go(l->g, c, S_RAWTEXT);
}

static void (*const step[S_NSTATE])(struct lower *, struct cb *, vreg) = {
	[S_VALUE] = value, [S_NAME] = name, [S_KEY] = key,
	[S_KEYESC] = keyesc, [S_COLON] = colon, [S_AFTER] = after,
	[S_TEXT] = text, [S_TEXTESC] = textesc, [S_WORD] = word,
	[S_RAW] = raw, [S_RAWTEXT] = rawtext, [S_RAWESC] = rawesc,
};

void
rt_json(struct lower *l)
{
	struct gen *g = l->g;
	label at[S_NSTATE], end;
	struct cb c;
	vreg ch, st;
	int k;

	rt_begin(l, &c, "json", l->strmax);
	end = ir_newlabel(g);
	ch = rt_byte(g, c.a, c.i);
	st = get(g, &c, J_STATE);
	ir_bri(g, CC_EQ, ch, 0, end);
	for (k = 0; k < S_NSTATE; k++) {
		at[k] = ir_newlabel(g);
		ir_bri(g, CC_EQ, st, k, at[k]);
	}
	ir_jmp(g, c.stop);
	for (k = 0; k < S_NSTATE; k++) {
		ir_label(g, at[k]);
		step[k](l, &c, ch);
	}
	/* a number may be all there is */
	ir_label(g, end);
	ir_bri(g, CC_NE, st, S_WORD, c.stop);
	unless_wanted(g, &c, c.stop);
	found(g, &c);
	rt_end(l, &c);
}
