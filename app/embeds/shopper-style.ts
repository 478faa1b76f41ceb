// The look of the shopper's account and dashboard: one column, sizes in rem, nothing that needs a pointer.
export const SHOPPER_STYLE = `body{margin:0;background:var(--ground)}main{max-width:44rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:.25rem 0 1rem}h2{font-size:1.2rem;margin:0 0 .5rem}h3{font-size:1rem;margin:1rem 0 .25rem}
.brand{color:var(--quiet);margin:0;display:flex;gap:.5rem;align-items:center}.logo{max-height:2rem;max-width:8rem}
section{border-top:1px solid var(--line);padding:1.25rem 0}form{margin:0}fieldset{border:0;margin:0;padding:0;min-width:0}legend{font-weight:600;padding:0;margin:.5rem 0 0}
label{display:block;font-weight:600;margin-top:.75rem}label.check{display:flex;gap:.6rem;align-items:flex-start;font-weight:400;min-height:1.75rem;padding:.3rem 0;margin:0}label.check input{flex:none;width:1.5rem;height:1.5rem;margin:0}
input[type=text],input[type=email],input[type=password],input[type=url],select{font:inherit;color:inherit;background:var(--ground);width:100%;box-sizing:border-box;padding:.6rem;border:1px solid var(--line);border-radius:.4rem;min-height:2.75rem}
input[aria-invalid=true]{border-width:2px;border-color:var(--bad)}.crm{--bad:#b3261e}
button,.button{font:inherit;font-weight:600;color:var(--on-strong);background:var(--strong);border:2px solid var(--strong);border-radius:.4rem;padding:.5rem 1rem;min-height:2.75rem;margin:.75rem .5rem 0 0;cursor:pointer;box-sizing:border-box}
button.plain{color:var(--text);background:transparent}button.small{min-height:2.25rem;padding:.25rem .75rem;margin-top:.25rem}button[aria-disabled=true]{opacity:.6;cursor:progress}
.button{display:inline-block;text-decoration:none}a{color:inherit;text-underline-offset:.15em}:focus-visible{outline:3px solid var(--focus);outline-offset:2px}h1:focus{outline:none}
.quiet,small{color:var(--quiet)}small{display:block}.error{border-left:4px solid var(--bad);padding-left:.75rem;margin:.75rem 0}#said:not(:empty){border-left:4px solid var(--focus);padding-left:.75rem}
.rows{list-style:none;margin:0;padding:0}.rows>li{padding:.75rem 0;border-bottom:1px solid var(--line)}.rows>li:last-child{border-bottom:0}
.split{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}.split>:first-child{flex:1 1 12rem;min-width:0}
button[role=switch]{display:inline-flex;gap:.5rem;align-items:center;min-width:5.5rem;margin:0;color:var(--text);background:transparent;border-color:var(--line)}
button[role=switch]::before{content:"";width:2.25rem;height:1.25rem;border-radius:1rem;border:2px solid var(--line);box-sizing:border-box;background:radial-gradient(circle at .5rem 50%,var(--line) .35rem,transparent .4rem)}
button[role=switch][aria-checked=true]::before{border-color:var(--strong);background:radial-gradient(circle at calc(100% - .5rem) 50%,var(--on-strong) .35rem,transparent .4rem) var(--strong)}
.table{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.95rem}th,td{text-align:left;padding:.4rem .6rem .4rem 0;border-bottom:1px solid var(--line);vertical-align:top}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;padding:0;margin:0 0 1rem}nav a{display:inline-block;padding:.25rem 0}dl{margin:0}dt{font-weight:600;margin-top:.5rem}dd{margin:0}.pill{display:inline-block;border:1px solid var(--line);border-radius:1rem;padding:.1rem .6rem;margin:.15rem .25rem .15rem 0}
@media(prefers-color-scheme:dark){.crm-auto{--bad:#ff8a80}}@media(max-width:30rem){table,tbody,tr,td{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}tr{border-bottom:1px solid var(--line);padding:.5rem 0}td{border:0;padding:.1rem 0}}
@media(prefers-reduced-motion:no-preference){button{transition:opacity .1s}}`;
