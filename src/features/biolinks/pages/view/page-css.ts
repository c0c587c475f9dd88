import type { Shape } from "../theme/theme.ts";

/** What every page needs. Blocks bring their own rules. */
const BASE = `*,::before,::after{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;background:var(--bg)}
body{margin:0;min-height:100vh;min-height:100svh;display:flex;flex-direction:column;align-items:center;color:var(--ink);font:1rem/1.55 var(--font);overflow-wrap:anywhere;-webkit-font-smoothing:antialiased;-webkit-tap-highlight-color:transparent}
main{flex:1;width:100%;max-width:38rem;padding:var(--edge) 1.25rem 2rem;display:flex;flex-direction:column;gap:var(--gap)}
.top{display:flex;flex-direction:column;align-items:center;gap:.875rem;margin-bottom:.75rem;text-align:center}
.face{width:6rem;height:6rem;border-radius:50%;object-fit:cover;background:var(--card);box-shadow:0 0 0 4px var(--card),0 8px 24px rgb(0 0 0/.12)}
.letter{display:grid;place-items:center;background:var(--act);color:var(--on);font-size:2.5rem;font-weight:700;line-height:1}
h1{margin:0;font-size:clamp(1.5rem,1.2rem + 1.6vw,1.875rem);line-height:1.15;letter-spacing:-.02em;font-weight:750;text-wrap:balance}
.top p{margin:-.375rem 0 0;max-width:34rem;color:var(--mute);font-size:1.0625rem;line-height:1.45;text-wrap:balance}
h2{margin:1.25rem 0 .125rem;font-size:1.1875rem;line-height:1.3;letter-spacing:-.01em;font-weight:700;text-align:var(--way);text-wrap:balance}
.card h2{text-align:inherit}
section>h2{margin-bottom:.75rem}
img{display:block;max-width:100%;height:auto}
a{color:inherit;text-underline-offset:.2em;text-decoration-thickness:1px}
:focus-visible{outline:3px solid var(--ink);outline-offset:3px}
.card{background:var(--card);border:1px solid var(--hair);border-radius:min(var(--r),1.25rem);padding:1.25rem;box-shadow:0 1px 2px rgb(0 0 0/.04),0 4px 16px rgb(0 0 0/.04)}
.card>:first-child{margin-top:0}
.card>:last-child{margin-bottom:0}
.mute{color:var(--mute)}
.btn{display:flex;align-items:center;justify-content:center;gap:.625rem;min-height:3rem;padding:.5rem 1.25rem;border:1px solid var(--act);border-radius:var(--r);background:var(--act);color:var(--on);font:inherit;font-weight:600;line-height:1.3;text-align:center;text-decoration:none;cursor:pointer}
.ico{flex:none;width:1.375em;height:1.375em;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.solid{fill:currentColor;stroke:none}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
footer{padding:1rem 1.25rem 1.75rem;display:flex;flex-wrap:wrap;gap:0 .75rem;justify-content:center;color:var(--mute);font-size:.8125rem}
footer a{display:inline-flex;align-items:center;min-height:2.75rem;padding:0 .5rem;text-decoration:none}
footer a:hover{text-decoration:underline}
@media(forced-colors:active){:root{--bg:Canvas;--card:Canvas;--ink:CanvasText;--mute:CanvasText;--act:LinkText;--on:Canvas;--soft:Canvas;--hair:CanvasText;--bad:CanvasText}.link,.btn,.date,.letter,.play{forced-color-adjust:none}}`;

const ALIGNMENTS: Record<Shape["align"], string> = {
  // What stands before the words would push them aside: they keep as much room behind.
  center:
    ":root{--way:center}.link>img+span{padding-inline-end:3.125rem}.link>.ico+span{padding-inline-end:2.375rem}",
  start:
    ":root{--way:start}.top{align-items:flex-start;text-align:start}main .soc{margin-inline-start:-.8rem}footer{justify-content:flex-start;width:100%;max-width:38rem}",
};
const MOTION = `@media(prefers-reduced-motion:no-preference){.link,.btn{transition:transform .15s,box-shadow .15s}.link:hover,.btn:hover{transform:translateY(-2px);box-shadow:0 6px 20px rgb(0 0 0/.14)}.link:active,.btn:active{transform:none;box-shadow:none}}`;
/** Of links and of what stands out among them: ground, words, the badge's ground and words. */
const FILLED = "--lbg:var(--act);--lfg:var(--on);--pbg:var(--on);--pfg:var(--act)";
const BUTTONS: Record<Shape["button"], string> = {
  fill: `:root{${FILLED}}.hi{outline:2px solid var(--act);outline-offset:3px}`,
  outline: `:root{--lbg:transparent;--lfg:var(--ink);--pbg:var(--act);--pfg:var(--on)}.link,.btn{border-width:1.5px}.hi{${FILLED}}.btn{background:transparent;color:var(--ink)}`,
  soft: `:root{--lbg:var(--soft);--lfg:var(--ink);--pbg:var(--act);--pfg:var(--on)}.hi{${FILLED}}.btn{background:var(--soft);color:var(--ink)}`,
};
const BACKGROUNDS: Record<Shape["background"]["type"], string> = {
  color: "",
  gradient:
    "body::before{content:'';position:fixed;inset:0;z-index:-1;background:var(--wash)}@media(forced-colors:active){body::before{display:none}}",
  image:
    ".back{position:fixed;inset:0;z-index:-2;width:100%;height:100%;object-fit:cover}body::before{content:'';position:fixed;inset:0;z-index:-1;background:var(--veil,var(--bg))}@media(forced-colors:active){.back,body::before{display:none}}",
};

/** The rules of a page's frame; line ends are no part of them. */
export function pageCss({ background, button, align }: Shape): string {
  const rules = BASE + BUTTONS[button] + ALIGNMENTS[align] + BACKGROUNDS[background.type] + MOTION;
  return rules.replaceAll("\n", "");
}
