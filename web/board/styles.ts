/*
 * Everything a page may want to change is a custom property of the element; a rule of the page's own for
 * `draughts-board` wins over these. Sizes are in cqw, hundredths of the element's width, so nothing needs measuring.
 */
export const STYLES = `
:host {
  --board-light: #ecdfc3;
  --board-dark: #a87d54;
  --board-edge: #4a3423;
  --board-number: #20140a;
  --board-last: #c9a53f;
  --board-accent: #14532d;
  --board-halo: #f6efdc;
  --board-signal: #b3261e;
  --board-signal-on-black: #ff7a66;
  --piece-white: #f4e6c8;
  --piece-white-light: #fffaf0;
  --piece-white-shade: #d9c39a;
  --piece-white-edge: #8a6b43;
  --piece-white-line: #9d8053;
  --piece-black: #3b2d26;
  --piece-black-light: #5d4a40;
  --piece-black-shade: #211713;
  --piece-black-edge: #0f0907;
  --piece-black-line: #120b08;
  --piece-shadow: #1c0f05;
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
@media (prefers-color-scheme: dark) {
  :host {
    --board-light: #a4927264;
  }
}
.grid {
  position: absolute;
  inset: 0;
  display: grid;
  grid-template-rows: repeat(10, 1fr);
  background: var(--board-light);
  box-shadow: 0 0 0 1px var(--board-edge);
}
.framed { background: var(--board-edge); }
.framed .grid { inset: 4cqw; }
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
  font-size: clamp(8px, 1.9cqw, 14px);
  line-height: 1;
  font-variant-numeric: tabular-nums;
  pointer-events: none;
}
.number { left: 5%; top: 5%; }
.outer { color: var(--board-light); transform: translate(-50%, -50%); font-size: clamp(8px, 2cqw, 15px); }
.last { background: var(--board-last); }
.selected { background: color-mix(in srgb, var(--board-accent) 55%, var(--board-dark)); }
.square::before, .square::after { content: none; position: absolute; border-radius: 50%; pointer-events: none; box-sizing: border-box; }
.target::after {
  content: "";
  inset: 33%;
  border: max(2px, .75cqw) solid var(--board-accent);
  box-shadow: 0 0 0 max(1px, .2cqw) var(--board-halo), inset 0 0 0 max(1px, .2cqw) var(--board-halo);
  z-index: 4;
}
.target.over::after { inset: 25%; background: var(--board-halo); }
.movable::before {
  content: "";
  inset: 3%;
  border: max(2px, .55cqw) solid var(--board-accent);
  box-shadow: 0 0 0 max(1px, .15cqw) var(--board-halo);
}
.prey::after {
  content: "";
  inset: 7%;
  border: max(2px, .45cqw) solid var(--board-signal);
  z-index: 2;
}
.square:focus-visible { box-shadow: inset 0 0 0 max(2px, .4cqw) var(--board-halo), inset 0 0 0 max(4px, .8cqw) var(--board-accent); }
.piece { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; z-index: 1; pointer-events: none; }
.taken { opacity: .33; }
.moving { z-index: 5; }
.held { z-index: 6; will-change: transform; }
.face { stroke-width: 1.2; }
.groove { stroke-width: 2.4; }
.white .edge { fill: var(--piece-white-edge); }
.white .face, .white .groove { stroke: var(--piece-white-line); }
.black .edge { fill: var(--piece-black-edge); }
.black .face, .black .groove { stroke: var(--piece-black-line); }
.white-rim-top, .white-hollow-bottom { stop-color: var(--piece-white-light); }
.white-rim-bottom, .white-hollow-top { stop-color: var(--piece-white-shade); }
.black-rim-top, .black-hollow-bottom { stop-color: var(--piece-black-light); }
.black-rim-bottom, .black-hollow-top { stop-color: var(--piece-black-shade); }
.shadow-near { stop-color: var(--piece-shadow); stop-opacity: .45; }
.shadow-far { stop-color: var(--piece-shadow); stop-opacity: 0; }
.shades { position: absolute; width: 0; height: 0; }
.way { position: absolute; inset: 0; width: 100%; height: 100%; z-index: 3; pointer-events: none; }
.way polyline { fill: none; stroke: var(--board-accent); stroke-width: .12; stroke-linejoin: round; stroke-linecap: round; }
.way circle { fill: var(--board-accent); stroke: var(--board-halo); stroke-width: .04; }
.live { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;
