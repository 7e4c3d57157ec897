// The mechanisms as the planner shows them: always in the same colour and the same kind of line.
import { svg } from "../dom";

const names = [
  "local_hash",
  "grr",
  "aue",
  "pure_dump",
  "mix_dump",
  "murs",
  "correlated",
  "rappor",
  "laplace",
];
const dashes: number[][] = [
  [14, 4],
  [8, 4],
  [2, 3],
  [10, 3, 2, 3],
  [4, 2],
  [6, 3, 2, 3, 2, 3],
  [],
  [1, 3],
  [2, 6],
];

export function mechanismNames(): string[] {
  return names;
}

export function mechanismColour(name: string): `series-${number}` {
  return `series-${Math.max(0, names.indexOf(name))}`;
}

export function mechanismDash(name: string): number[] {
  return dashes[Math.max(0, names.indexOf(name))] ?? [];
}

// A piece of the mechanism's line.
export function swatch(name: string): SVGElement {
  return svg(
    "svg",
    { width: 28, height: 10, "aria-hidden": "true", class: `swatch ${mechanismColour(name)}` },
    svg("line", {
      x1: 1,
      x2: 27,
      y1: 5,
      y2: 5,
      "stroke-width": 2.5,
      "stroke-dasharray": mechanismDash(name).join(" "),
    }),
  );
}
