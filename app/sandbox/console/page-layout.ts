/** Layout of the sandbox's pages: plain HTML, light and dark, escaped values. */
import { textOf } from "../exchange.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1b2420; --quiet: #59655f; --line: #dce2de; --ground: #f4f6f4; --card: #fff; --act: #1f6652; --on-act: #fff; --soft: #e6f0ec; --bad: #a3281f; --bad-soft: #fbeae8; --good: #1c6b42; --wait: #8a5300; --wait-soft: #fdf1de; --edge: #b7c2bc; --ring: #5aa58b; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ece9; --quiet: #a3b0a9; --line: #2b3631; --ground: #0f1412; --card: #171e1b; --act: #6fc9ac; --on-act: #08211a; --soft: #1b2f28; --bad: #ff9d92; --bad-soft: #3a1d1a; --good: #7bd5a2; --wait: #f0bd6c; --wait-soft: #35270f; --edge: #47544e; --ring: #8fd8c0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header { background: var(--card); border-bottom: 1px solid var(--line); }
header > div, header > nav.tabs, main { max-width: 80rem; margin: 0 auto; padding: 1rem 1.25rem; }
header > div { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; justify-content: space-between; padding-block: .6rem .2rem; }
header nav { display: flex; flex-wrap: wrap; gap: .15rem 1.1rem; }
header a { text-decoration: none; } header a:hover { text-decoration: underline; }
.brand { margin: 0; display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; } .brand a { font-size: 1.1rem; font-weight: 650; color: var(--ink); } .brand span { color: var(--quiet); font-size: .85rem; }
header > nav.tabs { padding-block: 0; gap: 0 1.25rem; }
.tabs a { padding: .35rem 0 .4rem; border-bottom: 2px solid transparent; color: var(--quiet); font-size: .9rem; }
.tabs a[aria-current] { color: var(--ink); border-color: var(--act); font-weight: 600; }
main { display: grid; gap: 1.25rem; padding-bottom: 4rem; }
main.narrow { max-width: 34rem; margin-top: 3rem; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.1rem 1.25rem; min-width: 0; }
h1 { font-size: 1.3rem; margin: 0 0 .5rem; } h2 { font-size: 1.05rem; margin: 0 0 .6rem; } h3 { font-size: .95rem; margin: 1rem 0 .5rem; }
p { margin: .4rem 0; } .quiet { color: var(--quiet); font-size: .9rem; }
a { color: var(--act); }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th { text-align: left; font-weight: 600; color: var(--quiet); white-space: nowrap; }
th, td { padding: .4rem .75rem .4rem 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; }
td code { overflow-wrap: anywhere; } code, pre { font: .85em/1.45 ui-monospace, monospace; }
pre { overflow: auto; max-height: 18rem; background: var(--ground); border-radius: .4rem; padding: .7rem; margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
form.row { display: flex; flex-wrap: wrap; gap: .6rem .75rem; align-items: end; }
label { display: grid; gap: .15rem; font-size: .85rem; color: var(--quiet); }
input, select, button { font: inherit; padding: .4rem .6rem; border: 1px solid var(--edge); border-radius: .4rem; background: var(--card); color: var(--ink); max-width: 100%; }
button { cursor: pointer; } button.primary { background: var(--act); border-color: var(--act); color: var(--on-act); }
button:hover { border-color: var(--ink); } :focus-visible { outline: 3px solid var(--ring); outline-offset: 1px; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
td form.row { flex-wrap: nowrap; gap: .4rem; } td form.row button { white-space: nowrap; }
details > summary { cursor: pointer; overflow-wrap: anywhere; min-width: 6rem; } iframe { width: 100%; min-height: 28rem; border: 1px solid var(--line); border-radius: .4rem; background: #fff; }
`;

/** `head`: further elements of the head, for a page with a style or a script of its own. */
export function layout(title: string, content: string, nav = "", head = ""): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Sandbox</title><link rel="icon" href="data:,"><style>${STYLE}</style>${head}</head><body>${nav}${content}</body></html>`;
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
