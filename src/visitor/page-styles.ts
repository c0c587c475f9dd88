/** The one style sheet of the visitor pages, inline: a page is one request. */
export const PAGE_STYLES = `
:root{color-scheme:light dark;--ink:#17211b;--paper:#f6f5f1;--card:#fff;--edge:#e4e3dc;--line:#7d8781;--soft:#515c56;--tint:#e6f1eb;--act:#0b6b46;--act-over:#085438;--on-act:#fff;--bad:#a31515}
@media(prefers-color-scheme:dark){:root{--ink:#ecf1ee;--paper:#101513;--card:#181f1c;--edge:#2a3330;--line:#7f8b85;--soft:#aab5af;--tint:#1f3129;--act:#6fdcae;--act-over:#93e8c4;--on-act:#06251a;--bad:#ff9d94}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;min-height:100svh;display:grid;grid-template:2fr auto 3fr/minmax(0,26rem);justify-content:center;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{grid-row:2;background:var(--card);border:1px solid var(--edge);border-radius:1rem;padding:clamp(1.25rem,6vw,2.25rem);overflow-wrap:anywhere}
svg{display:block;width:2.75rem;height:2.75rem;margin:0 0 1rem;padding:.625rem;border-radius:50%;background:var(--tint);fill:none;stroke:var(--act);stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
h1{margin:0;font-size:1.375rem;line-height:1.25;letter-spacing:-.01em;text-wrap:balance}
p{margin:.5rem 0 0;color:var(--soft);text-wrap:pretty}
form{margin:1.5rem 0 0}
label{display:block;margin-bottom:.375rem;font-weight:600}
input,select,textarea{display:block;width:100%;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.5rem;padding:.625rem .75rem;min-height:3rem}
select{background:var(--card)}
textarea{resize:vertical}
:is(input,select,textarea)+label{margin-top:1rem}
[aria-invalid]{border:2px solid var(--bad)}
.wrong{color:var(--bad);font-weight:600}
button,.go{display:block;width:100%;margin-top:1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on-act);background:var(--act);border:1px solid transparent;border-radius:.5rem;padding:.6875rem 1rem;min-height:3rem;cursor:pointer}
.go{margin-top:1.5rem}
footer{grid-row:3;align-self:end;text-align:center;font-size:.8125rem}
footer a{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 .75rem;color:var(--soft);text-decoration:none}
footer a:hover{text-decoration:underline}
button:hover,.go:hover{background:var(--act-over)}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
`.trim();
