/* SPDX-License-Identifier: Apache-2.0 */
/* What `yoke bench` has measured, as one page that needs nothing else: no network, no script. */
#include <string.h>

#include "plot.h"

static const char style[] =
    ":root{--ink:#1d2430;--soft:#68707d;--line:#dfe3e8;--faint:#eff1f4;--card:#fff;--page:#f5f6f8;--yoke:#2f6bdb;--raw:#8b929c;"
    "--s0:#2f6bdb;--s1:#d9652b;--s2:#178a68;--s3:#a2489f;--s4:#8a6d13;--s5:#c43b4e;--s6:#3d8ea8;--s7:#666}\n"
    "@media "
    "(prefers-color-scheme:dark){:root{--ink:#e4e8ee;--soft:#9aa3b0;--line:#343b46;--faint:#272d36;--card:#1c2129;--page:#12161c;"
    "--yoke:#6f9dfa;--raw:#868e99;--s0:#6f9dfa;--s1:#f08c55;--s2:#3fc29a;--s3:#d07fce;--s4:#c9a63c;--s5:#ef7283;--s6:#6cbfda;"
    "--s7:#aaa}}\n"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,'Segoe UI',Roboto,"
    "'Helvetica Neue',Arial,sans-serif}main{max-width:1160px;margin:0 auto;padding:36px 24px 60px}\n"
    "h1{font-size:30px;margin:0;letter-spacing:-.02em}h2{font-size:21px;margin:44px 0 2px}h3{font-size:16px;margin:0 0 2px}"
    "p{margin:2px 0 14px;color:var(--soft)}code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:18px 20px;margin:14px 0}"
    ".panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:14px}.panels .card{margin:0;padding:14px "
    "16px 8px}"
    ".panels h3{font-size:14px}.panels p{margin:0;font-size:13px}.key{display:inline-block;width:22px;border-top:2.5px solid "
    "var(--ink);"
    "vertical-align:middle;margin:0 5px 3px 12px}.key.dash{border-top:2px dashed "
    "var(--ink)}.swatch{display:inline-block;width:11px;"
    "height:11px;border-radius:3px;margin:0 5px -1px 12px}\n"
    "svg{display:block;width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:var(--soft)}svg .name{font-weight:600;"
    "font-size:13px}.grid{stroke:var(--line);stroke-width:1}.grid.minor{stroke:var(--faint)}.base{stroke:var(--soft);stroke-width:"
    "1}"
    ".line{fill:none;stroke-width:2.4;stroke-linejoin:round}.line.raw{stroke-width:1.7;stroke-dasharray:5 4;opacity:.75}"
    ".lead{fill:none;stroke-width:1;opacity:.45}"
    "path.yoke{fill:var(--yoke);fill-opacity:.28;stroke:var(--yoke);stroke-width:1.8}path.raw:not(.line){fill:var(--raw);fill-"
    "opacity:.2;"
    "stroke:var(--raw);stroke-width:1.4}.median{stroke-width:1.4;stroke-dasharray:3 3}line.yoke{stroke:var(--yoke)}"
    "line.raw{stroke:var(--raw)}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th,td{padding:5px "
    "10px;text-align:right;border-top:1px "
    "solid var(--faint)}th{color:var(--soft);font-weight:500;border:0}td:first-child,th:first-child{text-align:left;padding-left:0}"
    "th.group{color:var(--ink);font-weight:600;padding-top:16px}.scroll{overflow-x:auto}.warn{color:var(--s5)}\n";

void plot_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static void write_panel(FILE *out, const figure *one)
{
    char yoke[32], raw[32];
    fprintf(out, "<div class='card'><h3>");
    plot_text(out, one->words);
    fprintf(out, "</h3><p>Yoke %s", figure_time(distribution_at(&one->yoke, 0.5), yoke));
    if (one->raw.count)
        fprintf(out, ", driver %s", figure_time(distribution_at(&one->raw, 0.5), raw));
    fprintf(out, "</p>\n");
    plot_latency(out, one);
    fprintf(out, "</div>\n");
}

static void write_panels(FILE *out, const figures *device)
{
    fprintf(
        out,
        "<div class='card'><h3>Latencies</h3><p>How often each time was measured; broken lines are medians. The slowest 2 %% are "
        "left out.<span class='swatch' style='background:var(--yoke)'></span>Yoke<span class='swatch' "
        "style='background:var(--raw)'></span>driver alone</p>\n<div class='panels'>\n");
    for (size_t i = 0; i < device->count; i++)
        if (device->all[i].group != FIGURE_COPY)
            write_panel(out, &device->all[i]);
    fprintf(out, "</div></div>\n");
}

