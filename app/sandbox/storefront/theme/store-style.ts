/** The demo store's look. Light only, as most themes are. */
export const STORE_STYLE = `
:root{color-scheme:light;--ink:#20261f;--quiet:#5c6358;--paper:#fbf9f4;--card:#fff;--line:#e2dccf;--forest:#2c4a3a;--forest-dark:#1f362a;--sand:#efe8da;--accent:#a5472a;--serif:"Iowan Old Style","Palatino Linotype",Palatino,Georgia,serif}
*{box-sizing:border-box}
html{scroll-behavior:smooth}
body{margin:0;font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--paper);display:flex;flex-direction:column;min-height:100vh}
h1,h2,h3{font-family:var(--serif);font-weight:600;line-height:1.2;margin:0 0 .5rem;text-wrap:balance}
h1{font-size:clamp(1.9rem,4vw,2.75rem)}h2{font-size:1.6rem}h3{font-size:1.05rem}
p{margin:.5rem 0}a{color:var(--forest)}img{display:block;max-width:100%}
button,input,select{font:inherit;color:inherit}
:focus-visible{outline:3px solid #d98a4b;outline-offset:2px}
.skip{position:absolute;left:-100rem}.skip:focus{left:1rem;top:1rem;background:#fff;padding:.5rem 1rem;z-index:9}
.wide{max-width:74rem;margin-inline:auto;padding-inline:1.25rem;width:100%}
.demo-bar{background:#191d19;color:#e6e9e2;font-size:.8125rem}
.demo-bar>div{display:flex;flex-wrap:wrap;gap:.4rem 1.25rem;align-items:center;padding-block:.45rem}
.demo-bar a{color:#fff}.demo-bar form{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin-left:auto}
.demo-bar label{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center}
.demo-bar select,.demo-bar button{background:#2b312b;color:#fff;border:1px solid #5d665c;border-radius:.35rem;padding:.15rem .5rem;max-width:14rem}
.site{background:var(--card);border-bottom:1px solid var(--line)}
.site>div{display:flex;flex-wrap:wrap;gap:.5rem 1.75rem;align-items:center;padding-block:1rem}
.brand{font:600 1.45rem/1 var(--serif);text-decoration:none;color:var(--forest-dark);display:flex;gap:.55rem;align-items:center;margin-right:auto}
.site nav{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;align-items:center}
.site nav a{text-decoration:none;color:var(--ink);padding:.3rem 0;border-bottom:2px solid transparent}
.site nav a:hover,.site nav a[aria-current]{border-color:var(--accent)}
.languages{gap:.75rem!important;font-size:.875rem}
.cart-count{background:var(--accent);color:#fff;border-radius:1rem;font-size:.75rem;padding:.1rem .5rem;margin-left:.3rem}
main{flex:1}
.hero{position:relative;color:#fff;background:#1b2d26;overflow:hidden}
.hero img{position:absolute;inset:0;width:100%;height:100%;object-fit:cover}
.hero::after{content:"";position:absolute;inset:0;background:linear-gradient(90deg,rgba(14,24,19,.82),rgba(14,24,19,.45) 55%,rgba(14,24,19,.1))}
.hero>div{position:relative;z-index:1;padding-block:clamp(3.5rem,9vw,7rem)}
.hero p{max-width:30rem;font-size:1.125rem}
.button{display:inline-block;background:var(--forest);color:#fff;border:0;border-radius:.45rem;padding:.75rem 1.5rem;font-weight:600;text-decoration:none;cursor:pointer}
.button:hover{background:var(--forest-dark)}.hero .button{background:#fff;color:var(--forest-dark);margin-top:1rem}.hero .button:hover{background:var(--sand)}
.button[disabled]{background:#d9d5ca;color:#5c6358;cursor:default}
.plain{background:none;border:0;padding:.25rem;text-decoration:underline;color:var(--quiet);cursor:pointer}
.band{padding-block:3rem}.band-head{display:flex;justify-content:space-between;align-items:baseline;gap:1rem;margin-bottom:1.25rem}
.products{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15.5rem),1fr));gap:1.75rem 1.5rem;list-style:none;padding:0;margin:0}
.products a{display:block;text-decoration:none;color:inherit}
.products img{width:100%;height:auto;aspect-ratio:1;object-fit:cover;border-radius:.6rem;border:1px solid var(--line);transition:transform .2s}
.products .frame{overflow:hidden;border-radius:.6rem}.products a:hover img{transform:scale(1.03)}
@media(prefers-reduced-motion:reduce){.products img{transition:none}.products a:hover img{transform:none}html{scroll-behavior:auto}}
.products .name{font-size:1.05rem;margin:.75rem 0 .1rem;overflow-wrap:anywhere}.products .price{color:var(--ink);font-weight:600}
.quiet{color:var(--quiet);font-size:.9rem}
.promises{background:var(--sand)}.promises ul{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,15rem),1fr));gap:1.5rem;list-style:none;padding-inline:1.25rem;padding-block:2rem;margin-block:0}
.promises strong{display:block;font-family:var(--serif);font-size:1.1rem}
.newsletter{display:grid;gap:1.5rem;background:var(--forest-dark);color:#fff;border-radius:.9rem;padding:clamp(1.5rem,4vw,3rem)}
.newsletter form{display:grid;gap:.75rem;align-content:center}
.newsletter .row{display:flex;flex-wrap:wrap;gap:.6rem;align-items:end}.newsletter .row label{flex:1 1 14rem;display:grid;gap:.25rem}
.newsletter .button{background:#fff;color:var(--forest-dark)}.newsletter .button:hover{background:var(--sand)}.newsletter a{color:#fff}
input[type=email],input[type=number],select.field{padding:.7rem .75rem;border:1px solid #b9b2a3;border-radius:.45rem;background:#fff;color:var(--ink);width:100%}
.tick{display:flex;gap:.5rem;align-items:center}.tick input{width:1.1rem;height:1.1rem}
.product{display:grid;gap:2rem;padding-block:2.5rem}
.product>img{width:100%;height:auto;aspect-ratio:1;object-fit:cover;border-radius:.9rem;border:1px solid var(--line)}
.product h1{overflow-wrap:anywhere}.product .price{font-size:1.4rem;font-weight:600}
.product form{display:grid;gap:1rem;margin-block:1.25rem;max-width:24rem}.product form label{display:grid;gap:.25rem;font-weight:600}.product form label>*{font-weight:400}
.crumbs{padding-top:1.25rem;font-size:.9rem}.crumbs a{color:var(--quiet)}
.page{max-width:52rem;margin-inline:auto;padding:2.5rem 1.25rem;width:100%}
.panel{background:var(--card);border:1px solid var(--line);border-radius:.8rem;padding:clamp(1rem,3vw,2rem);margin-block:1.25rem}.panel.block{padding:.5rem clamp(.25rem,2vw,1rem)}
.lines{list-style:none;padding:0;margin:0}.lines li{display:grid;grid-template-columns:5rem 1fr auto;gap:1rem;align-items:center;padding-block:1rem;border-bottom:1px solid var(--line)}
.lines img{width:100%;height:auto;border-radius:.5rem;border:1px solid var(--line)}.lines form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}.lines input{width:5rem!important;padding:.35rem .5rem!important}
.lines h2{font-size:1.05rem;margin:0;overflow-wrap:anywhere}.lines h2 a{display:inline-block;padding-block:.3rem}.sum{display:flex;justify-content:space-between;font-size:1.15rem;font-weight:600;padding-block:1rem}
.small-button{background:#fff;border:1px solid #b9b2a3;border-radius:.4rem;padding:.35rem .75rem;cursor:pointer}
.pay{display:grid;gap:.75rem;max-width:24rem;margin-left:auto}.pay label{display:grid;gap:.25rem}
.site-footer{background:var(--forest-dark);color:#dfe6dc;margin-top:auto}
.site-footer a{color:#fff}.site-footer .columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,11rem),1fr));gap:2rem;padding-block:2.5rem}
.site-footer h2{font-size:1.05rem;color:#fff}.site-footer ul{list-style:none;padding:0;margin:0;display:grid;gap:.4rem}
.site-footer .legal{border-top:1px solid #3f5a4a;padding-block:1.25rem}
.site-footer .legal nav{display:flex;flex-wrap:wrap;gap:.5rem 1.5rem}.site-footer .fine{font-size:.875rem;color:#b9c6b9;padding-bottom:1.5rem}
.developer{background:#191d19;color:#e6e9e2;font-size:.875rem}.developer summary{cursor:pointer;padding-block:.75rem}
.developer h2{font:600 .9rem system-ui,sans-serif;margin:.75rem 0 .25rem}.developer ol{font:.8rem/1.45 ui-monospace,monospace;overflow-wrap:anywhere;padding-left:2rem;margin:.25rem 0}.developer a{color:#fff}
@media(min-width:48rem){.product{grid-template-columns:1.1fr 1fr;gap:3.5rem;align-items:start}.newsletter{grid-template-columns:1fr 1.2fr}}
@media(max-width:36rem){.demo-bar form,.demo-bar label{flex-wrap:nowrap;width:100%}.demo-bar select{flex:1;min-width:0;max-width:none}.products{grid-template-columns:1fr 1fr;gap:1.25rem .9rem}.site>div{padding-block:.75rem}.demo-bar form{margin-left:0}.band{padding-block:2rem}.lines li{grid-template-columns:4rem 1fr}.lines li>:last-child{grid-column:2}}
`;
