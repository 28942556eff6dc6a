/*
 * The record contract as tables made of schema.def: families, kinds,
 * columns, and the fields of the spool (dt-bundle(5)).
 *
 * Ownership: every table is constant and lives as long as the program.
 */
#ifndef LIBDT_SCHEMA_H
#define LIBDT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdt/msg.h"
#include "libdt/out.h"

#define SCHEMA_RECORDS_VERSION	1	/* of `#dt-records` */
#define SCHEMA_SPOOL_VERSION	1	/* of READY lines */

#define SCHEMA_PID_MAX		4194304	/* Linux' PID_MAX_LIMIT, 2^22 */
#define SCHEMA_CPU_MAX		65535
#define SCHEMA_PATH_MAX		4096	/* bytes, decoded */
#define SCHEMA_STACK_MAX	(512 * 1024)	/* bytes, as written */

enum schema_type {
#define TYPE(id, name, text)	TYPE_##id,
#include "libdt/schema.def"
};

enum schema_family {
#define FAMILY(id, name, text)	FAMILY_##id,
#include "libdt/schema.def"
	FAMILY_COUNT,
	FAMILY_ANY = FAMILY_COUNT,	/* of ovf: belongs to each */
};

enum schema_kind {
#define KIND(family, id, name, flags, text)	KIND_##id,
#include "libdt/schema.def"
	KIND_COUNT,
};

/* Indices of a record's values: the prefix, then REC_KIND_COLUMN. */
enum {
#define PREFIX(id, name, type, unit, min, max, need, text)	REC_##id,
#include "libdt/schema.def"
	REC_PREFIX,		/* columns of the prefix */
	REC_NONE = -1,
};
/*
 * At KIND the numbering starts again after the prefix, so the last
 * enumerator of a kind is its number of columns.
 */
enum {
#define KIND(family, id, name, flags, text)	REC_##id##_ = REC_PREFIX - 1,
#define COL(kind, id, name, type, unit, min, max, need, set, text) \
	REC_##kind##_##id,
#define KIND_END(id)	REC_##id##_COLS,
#include "libdt/schema.def"
};

#define RECORD_COLS_MAX	16	/* of any kind, prefix included */
#define SPOOL_FIELDS_MAX	16	/* after CPU */

struct schema_col {
	const char *name;
	enum schema_type type;
	const char *unit;	/* "" = none */
	int64_t min;		/* numbers; bytes of a decoded string */
	uint64_t max;
	bool optional;		/* may be `-` */
	const char *set;	/* TYPE_ENUM: words divided by | */
	const char *text;
};

struct schema_field {		/* of the spool */
	struct schema_col col;
	int to;			/* REC_… it fills, REC_NONE: by code */
};

#define KIND_FRAMES	1u	/* frame lines follow it in the spool */
#define KIND_MARKER	2u	/* not a record of a collector */

struct schema_kind_info {
	enum schema_family family;
	const char *name;
	unsigned flags;
	const char *text;
	const struct schema_col *cols;	/* after the prefix */
	size_t ncols;
	const struct schema_field *spool;	/* after CPU */
	size_t nspool;
};

struct schema_family_info {
	const char *name;
	const char *text;
};

/* Rows of the tables of schema.def, which live as long as the program. */
const struct schema_family_info *schema_family(enum schema_family f);
const struct schema_kind_info *schema_kind(enum schema_kind k);
/* Column i of a kind, those of the prefix included; NULL past the last. */
const struct schema_col *schema_col(enum schema_kind k, size_t i);
/* Columns of a kind, those of the prefix included. */
size_t schema_ncols(enum schema_kind k);
const char *schema_type_name(enum schema_type t);
const char *schema_type_text(enum schema_type t);

/* -1 if there is none of that name (n bytes, not NUL-terminated). */
int schema_family_find(const char *name, size_t n);
int schema_kind_find(const char *name, size_t n);
/* Column of a kind by its name, prefix included: REC_…, or -1. */
int schema_col_find(enum schema_kind k, const char *name);
/* A kind of this family, or ovf. */
bool schema_kind_in(enum schema_kind k, enum schema_family f);

/* Word i of an ENUM's set: its start and length; NULL past the last. */
const char *schema_word(const char *set, size_t i, size_t *len);
/* Which word of the set it is, -1 if none. */
int schema_word_find(const char *set, const char *word, size_t n);

/*
 * Prints the contract: the records' families, kinds, columns and spool
 * fields, and a JSON Schema (draft 2020-12) for each JSON file.
 */
int schema_print_json(struct out *o, struct msg *m);
/* The tables of dt-bundle(5) as mdoc(7); which: "records", "spool" ... */
int schema_print_mdoc(struct out *o, const char *which, struct msg *m);

#endif
