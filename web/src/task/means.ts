// Means of keys in words.
import { decimalsFor } from "../format";

// NaN throughout where too few devices hold the key.
export interface Mean {
  mean: number;
  low: number;
  high: number;
}

const noMean = "too few holders";

// To so many decimals, with a minus, but zero has none.
function plain(value: number, decimals: number): string {
  return value
    .toFixed(decimals)
    .replace("-", "−")
    .replace(/^−(0(\.0*)?)$/, "$1");
}

// The interval ends where the task's range does, so that the mean need not be in its middle.
function halfOf({ mean, low, high }: Mean): number {
  return Math.max(high - mean, mean - low);
}

// "0.253 ± 0.012": to as many decimals as the interval has.
export function meanWords(mean: Mean): string {
  const [value, half] = meanCells(mean);
  return half === "–" ? value : `${value} ± ${half}`;
}

// The mean, half the width of its interval, and the interval.
export function meanCells(mean: Mean): [string, string, string] {
  if (Number.isNaN(mean.mean)) return [noMean, "–", "–"];
  const half = halfOf(mean);
  const decimals = decimalsFor(half);
  return [
    plain(mean.mean, decimals),
    half.toFixed(decimals),
    `${plain(mean.low, decimals)} to ${plain(mean.high, decimals)}`,
  ];
}

// What the chart of means shows: all intervals and a little room; where there is no mean at all, from 0 to 1.
export function meanRange(low: Float64Array, high: Float64Array): [number, number] {
  const [known, other] = [low, high].map((column) => column.filter((end) => !Number.isNaN(end)));
  if (known === undefined || other === undefined || known.length === 0) return [0, 1];
  const least = known.reduce((a, b) => Math.min(a, b));
  const most = other.reduce((a, b) => Math.max(a, b));
  const room = (most - least) * 0.05 || Math.abs(most) * 0.05 || 0.05;
  return [least - room, most + room];
}
