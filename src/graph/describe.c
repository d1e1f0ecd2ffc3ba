/* SPDX-License-Identifier: Apache-2.0 */
/* A graph as text, for people and for Graphviz. */
#include "graph/graph.h"
#include "stream/stream.h"

/* A short description of a node's operations. */
static void add_ops(yk_text *text, const yk_op_list *ops)
{
    char name[160];
    const yk_op *op = ops->first;
    const yoke_dim *grid = &op->u.launch.grid, *block = &op->u.launch.block;
    yk_text_add(text, "%s", yk_op_text(name, sizeof name, op->kind, yk_op_lasting_name(op->kind, op)));
    if (yk_is_launch(op->kind))
        yk_text_add(text, ", %u x %u x %u blocks of %u x %u x %u", grid->x, grid->y, grid->z, block->x, block->y, block->z);
    else if (yk_op_has(op->kind, YK_TRAIT_BY_DRIVER))
        yk_text_add(text, ", %zu bytes", yk_op_bytes(op));
}

static void add_lines(yk_text *text, const yoke_graph *graph)
{
    yk_text_add(text, "graph %s of %s: %zu nodes in %u streams\n", graph->label, graph->device->info.selector, graph->node_count,
                graph->branch_count);
    for (size_t i = 0; i < graph->node_count; i++) {
        const yk_node *node = &graph->nodes[i];
        yk_text_add(text, "%4zu  stream %s  ", i, graph->branches[node->branch].label);
        add_ops(text, node->ops);
        if (node->ops->first->where)
            yk_text_add(text, "  at %s", node->ops->first->where);
        for (size_t k = 0; k < node->after_count; k++)
            yk_text_add(text, "%s%zu", k ? ", " : "  after ", node->after[k]);
        yk_text_add(text, "\n");
    }
}

/* Add text inside the quotes of a DOT string. */
static void add_quoted(yk_text *text, const char *words)
{
    for (; *words; words++)
        yk_text_add(text, *words == '"' || *words == '\\' ? "\\%c" : "%c", *words);
}

static void add_dot(yk_text *text, const yoke_graph *graph)
{
    yk_text words = { 0 };
    yk_text_add(text, "digraph \"");
    add_quoted(text, graph->label);
    yk_text_add(text, "\" {\n    node [shape=rect];\n");
    for (unsigned branch = 0; branch < graph->branch_count; branch++) {
        yk_text_add(text, "    subgraph cluster_%u {\n        label=\"stream ", branch);
        add_quoted(text, graph->branches[branch].label);
        yk_text_add(text, "\";\n");
        for (size_t i = 0; i < graph->node_count; i++) {
            if (graph->nodes[i].branch != branch)
                continue;
            yk_text_cut(&words, 0);
            add_ops(&words, graph->nodes[i].ops);
            yk_text_add(text, "        n%zu [label=\"%zu: ", i, i);
            add_quoted(text, yk_text_get(&words));
            yk_text_add(text, "\"];\n");
        }
        yk_text_add(text, "    }\n");
    }
    for (size_t i = 0; i < graph->node_count; i++)
        for (size_t k = 0; k < graph->nodes[i].after_count; k++)
            yk_text_add(text, "    n%zu -> n%zu;\n", graph->nodes[i].after[k], i);
    yk_text_add(text, "}\n");
    yk_text_free(&words);
}

const char *yoke_graph_describe(yoke_graph *graph, int32_t format)
{
    yk_text *text = yk_thread_text(YK_GRAPH_TEXT);
    yk_text_free(text);
    if (!yk_is(graph, YK_GRAPH))
        return "";
    pthread_mutex_lock(&graph->lock);
    if (format == YOKE_GRAPH_TEXT)
        add_lines(text, graph);
    else if (format == YOKE_GRAPH_DOT)
        add_dot(text, graph);
    pthread_mutex_unlock(&graph->lock);
    return yk_text_get(text);
}
