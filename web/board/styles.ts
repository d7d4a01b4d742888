/*
 * Everything a page may want to change is a custom property of the element; a rule of the page's own for
 * `draughts-board` wins over these. Sizes are in cqw, hundredths of the element's width, so nothing needs measuring.
 */
export const STYLES = `
:host {
  --board-light: light-dark(#ecdfc3, #b9a683);
  --board-dark: light-dark(#a87d54, #7a5638);
  --board-edge: light-dark(#4a3423, #2b1d12);
  --board-number: light-dark(#20140a, #f3e8d0);
  --board-edge-number: #ecdfc3;
  --board-last: light-dark(#c4a24a, #a68a38);
  --board-last-number: #20140a;
  --board-accent: #14532d;
  --board-halo: #f6efdc;
  --board-signal: #d13a2a;
  --piece-white-light: light-dark(#fffaf0, #f6ecd9);
  --piece-white-shade: light-dark(#dcc69c, #cdb68a);
  --piece-white-edge: #84653e;
  --piece-white-line: #97794c;
  --piece-black-light: #5d4a40;
  --piece-black-shade: #211713;
  --piece-black-edge: #0f0907;
  --piece-black-line: #120b08;
  --piece-black-rim: #806a5c;
  --piece-shadow: #1c0f05;
  --piece-shadow-strength: .45;
  display: block;
  position: relative;
  width: 100%;
  aspect-ratio: 1;
  container-type: inline-size;
  forced-color-adjust: none;
  touch-action: manipulation;
  user-select: none;
  -webkit-user-select: none;
  -webkit-touch-callout: none;
  -webkit-tap-highlight-color: transparent;
}
:host([hidden]) { display: none; }
.frame { position: absolute; inset: 0; }
.grid {
  position: absolute;
  inset: 0;
  display: grid;
  grid-template-rows: repeat(10, 1fr);
  background: var(--board-light);
  box-shadow: 0 0 0 1px var(--board-edge);
}
[data-numbers="edge"] { background: var(--board-edge); }
[data-numbers="edge"] .grid { inset: 4cqw; }
.frame:not([data-numbers="inside"]) .number, .frame:not([data-numbers="edge"]) .outer { display: none; }
.row { display: grid; grid-template-columns: repeat(10, 1fr); min-height: 0; }
.square {
  position: relative;
  background: var(--board-dark);
  outline: none;
}
.own { touch-action: none; cursor: pointer; }
.target { cursor: pointer; }
.number, .outer {
  position: absolute;
  color: var(--board-number);
  font-size: var(--board-number-size, clamp(8px, 1.65cqw, 15px));
  line-height: 1;
  font-variant-numeric: tabular-nums;
  pointer-events: none;
}
.number { left: 3%; top: 2%; }
/* On a small board a number keeps to its corner, or goes where it would still run under the piece. */
@container (max-width: 420px) { .number { left: 1%; top: .5%; font-size: var(--board-number-size, 7px); } }
@container (max-width: 300px) { .number { display: var(--board-number-small, none); } }
.outer { color: var(--board-edge-number); transform: translate(-50%, -50%); font-size: clamp(8px, 2cqw, 15px); }
.last { background: var(--board-last); }
.last .number { color: var(--board-last-number); }
.selected .number { color: var(--board-halo); }
.selected { background: color-mix(in srgb, var(--board-accent) 55%, var(--board-dark)); }
.premove { background: color-mix(in srgb, var(--board-accent) 42%, var(--board-dark)); }
.premove .number { color: var(--board-halo); }
.square::before, .square::after { content: none; position: absolute; border-radius: 50%; pointer-events: none; box-sizing: border-box; }
.target::after {
  content: "";
  inset: 31%;
  border: max(2px, .75cqw) solid var(--board-accent);
  box-shadow: 0 0 0 max(1px, .2cqw) var(--board-halo), inset 0 0 0 max(1px, .2cqw) var(--board-halo);
  z-index: 4;
}
.target.over::after { inset: 25%; background: var(--board-halo); }
.movable::before {
  content: "";
  inset: 3.5%;
  border: max(1.5px, .5cqw) solid var(--board-accent);
  box-shadow: 0 0 0 max(1px, .15cqw) var(--board-halo);
}
.urged::before {
  content: "";
  inset: 3.5%;
  border: max(1.5px, .3cqw) solid var(--board-signal);
  box-shadow: 0 0 0 max(1px, .15cqw) var(--board-halo);
}
.touched::before {
  content: "";
  inset: 1.5%;
  border: max(2px, .7cqw) solid var(--board-accent);
  box-shadow: 0 0 0 max(1px, .2cqw) var(--board-halo), inset 0 0 0 max(1px, .2cqw) var(--board-halo);
}
.prey::after {
  content: "";
  inset: 8% 10% 12%;
  border: max(1.5px, .4cqw) solid var(--board-signal);
  z-index: 2;
}
.keys .square:focus { box-shadow: inset 0 0 0 max(2px, .4cqw) var(--board-halo), inset 0 0 0 max(4px, .8cqw) var(--board-accent); }
.piece { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; z-index: 1; pointer-events: none; }
.taken { opacity: .33; }
@media (prefers-reduced-motion: no-preference) { .piece { transition: opacity .15s, scale .1s; } }
.moving { z-index: 5; }
.held { z-index: 6; scale: 1.1; will-change: translate; }
.square:has(.held) { cursor: grabbing; }
.face { stroke-width: 1.6; }
.groove { stroke-width: 2.4; }
.white .edge { fill: var(--piece-white-edge); }
.white .face, .white .groove { stroke: var(--piece-white-line); }
.black .edge { fill: var(--piece-black-edge); }
.black .face { stroke: var(--piece-black-rim); }
.black .groove { stroke: var(--piece-black-line); }
.white-rim-top, .white-hollow-bottom { stop-color: var(--piece-white-light); }
.white-rim-bottom, .white-hollow-top { stop-color: var(--piece-white-shade); }
.black-rim-top, .black-hollow-bottom { stop-color: var(--piece-black-light); }
.black-rim-bottom, .black-hollow-top { stop-color: var(--piece-black-shade); }
.shadow-near { stop-color: var(--piece-shadow); stop-opacity: var(--piece-shadow-strength); }
.shadow-far { stop-color: var(--piece-shadow); stop-opacity: 0; }
.shades { position: absolute; width: 0; height: 0; }
.way { position: absolute; inset: 0; width: 100%; height: 100%; z-index: 3; pointer-events: none; }
.way polyline { fill: none; stroke: var(--board-accent); stroke-width: .12; stroke-linejoin: round; stroke-linecap: round; }
.way circle { fill: var(--board-accent); stroke: var(--board-halo); stroke-width: .04; }
.way.ahead polyline { stroke: var(--board-halo); stroke-width: .08; stroke-dasharray: .22 .2; }
.way.ahead circle { stroke-width: .05; }
.live { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
