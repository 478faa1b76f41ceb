/** Layout of the sandbox's pages: plain HTML, no script, escaped values. */
import { textOf } from "../exchange.ts";

const STYLE = `
:root { color-scheme: light; --ink: #1d2329; --quiet: #5a6672; --line: #dde2e7; --ground: #f5f6f7; --card: #fff; --act: #1f5f4a; --bad: #a12b20; --good: #1f6b43; }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header > div, main { max-width: 72rem; margin: 0 auto; padding: 1rem 1.25rem; }
header > div { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: baseline; }
header strong { font-size: 1.1rem; }
main { display: grid; gap: 1.25rem; padding-bottom: 4rem; }
main.narrow { max-width: 34rem; margin-top: 3rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.25rem; min-width: 0; }
.pair { display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr)); }
h1 { font-size: 1.3rem; margin: 0 0 .5rem; } h2 { font-size: 1.05rem; margin: 0 0 .6rem; }
p { margin: .4rem 0; } .quiet { color: var(--quiet); font-size: .9rem; }
a { color: var(--act); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--quiet); white-space: nowrap; }
th, td { padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; }
td code { overflow-wrap: anywhere; } code, pre { font: .85em/1.45 ui-monospace, monospace; }
pre { overflow: auto; max-height: 18rem; background: var(--ground); border-radius: .4rem; padding: .7rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
form.row { display: flex; flex-wrap: wrap; gap: .6rem .75rem; align-items: end; }
label { display: grid; gap: .15rem; font-size: .85rem; color: var(--quiet); }
input, select, button { font: inherit; padding: .4rem .6rem; border: 1px solid #b9c2ca; border-radius: .4rem; background: #fff; color: var(--ink); max-width: 100%; }
button { cursor: pointer; } button.primary { background: var(--act); border-color: var(--act); color: #fff; }
button:hover { border-color: var(--ink); } :focus-visible { outline: 3px solid #7fb3a1; outline-offset: 1px; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
td form.row { flex-wrap: nowrap; gap: .4rem; } td form.row button { white-space: nowrap; }
details > summary { cursor: pointer; overflow-wrap: anywhere; min-width: 6rem; } iframe { width: 100%; min-height: 28rem; border: 1px solid var(--line); border-radius: .4rem; background: #fff; }
`;

export function layout(title: string, content: string, nav = "", refreshSeconds = 0): string {
  const refresh =
    refreshSeconds > 0 ? `<meta http-equiv="refresh" content="${refreshSeconds}">` : "";
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh}
<title>${escapeHtml(title)} · Sandbox</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body>${nav}${content}</body></html>`;
}

export function escapeHtml(value: unknown): string {
  const shown = typeof value === "object" && value !== null ? JSON.stringify(value) : textOf(value);
  return shown.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function table(headings: string[], rows: string[][], empty: string): string {
  if (rows.length === 0) return `<p class="quiet">${escapeHtml(empty)}</p>`;
  const head = headings.map((heading) => `<th scope="col">${escapeHtml(heading)}</th>`).join("");
  const body = rows
    .map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`)
    .join("");
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`;
}

export function time(iso: string): string {
  return `<time datetime="${escapeHtml(iso)}">${escapeHtml(iso.slice(11, 19))}</time>`;
}

export function details(summary: string, value: unknown): string {
  const shown = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  return `<details><summary>${escapeHtml(summary)}</summary><pre>${escapeHtml(shown)}</pre></details>`;
}
