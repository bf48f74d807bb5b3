/* report.h: the JSON of the command line's contract. */
#ifndef ULPSCOPE_SRC_REPORT_H
#define ULPSCOPE_SRC_REPORT_H

#include "probe.h"
#include <jansson.h>
#include <stdio.h>

/* Values as strings with their exact expansion; null for NULL and for what is beyond any text. */
json_t *report_exact(const struct exact *x);

/* An encoding as "0x…", padded to the format's width. */
json_t *report_bits(const struct format *f, uint64_t bits);

/* The value of an encoding, and {"bits":…,"value":…}. */
json_t *report_bits_value(const struct format *f, uint64_t bits);
json_t *report_pair(const struct format *f, uint64_t bits);

/* Exceptions raised (enum round_flag) as a list of names. */
json_t *report_flags(uint32_t raised);

/* A number of a key in _approx: null for infinities and NaN, which JSON has not. */
json_t *report_approximate(double x);

/* {"schema":1,"command":…} */
json_t *report_begin(const char *command);

/* "rounding", and what of a policy is not the default. */
void report_policy(json_t *root, const struct probe_policy *policy);

/* One entry of "formats" of `bits`, and of "schemes" of `update`. */
json_t *report_bits_result(const struct bits_result *r);

/* Adds what --explain asks for to an entry of "formats". */
bool report_explanation(json_t *o, const struct bits_result *r, const struct probe_policy *policy);
json_t *report_update_result(const struct update_result *r);

/* A document whose last key is a list that is printed item by item, so that it never is in memory as a whole:
 * `root`, then the key, then each item, then the end.  References are taken over; false as below. */
bool report_open_list(FILE *out, json_t *root, const char *key);
bool report_list_item(FILE *out, json_t *item, bool is_first);
bool report_close_list(FILE *out);

/* Prints one compact line; the reference to `root` is taken over.  False when writing or memory fails. */
bool report_print(FILE *out, json_t *root);

#endif
