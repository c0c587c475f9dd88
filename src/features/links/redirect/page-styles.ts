/** The one style sheet of the visitor pages, inline: a page is one request. */
export const PAGE_STYLES = `
:root{color-scheme:light dark;--ink:#17211b;--paper:#fbfaf7;--card:#fff;--line:#8a938d;--soft:#55605a;--act:#0b6b46;--on-act:#fff;--bad:#a31515}
@media(prefers-color-scheme:dark){:root{--ink:#ecf1ee;--paper:#111614;--card:#1a211e;--line:#76827b;--soft:#aab5af;--act:#6fdcae;--on-act:#06251a;--bad:#ff9d94}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;background:var(--paper);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{width:100%;max-width:26rem;background:var(--card);border-radius:1rem;padding:clamp(1.25rem,6vw,2.25rem);box-shadow:0 1px 3px #0003;overflow-wrap:anywhere}
h1{margin:0 0 .5rem;font-size:1.375rem;line-height:1.25;text-wrap:balance}
p{margin:0 0 1rem;color:var(--soft)}
form{margin:1.25rem 0 0}
label{display:block;margin-bottom:.375rem;font-weight:600}
input{width:100%;font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.5rem;padding:.625rem .75rem;min-height:2.75rem}
input[aria-invalid]{border-color:var(--bad)}
.wrong{color:var(--bad);font-weight:600;margin:.5rem 0 0}
button,.go{display:block;width:100%;margin-top:1rem;font:inherit;font-weight:600;text-align:center;text-decoration:none;color:var(--on-act);background:var(--act);border:0;border-radius:.5rem;padding:.625rem 1rem;min-height:2.75rem;cursor:pointer}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
img{position:absolute;width:1px;height:1px;opacity:0}
`.trim();
