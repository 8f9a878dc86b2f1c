/* SPDX-License-Identifier: BSD-3-Clause */
/* How the page of a report looks, in light and dark, and its script: tables that a click on a column sorts. The colours
 * of classes are those of Okabe and Ito, which people with any kind of colour vision can tell apart. */
#include "results/report_parts.h"

const char results_page_style[] =
    ":root{--page:#fff;--text:#1b1f24;--soft:#5b6570;--line:#d8dee4;--card:#f5f7f9;--a:#0072b2;--b:#d55e00}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#15191e;--text:#e4e8ec;--soft:#9aa5b1;--line:#343b44;"
    "--card:#1e242b;--a:#56b4e9;--b:#e69f00}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1rem;max-width:70rem;background:var(--page);color:var(--text);"
    "font:15px/1.45 system-ui,sans-serif}\n"
    "h1{font-size:1.35rem;margin:.2rem 0}h2{font-size:1.1rem;margin:1.8rem 0 .5rem;border-bottom:1px solid "
    "var(--line)}\n"
    "h3{font-size:.95rem;margin:.6rem 0 .3rem}p{margin:.3rem 0}.soft{color:var(--soft)}\n"
    ".two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(21rem,100%),1fr));gap:1rem}\n"
    ".card{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.7rem .9rem;"
    "overflow-wrap:anywhere;min-width:0}\n"
    ".big{font-size:1.5rem;font-weight:600}\n"
    ".row{display:grid;grid-template-columns:minmax(7rem,11rem) 1fr 17rem;gap:.6rem;align-items:center;"
    "margin:.25rem 0}\n"
    ".bar{background:var(--line);border-radius:3px;height:.9rem;margin:1px 0;overflow:hidden}\n"
    ".bar i{display:block;height:100%;background:var(--a)}.bar i.b{background:var(--b)}\n"
    ".num{font-variant-numeric:tabular-nums;text-align:right;white-space:nowrap;font-size:.9rem}\n"
    ".stack{display:flex;height:1.1rem;border-radius:3px;overflow:hidden;background:var(--line)}.stack "
    "i{display:block}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem;margin:.4rem 0}\n"
    ".legend "
    "i{display:inline-block;width:.8rem;height:.8rem;border-radius:2px;margin-right:.3rem;vertical-align:-1px}\n"
    ".wide{overflow-x:auto}table{border-collapse:collapse;font-size:.87rem}\n"
    "th,td{padding:.2rem .45rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}\n"
    "th{white-space:normal;vertical-align:bottom;cursor:pointer;color:var(--soft);font-weight:600}\n"
    "th:first-child,td:first-child,.left{text-align:left}\n"
    "td.name{max-width:24rem;overflow:hidden;text-overflow:ellipsis}\n"
    "svg{display:block;width:100%;max-width:26rem;height:auto;margin:0 auto}svg text{fill:var(--text);font:12px "
    "system-ui,sans-serif}svg .s{fill:var(--soft);font-size:11px}svg .box{fill:var(--page);stroke:var(--soft)}"
    "svg .arrow{stroke:var(--a);fill:none}svg .tip{fill:var(--a)}svg .fill{fill:var(--a)}"
    "svg .axis{stroke:var(--line)}\n"
    "svg.big-drawing{max-width:44rem}svg.wide-drawing{max-width:none;height:6rem}svg .roof{stroke:var(--text);"
    "stroke-width:1.5;fill:none}svg .point{fill:var(--a)}svg .point.b{fill:none;stroke:var(--b);stroke-width:2}\n"
    ".ends+.two{margin-top:1rem}\n"
    ".card svg.wide-drawing{height:3.5rem}.cost{width:8rem;display:block}td.code{font-family:ui-monospace,monospace;"
    "font-size:.82rem;max-width:26rem;overflow:hidden;text-overflow:ellipsis}\n"
    ".ends{display:flex;justify-content:space-between;font-size:.8rem}\n"
    "a{color:inherit;text-decoration-color:var(--soft)}\n"
    "details{margin:.4rem 0}summary{cursor:pointer}\n"
    "@media(max-width:34rem){.row{grid-template-columns:minmax(5rem,1fr) auto}.row "
    ".bars{grid-row:2;grid-column:1/3}}\n";

const char results_page_script[] =
    "for(const table of document.querySelectorAll('table.sorts')){const heads=[...table.tHead.rows[0].cells];"
    "heads.forEach((head,at)=>{let down=false;head.onclick=()=>{down=!down;const body=table.tBodies[0];"
    "const value=row=>{const cell=row.cells[at],text=cell.dataset.v??cell.textContent;return isNaN(text)?text:+text};"
    "[...body.rows].sort((x,y)=>{const a=value(x),b=value(y);return(a<b?-1:a>b?1:0)*(down?-1:1)})"
    ".forEach(row=>body.append(row))}})}\n";

enum { MOST_TEXT = 1000 }; /* of a name; longer ones end there */

void results_page_text(const char *text, FILE *out)
{
    for (size_t length = 0; *text && length < MOST_TEXT; text++, length++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '&')
            fputs("&amp;", out);
        else if (byte == '<')
            fputs("&lt;", out);
        else if (byte == '>')
            fputs("&gt;", out);
        else if (byte == '"')
            fputs("&quot;", out);
        else
            putc(byte < ' ' ? ' ' : byte, out);
    }
}
