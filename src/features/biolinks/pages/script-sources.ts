import type { BlockScript } from "./blocks/block-type.ts";

/**
 * Loads what a visitor asks for in the place of its picture, and nothing before. The link to the
 * provider stays below it; who opens it in another tab goes there as without a script.
 */
const EMBED = `addEventListener("click",function(event){
var link=event.target.closest&&event.target.closest("a[data-embed]");
if(!link||event.defaultPrevented||event.button||event.metaKey||event.ctrlKey||event.shiftKey||event.altKey)return;
event.preventDefault();
var box=document.createElement("div"),frame=document.createElement("iframe"),name=link.querySelector("b"),still=link.querySelector(".still");
box.className=link.className;
box.dataset.kind=link.dataset.kind;
frame.title=name?name.textContent:"";
frame.allow="autoplay; encrypted-media; fullscreen; picture-in-picture";
frame.setAttribute("sandbox","allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-presentation");
frame.referrerPolicy="strict-origin-when-cross-origin";
frame.src=link.dataset.embed;
link.removeAttribute("data-embed");
if(still)still.remove();
link.replaceWith(box);
link.className="more";
box.append(frame,link);
frame.focus();
});
`;

/** Counts down in the page's language, and ends with the text that is set for then. */
const COUNTDOWN = `(function(){
var language=document.documentElement.lang||"en",units=[["day",86400],["hour",3600],["minute",60],["second",1]];
function write(seconds){
var parts=[];
units.forEach(function(unit){
var count=Math.floor(seconds/unit[1]);
seconds-=count*unit[1];
if(count||parts.length||unit[1]===1)parts.push(new Intl.NumberFormat(language,{style:"unit",unit:unit[0],unitDisplay:"short"}).format(count));
});
return parts.join(" ");
}
document.querySelectorAll("time[data-countdown]").forEach(function(time){
var end=Date.parse(time.dateTime),moment=time.textContent,card=time.closest("[data-done]"),timer;
time.title=moment;
function tick(){
var left=Math.ceil((end-Date.now())/1000);
if(left>0){time.textContent=write(left);return}
time.textContent=card?card.dataset.done:moment;
clearInterval(timer);
}
if(!(end>Date.now())){tick();return}
timer=setInterval(tick,1000);
tick();
});
})();
`;

/** Loads what a form asks of others when its visitor first comes to it: a page on its own asks nobody. */
const TURNSTILE = `(function(){
function load(event){
var form=event.target.closest&&event.target.closest("form"),box=form&&form.querySelector("[data-load]");
if(!box)return;
removeEventListener("focusin",load);
removeEventListener("pointerdown",load);
var script=document.createElement("script");
script.src=box.dataset.load;
document.head.append(script);
}
addEventListener("focusin",load);
addEventListener("pointerdown",load);
})();
`;

/** As old a browser runs them as shows the page well. */
export const SCRIPT_SOURCES: Record<BlockScript, string> = {
  embed: EMBED,
  countdown: COUNTDOWN,
  turnstile: TURNSTILE,
};
