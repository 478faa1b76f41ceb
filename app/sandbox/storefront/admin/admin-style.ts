/** The look of the simulated store admin. */
export const ADMIN_STYLE = `
:root{color-scheme:light;--ink:#303030;--quiet:#5c5f62;--line:#e3e3e3;--ground:#f1f1f1;--side:#ebebeb;--top:#1a1a1a;--bar:3.5rem}
*{box-sizing:border-box}
body{margin:0;background:var(--top);color:var(--ink);font:14px/1.45 Inter,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
h1{font-size:1.25rem;margin:0;overflow-wrap:anywhere}h2{font-size:.9rem;margin:0 0 .5rem}p{margin:.35rem 0}a{color:#005bd3}
svg{display:block;flex:none}
:focus-visible{outline:2px solid #005bd3;outline-offset:1px}
.skip{position:absolute;left:-100rem}.skip:focus{left:.5rem;top:.5rem;background:#fff;padding:.5rem 1rem;z-index:9}
.top{position:sticky;top:0;z-index:5;height:var(--bar);background:var(--top);color:#fff;display:flex;gap:.75rem;align-items:center;padding-inline:.75rem 1rem}
.top a{color:#fff;text-decoration:none}.top :focus-visible{outline-color:#8ab4ff}
.mark{display:flex;gap:.5rem;align-items:center;font-weight:650;white-space:nowrap;width:14rem}
.mark span{background:#3f7a5a;border-radius:.4rem;width:1.75rem;height:1.75rem;display:grid;place-items:center;font-size:.8rem}
.search{flex:1;max-width:38rem;margin-inline:auto;display:flex;align-items:center;gap:.5rem;background:#303030;border:1px solid #616161;border-radius:.6rem;padding-inline:.6rem;color:#c9c9c9}
.search input{flex:1;min-width:0;background:none;border:0;color:#fff;font:inherit;padding:.4rem 0}.search input::placeholder{color:#c9c9c9}.search input:focus{outline:0}.search:focus-within{outline:2px solid #8ab4ff}
.account{display:flex;gap:.6rem;align-items:center;white-space:nowrap}.account>span{background:#d9793f;color:#1a1a1a;font-weight:700;border-radius:.4rem;width:1.75rem;height:1.75rem;display:grid;place-items:center;font-size:.75rem}
.menu-button{display:none;background:none;border:0;color:#fff;padding:.4rem;border-radius:.4rem;cursor:pointer}
.body{display:grid;grid-template-columns:15rem minmax(0,1fr);min-height:calc(100dvh - var(--bar));background:var(--ground);border-radius:.75rem .75rem 0 0;overflow:clip}
.side{background:var(--side);padding:.75rem .5rem;display:flex;flex-direction:column;gap:.1rem;border:0;color:inherit;margin:0;width:auto;height:auto;max-width:none;max-height:none}
.side a{display:flex;gap:.6rem;align-items:center;padding:.32rem .6rem;border-radius:.5rem;color:var(--ink);text-decoration:none;font-weight:550;min-height:1.9rem}
.side a:hover{background:#f7f7f7}.side a[aria-current=page]{background:#fff;font-weight:650}
.side ul{list-style:none;margin:0;padding:0}.side .below a{padding-left:2.35rem;font-weight:450}
.side h2{font-size:.8rem;color:var(--quiet);margin:1rem 0 .25rem .6rem}
.side .last{margin-top:auto;padding-top:1rem}
main{min-width:0}
.content{max-width:62rem;margin-inline:auto;padding:1.25rem;display:grid;gap:1rem}
.head{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}.head p{margin:0;color:var(--quiet)}
.card{background:#fff;border-radius:.75rem;box-shadow:0 1px 0 #0000000d,0 0 0 1px #00000014;padding:1rem;min-width:0}
.flush{padding:0;overflow:hidden}.flush>h2{padding:1rem 1rem 0}
.two{display:grid;gap:1rem;grid-template-columns:minmax(0,2fr) minmax(0,1fr);align-items:start}.two>div{display:grid;gap:1rem}
.cards{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,17rem),1fr))}.values{list-style:none;margin:.25rem 0 0;padding:0;display:flex;flex-wrap:wrap;gap:.1rem 1rem}.values li{min-width:0}
.figures{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr))}.figures a{text-decoration:none;color:inherit}.figures strong{display:block;font-size:1.35rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}th{font-weight:550;color:var(--quiet);background:#f7f7f7;text-align:left;font-size:.8rem;white-space:nowrap}
th,td{padding:.55rem 1rem;border-bottom:1px solid #ebebeb;vertical-align:middle}tbody tr:last-child td{border-bottom:0}tbody tr:hover{background:#fafafa}
td a{color:var(--ink);font-weight:600;text-decoration:none}td a:hover{text-decoration:underline}.number{text-align:right;white-space:nowrap}td{overflow-wrap:anywhere}
.nowrap{white-space:nowrap}.thumb{width:2.5rem;height:2.5rem;border-radius:.5rem;border:1px solid var(--line);display:block;max-width:none}
.badge{display:inline-block;background:#e4e4e4;border-radius:.5rem;padding:.1rem .5rem;font-size:.8rem;font-weight:550;white-space:nowrap}.good{background:#cdfed4;color:#014b40}.attention{background:#ffe8b8;color:#4f3700}.tag{background:#ebebeb;margin:.1rem .2rem .1rem 0;white-space:normal;overflow-wrap:anywhere}
.quiet{color:var(--quiet)}dl{margin:0;display:grid;gap:.5rem}dt{color:var(--quiet);font-size:.8rem}dd{margin:0;overflow-wrap:anywhere}code{font:.8rem/1.4 ui-monospace,monospace;overflow-wrap:anywhere}
.button,button.button{display:inline-block;background:#fff;border:1px solid #c9c9c9;border-radius:.5rem;padding:.35rem .8rem;font:inherit;font-weight:600;color:var(--ink);text-decoration:none;cursor:pointer}
.button:hover{background:#f5f5f5}.button.primary{background:#303030;border-color:#303030;color:#fff}.button.primary:hover{background:#1a1a1a}
form.fields{display:grid;gap:.75rem}label{display:grid;gap:.25rem;font-weight:550}.pair{display:grid;gap:.75rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr))}
input[type=text],input[type=email],select,textarea{font:inherit;font-weight:400;color:inherit;padding:.45rem .65rem;border:1px solid #8a8a8a;border-radius:.5rem;background:#fdfdfd;width:100%}
.tick{display:flex;gap:.5rem;align-items:center}.help{font-weight:400;color:var(--quiet);font-size:.8rem}
.pad{padding:0 1rem 1rem;margin:0}.below-name{display:block;font-weight:400;color:var(--quiet)}.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.pages{display:flex;gap:.5rem;justify-content:center;align-items:center;padding:.75rem}
.banner{background:#eaf4ff;border-radius:.6rem;padding:.7rem 1rem;box-shadow:0 0 0 1px #00527c26}
.app-list{list-style:none;padding:0;margin:0}.app-list a{display:flex;gap:.75rem;align-items:center;padding:.75rem 1rem;color:inherit;text-decoration:none;font-weight:600}.app-list a:hover{background:#fafafa}.app-list span span{display:block;font-weight:400}
.app-icon{width:1.25rem;height:1.25rem;border-radius:.3rem;background:#2c6ecb;color:#fff;display:grid;place-items:center;font-size:.65rem;font-weight:700;flex:none}.app-icon.large{width:2.5rem;height:2.5rem;font-size:1rem;border-radius:.6rem}
.app-frame{display:block;border:0;width:100%;height:calc(100dvh - var(--bar));background:var(--ground)}
@media(max-width:36rem){.wide-only{display:none}}
@media(max-width:56rem){
.menu-button{display:block}.mark{width:auto;flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis}.mark b{overflow:hidden;text-overflow:ellipsis}.search{display:none}.account b{display:none}
.body{grid-template-columns:minmax(0,1fr)}.side{display:none}.side:popover-open{display:flex;position:fixed;inset:var(--bar) auto 0 0;width:min(18rem,85vw);box-shadow:0 0 2rem #0006}
.two{grid-template-columns:minmax(0,1fr)}.content{padding:1rem .75rem}th,td{padding:.5rem .75rem}
}
@media(min-width:56.01rem){.side{display:flex;position:sticky;top:var(--bar);height:calc(100dvh - var(--bar));overflow-y:auto;align-self:start}}
.head-actions{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}.languages{display:flex;flex-wrap:wrap;gap:.1rem .75rem}.languages [aria-current]{color:inherit;font-weight:600;text-decoration:none}
.popover{list-style:none;margin:0;inset:auto;position-area:bottom span-left;border:0;border-radius:.6rem;padding:.4rem;box-shadow:0 4px 16px #0003,0 0 0 1px #00000014;min-width:12rem}.popover a{display:block;padding:.4rem .6rem;border-radius:.4rem;color:inherit;text-decoration:none}.popover a:hover{background:#f1f1f1}
dialog.action{border:0;border-radius:.9rem;padding:1rem;width:min(36rem,calc(100vw - 2rem));box-shadow:0 8px 40px #0005}dialog.action::backdrop{background:#0007}
`;
