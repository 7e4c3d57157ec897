// What to know about the mean of numbers and about ranges, in words.
import type { Distribution, NumberBin } from "../api_types";
import { atMost, count } from "../format";
import { estimateCells, type Interval } from "./estimates";

export const tooFew = "too few devices";

// One more than there are bins.
export function edgesOf(bins: NumberBin[]): number[] {
  const last = bins[bins.length - 1];
  return [...bins.map((bin) => bin.low_edge), ...(last === undefined ? [] : [last.high_edge])];
}

// "40.96 to 41.58 (95 %)", or that there is no error.
export function intervalWords(estimate: Interval, level: string): string {
  const interval = estimateCells(estimate)[2];
  return interval === "known" ? "known without an error" : `${interval} (${level})`;
}

// How far the mean may be off beside its interval; empty if not at all.
export function spreadWords({ spread, mean }: Pick<Distribution, "spread" | "mean">): string {
  if (mean === null || !(spread > 0)) return "";
  return (
    `The mean is computed as if every number lay in the middle of its bin. It may be off by up to ` +
    `${atMost(spread)} by that, beside its interval, and the sum by as much for each device.`
  );
}

// What of a range is a guess; empty if nothing.
export function partialWords({ partial }: Pick<Distribution, "partial">): string {
  if (!(partial > 0)) return "";
  return (
    `The range ends inside a bin. About ${count(partial)} devices are in the bins that it cuts, and how many of them are ` +
    `in the range is a guess, as if their numbers were spread evenly. A range from edge to edge needs no guess.`
  );
}

// The quantiles that came, by their share of devices.
export function quantilesOf({ quantiles }: Pick<Distribution, "quantiles">): Quantile[] {
  return Object.entries(quantiles)
    .flatMap(([fraction, estimate]) =>
      estimate === null ? [] : [{ fraction: Number(fraction), estimate }],
    )
    .sort((a, b) => a.fraction - b.fraction);
}

export interface Quantile {
  fraction: number;
  estimate: Interval;
}

// "5 %", "99.9 %"
export function fractionWords(fraction: number): string {
  return `${Number((fraction * 100).toPrecision(12))} %`;
}
