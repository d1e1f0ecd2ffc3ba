/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_check SCHEMA <DOCUMENT: whether a document is what a JSON schema says. It knows the keywords that Yoke's schemas use, and
 * refuses a schema with any other, so that none is passed over.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static json_t *schema;
static int faults;

static void fault(const char *path, const char *what)
{
    printf("%s: %s\n", *path ? path : "/", what);
    faults++;
}

static const char *type_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "object";
    case JSON_ARRAY:
        return "array";
    case JSON_STRING:
        return "string";
    case JSON_INTEGER:
        return "integer";
    case JSON_REAL:
        return "number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "boolean";
    case JSON_NULL:
        break;
    }
    return "null";
}

static bool is_of(const json_t *value, const char *type)
{
    return strcmp(type, type_of(value)) == 0 || (strcmp(type, "number") == 0 && json_is_integer(value));
}

static bool is_any_of(const json_t *value, const json_t *types)
{
    size_t i;
    const json_t *one;
    if (json_is_string(types))
        return is_of(value, json_string_value(types));
    json_array_foreach(types, i, one) if (is_of(value, json_string_value(one))) return true;
    return false;
}

/* The rule itself, or the one that it refers to. */
static const json_t *resolve(const json_t *rule)
{
    const char *reference = json_string_value(json_object_get(rule, "$ref"));
    if (!reference)
        return rule;
    return strncmp(reference, "#/$defs/", 8) == 0 ? json_object_get(json_object_get(schema, "$defs"), reference + 8) : NULL;
}

static void check(const char *path, const json_t *value, const json_t *rule);

static void check_object(const char *path, const json_t *value, const json_t *rule)
{
    const json_t *properties = json_object_get(rule, "properties"), *others = json_object_get(rule, "additionalProperties"), *name;
    const char *key;
    json_t *member;
    size_t i;
    char text[512];
    json_array_foreach(json_object_get(rule, "required"), i, name) if (!json_object_get(value, json_string_value(name)))
        fault(path, (snprintf(text, sizeof text, "has no member '%s'", json_string_value(name)), text));
    json_object_foreach((json_t *)value, key, member)
    {
        const json_t *known = json_object_get(properties, key);
        snprintf(text, sizeof text, "%s/%s", path, key);
        if (known || json_is_object(others))
            check(text, member, known ? known : others);
        else if (json_is_false(others))
            fault(text, "is not in the schema");
    }
}

static void check_array(const char *path, const json_t *value, const json_t *rule)
{
    const json_t *least = json_object_get(rule, "minItems"), *most = json_object_get(rule, "maxItems"), *item;
    size_t i, size = json_array_size(value);
    char text[512];
    if ((least && size < (size_t)json_integer_value(least)) || (most && size > (size_t)json_integer_value(most)))
        fault(path, "has too few or too many items");
    json_array_foreach(value, i, item)
    {
        snprintf(text, sizeof text, "%s/%zu", path, i);
        if (json_object_get(rule, "items"))
            check(text, item, json_object_get(rule, "items"));
    }
}

static bool is_among(const json_t *value, const json_t *values)
{
    size_t i;
    const json_t *one;
    json_array_foreach(values, i, one) if (json_equal(value, one)) return true;
    return false;
}

/* Of several rules, the one for values of this type has to hold. */
static bool holds_one(const char *path, const json_t *value, const json_t *rules)
{
    size_t i;
    const json_t *one;
    json_array_foreach(rules, i, one)
    {
        const json_t *types = json_object_get(resolve(one), "type");
        if (!types || is_any_of(value, types)) {
            check(path, value, one);
            return true;
        }
    }
    return false;
}

static void check(const char *path, const json_t *value, const json_t *rule)
{
    static const char known[] =
        " $schema title description type required additionalProperties properties items const enum minItems "
        "maxItems anyOf $defs $ref ";
    const char *key;
    json_t *member;
    rule = resolve(rule);
    if (!json_is_object(rule)) {
        fault(path, "the schema has no such rule");
        return;
    }
    json_object_foreach((json_t *)rule, key, member)
    {
        char word[64];
        snprintf(word, sizeof word, " %s ", key);
        if (!strstr(known, word))
            fault(path, "the schema has a keyword that this does not know");
    }
    if (json_object_get(rule, "type") && !is_any_of(value, json_object_get(rule, "type")))
        fault(path, "is of another type");
    if (json_object_get(rule, "const") && !json_equal(value, json_object_get(rule, "const")))
        fault(path, "has another value");
    if (json_object_get(rule, "enum") && !is_among(value, json_object_get(rule, "enum")))
        fault(path, "has none of the values");
    if (json_object_get(rule, "anyOf") && !holds_one(path, value, json_object_get(rule, "anyOf")))
        fault(path, "is none of several");
    if (json_is_object(value))
        check_object(path, value, rule);
    if (json_is_array(value))
        check_array(path, value, rule);
}

int main(int argc, char **argv)
{
    json_error_t error;
    if (argc != 2 || !(schema = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error))) {
        fprintf(stderr, "json_check: %s: %s\n", argc == 2 ? argv[1] : "usage",
                argc == 2 ? error.text : "json_check SCHEMA <DOCUMENT");
        return 2;
    }
    json_t *document = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
    if (!document) {
        fprintf(stderr, "json_check: line %d: %s\n", error.line, error.text);
        json_decref(schema);
        return 1;
    }
    check("", document, schema);
    json_decref(document);
    json_decref(schema);
    return faults > 0;
}
