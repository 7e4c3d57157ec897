// Numbers with their intervals, in words.
import { decimal, decimalsFor } from "../format";

// What of an estimate is shown; the interval need not have the value in its middle.
export interface Interval {
  value: number;
  low: number;
  high: number;
}

// Half the width of the interval as if both sides were like the wider one.
export function halfOf({ value, low, high }: Interval): number {
  return Math.max(high - value, value - low);
}

// The value, half the width of its interval, which is that of the wider side, and the interval: the half to two
// digits, the others to as many places. What is known has no interval.
export function estimateCells(estimate: Interval): [string, string, string] {
  const { value, low, high } = estimate;
  const half = halfOf(estimate);
  if (!(half > 0)) return [exact(value), "0", "known"];
  const words = writer(estimate, half);
  return [words(value), words(half), `${words(low)} to ${words(high)}`];
}

// "41.27 ± 0.31", or a number that is known.
export function estimateWords(estimate: Interval): string {
  const [value, half, interval] = estimateCells(estimate);
  return interval === "known" ? value : `${value} ± ${half}`;
}

// How the numbers of an estimate are written; with an exponent where decimals would be too many.
function writer({ value, low, high }: Interval, half: number): (number: number) => string {
  const largest = Math.max(...[value, low, high].map(Math.abs));
  if (half >= 1e-8 && largest < 1e15) {
    const decimals = decimalsFor(half);
    const tens = half < 100 ? 1 : 10 ** (Math.floor(Math.log10(half)) - 1);
    return (number) => decimal(tens === 1 ? number : Math.round(number / tens) * tens, decimals);
  }
  const digits = Math.min(15, Math.max(2, Math.ceil(Math.log10(largest / half)) + 2));
  return (number) => String(Number(number.toPrecision(digits))).replace(/^-/, "−");
}

function exact(value: number): string {
  return Number.isSafeInteger(value) ? decimal(value, 0) : String(value).replace(/^-/, "−");
}

export function scaled({ value, low, high }: Interval, factor: number): Interval {
  return { value: value * factor, low: low * factor, high: high * factor };
}

// A share in percent: "24.61 % ± 0.28".
export function shareWords(share: Interval): string {
  const [value, half, interval] = estimateCells(scaled(share, 100));
  return interval === "known" ? `${value} %` : `${value} % ± ${half}`;
}