static void write_times(FILE *out, const figures *device, int group)
{
    bool first = true;
    for (size_t i = 0; i < device->count; i++) {
        const figure *one = &device->all[i];
        char text[32];
        if (one->group != group)
            continue;
        if (first)
            fprintf(out,
                    "<tr><th class='group'>%s</th><th>Yoke</th><th>95 %%</th><th>99 %%</th><th>driver</th><th>ratio</th></tr>\n",
                    figure_group_words[group]);
        first = false;
        fprintf(out, "<tr><td>");
        plot_text(out, one->words);
        fprintf(out, "</td><td>%s</td>", figure_time(distribution_at(&one->yoke, 0.5), text));
        fprintf(out, "<td>%s</td>", figure_time(distribution_at(&one->yoke, 0.95), text));
        fprintf(out, "<td>%s</td>", figure_time(distribution_at(&one->yoke, 0.99), text));
        if (one->raw.count)
            fprintf(out, "<td>%s</td><td>%.2f</td></tr>\n", figure_time(distribution_at(&one->raw, 0.5), text), one->ratio);
        else
            fprintf(out, "<td></td><td></td></tr>\n");
    }
}

static void write_copies(FILE *out, const figures *device)
{
    const char *name = "";
    for (size_t i = 0; i < device->count; i++) {
        const figure *one = &device->all[i];
        char text[32];
        if (one->group != FIGURE_COPY)
            continue;
        if (strcmp(one->name, name) != 0)
            fprintf(out,
                    "<tr><th class='group'>Copies %s, GB/s</th><th>Yoke</th><th>5 %%</th><th>1 "
                    "%%</th><th>driver</th><th>ratio</th></tr>\n",
                    one->words);
        name = one->name;
        fprintf(out, "<tr><td>%s</td><td>%.3g</td><td>%.3g</td><td>%.3g</td>", tool_bytes(one->size, text),
                distribution_at(&one->yoke, 0.5), distribution_at(&one->yoke, 0.05), distribution_at(&one->yoke, 0.01));
        if (one->raw.count)
            fprintf(out, "<td>%.3g</td><td>%.2f</td></tr>\n", distribution_at(&one->raw, 0.5), one->ratio);
        else
            fprintf(out, "<td></td><td></td></tr>\n");
    }
}

static void write_device(FILE *out, const figures *device)
{
    const yoke_device_info *info = &device->info;
    fprintf(out, "<section><h2>");
    plot_text(out, info->name);
    fprintf(out, "</h2><p><code>%s</code>, ", info->selector);
    plot_text(out, info->platform);
    fprintf(out, ", driver ");
    plot_text(out, info->driver);
    fprintf(out, "</p>\n");
    if (device->problem) {
        fprintf(out, "<p class='warn'>");
        plot_text(out, device->problem);
        fprintf(out, "</p>\n");
    }
    fprintf(out, "<div class='card'><h3>Bandwidth over size</h3><p>Copies that are waited for one by one, the median of each size."
                 "<span class='key'></span>Yoke<span class='key dash'></span>driver alone</p>\n");
    plot_bandwidth(out, device);
    fprintf(out, "</div>\n");
    write_panels(out, device);
    fprintf(
        out,
        "<div class='card scroll'><h3>All figures</h3><p>Medians, and what so many of all measurements stay within. The ratio is "
        "Yoke's time over the driver's for the same work, measured by turns.</p><table>\n");
    for (int group = 0; group < FIGURE_COPY; group++)
        write_times(out, device, group);
    write_copies(out, device);
    fprintf(out, "</table></div></section>\n");
}

void figures_write_html(FILE *out, const figures *devices, size_t count)
{
    fprintf(out,
            "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
            "content='width=device-width,initial-scale=1'><title>yoke bench</title>\n<style>%s</style></head>\n<body><main>\n"
            "<h1>yoke bench</h1><p>What things cost through Yoke %s, beside the same work on the driver alone.</p>\n",
            style, yoke_version());
    for (size_t i = 0; i < count; i++)
        write_device(out, &devices[i]);
    fprintf(out, "</main></body></html>\n");
}
