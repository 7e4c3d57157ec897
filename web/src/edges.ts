// Bins between ascending edges. A chart draws them equally wide: bin i lies at place i and is 1 wide, so that
// edge i is at place i - 0.5.
import { at } from "./bins";
import { decimal, decimalsFor } from "./format";

// Within a bin by interpolation; what is outside is at the nearest end.
export function placeOf(edges: number[], number: number): number {
  const bins = edges.length - 1;
  if (number <= at(edges, 0)) return -0.5;
  if (number >= at(edges, bins)) return bins - 0.5;
  let [bin, after] = [0, bins];
  while (after - bin > 1) {
    const middle = (bin + after) >> 1;
    if (at(edges, middle) <= number) bin = middle;
    else after = middle;
  }
  const [low, high] = [at(edges, bin), at(edges, bin + 1)];
  return bin - 0.5 + (number - low) / (high - low);
}

// What is at a place.
export function numberAt(edges: number[], place: number): number {
  const bins = edges.length - 1;
  const bin = Math.min(bins - 1, Math.max(0, Math.floor(place + 0.5)));
  const share = Math.min(1, Math.max(0, place + 0.5 - bin));
  return at(edges, bin) + share * (at(edges, bin + 1) - at(edges, bin));
}

// Whether the bins are equally wide; the last may be narrower, where neighbours were joined.
export function isEven(edges: number[]): boolean {
  const width = at(edges, 1) - at(edges, 0);
  const slack = 1e-9 * (at(edges, edges.length - 1) - at(edges, 0));
  return edges.every((edge, i) => {
    const next = edges[i + 1];
    if (next === undefined) return true;
    const wider = next - edge - width;
    return wider <= slack && (i === edges.length - 2 || wider >= -slack);
  });
}

export interface Tick {
  place: number;
  text: string;
}

// About so many at most, of the part from place `min` to `max`: round numbers, or where bins are uneven some of the
// edges, to three digits.
export function ticks(edges: number[], min: number, max: number, most: number): Tick[] {
  if (isEven(edges)) return roundTicks(edges, min, max, most);
  const first = Math.max(0, Math.ceil(min + 0.5));
  const last = Math.min(edges.length - 1, Math.floor(max + 0.5));
  const step = Math.ceil((last - first + 1) / Math.max(1, most));
  const found: Tick[] = [];
  for (let edge = Math.ceil(first / step) * step; edge <= last; edge += step) {
    const rounded = Number(at(edges, edge).toPrecision(3));
    found.push({ place: edge - 0.5, text: plain(rounded) });
  }
  return found;
}

function roundTicks(edges: number[], min: number, max: number, most: number): Tick[] {
  const [from, to] = [numberAt(edges, min), numberAt(edges, max)];
  const step = roundStep((to - from) / Math.max(1, most));
  const decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found: Tick[] = [];
  const slack = (to - from) * 1e-9;
  for (let i = Math.ceil((from - slack) / step); i * step <= to + slack; ++i) {
    const number = Number((i * step).toPrecision(12));
    const text = decimals > 9 ? plain(number) : decimal(number, decimals);
    found.push({ place: placeOf(edges, number), text });
  }
  return found;
}

// The least 1, 2 or 5 times a power of ten that is not below.
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const steps = [1, 2, 5, 10].map((digit) => digit * power);
  return steps.find((step) => step >= least * (1 - 1e-9)) ?? least;
}

// Each edge to three digits of the narrowest bin's width, and two decimals at least, without zeros at the end.
export function edgeWords(edges: number[]): string[] {
  const widths = edges.slice(1).map((edge, i) => edge - at(edges, i));
  const narrowest = widths.reduce((a, b) => Math.min(a, b), Infinity);
  const decimals = Math.max(2, decimalsFor(narrowest, 3));
  return edges.map((edge) => {
    return narrowest < 1e-7 ? plain(edge) : plain(Number(edge.toFixed(decimals)));
  });
}

// "0 to 100"
export function rangeWords(low: number, high: number): string {
  return `${plain(low)} to ${plain(high)}`;
}

// With the decimals that it has, or an exponent where these are many.
function plain(number: number): string {
  const text = String(number);
  if (text.includes("e") || Math.abs(number) >= 1e15) return text.replace(/^-/, "−");
  return decimal(number, (text.split(".")[1] ?? "").length);
}

// "12.5 to 25" for each bin.
export function binWords(edges: number[]): string[] {
  const words = edgeWords(edges);
  return words.slice(1).map((high, i) => `${words[i] ?? ""} to ${high}`);
}
