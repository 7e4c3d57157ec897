// Means of keys in words.
import { estimateCells } from "./estimates";

// NaN throughout where too few devices hold the key.
export interface Mean {
  mean: number;
  low: number;
  high: number;
}

const noMean = "too few holders";

// "0.253 ± 0.012": to as many decimals as the interval has.
export function meanWords(mean: Mean): string {
  const [value, half] = meanCells(mean);
  return half === "–" ? value : `${value} ± ${half}`;
}

// The mean, half the width of its interval, and the interval.
export function meanCells(mean: Mean): [string, string, string] {
  if (Number.isNaN(mean.mean)) return [noMean, "–", "–"];
  return estimateCells({ value: mean.mean, low: mean.low, high: mean.high });
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
