/** The look of the platform's account pages. */
export const ACCOUNT_STYLE = `
:root{color-scheme:light;--ink:#1d1d1f;--quiet:#5f5f66;--line:#dfdfe3}
*{box-sizing:border-box}
body{margin:0;font:15px/1.5 -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:#f7f7f8}
.wide{max-width:62rem;margin-inline:auto;padding-inline:20px}
.demo-bar{background:#191d19;color:#e6e9e2;font-size:13px}
.demo-bar>div{display:flex;flex-wrap:wrap;gap:6px 20px;align-items:center;padding-block:7px}
.demo-bar a{color:#fff}.demo-bar form{display:flex;flex-wrap:wrap;gap:6px;align-items:center;margin-left:auto}
.demo-bar label{display:flex;flex-wrap:wrap;gap:6px;align-items:center}
.demo-bar select,.demo-bar button{font:inherit;background:#2b312b;color:#fff;border:1px solid #5d665c;border-radius:6px;padding:3px 8px;max-width:14rem}
header{background:#fff;border-bottom:1px solid var(--line)}
header>div{display:flex;flex-wrap:wrap;gap:6px 28px;align-items:center;padding-block:14px}
header a{color:var(--ink);text-decoration:none;padding:4px 0;border-bottom:2px solid transparent}
header a[aria-current]{border-color:#2c4a3a}
header nav{display:flex;flex-wrap:wrap;gap:4px 20px}
.brand{font-weight:700;font-size:18px}.languages{margin-left:auto;font-size:13px;gap:10px}
main{padding-block:32px 64px;display:grid;gap:20px}
h1{font-size:26px;line-height:1.25;margin:0;font-weight:600}h2{font-size:16px;margin:0 0 4px}
.card{background:#fff;border:1px solid var(--line);border-radius:12px;padding:20px;margin:0}
.orders{display:grid;gap:12px;grid-template-columns:repeat(auto-fill,minmax(14rem,1fr))}.orders p{margin:0}
.quiet{color:var(--quiet)}
dl{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:8px 24px;margin:0}dt{color:var(--quiet)}dd{margin:0;overflow-wrap:anywhere}
:focus-visible{outline:2px solid #1f6feb;outline-offset:2px}
`;
