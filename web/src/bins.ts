// The bins of an answer by columns, and the rows of them that are shown.
import type { Bin, KeyBin } from "./api_types";

export interface Bins {
  labels: string[];
  frequency: Float64Array;
  raw: Float64Array;
  low: Float64Array;
  high: Float64Array;
  // Of keys.
  means: Means | null;
}

// NaN where there is none.
export interface Means {
  mean: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

export type Order = "frequency" | "natural";
// The number that bars, order and top go by: `both` and `processed` take `frequency`.
export type Shown = "both" | "processed" | "raw";

export interface Choice {
  order: Order;
  // 0: all
  top: number;
  search: string;
  shown: Shown;
}

export function toBins(rows: Bin[]): Bins {
  const column = () => new Float64Array(rows.length);
  const bins = {
    labels: new Array<string>(rows.length),
    frequency: column(),
    raw: column(),
    low: column(),
    high: column(),
    means: null,
  };
  for (const [row, bin] of rows.entries()) {
    bins.labels[row] = String(bin.value);
    bins.frequency[row] = bin.frequency;
    bins.raw[row] = bin.raw;
    bins.low[row] = bin.low;
    bins.high[row] = bin.high;
  }
  return bins;
}

// The same of keys.
export function toKeyBins(rows: KeyBin[]): Bins & { means: Means } {
  const column = (name: "mean" | "mean_low" | "mean_high") =>
    Float64Array.from(rows, (row) => row[name] ?? Number.NaN);
  const means = { mean: column("mean"), low: column("mean_low"), high: column("mean_high") };
  return { ...toBins(rows), means };
}

export function shownColumn(bins: Bins, shown: Shown): Float64Array {
  return shown === "raw" ? bins.raw : bins.frequency;
}

// Rows of `bins` in the order in which they are shown. Those that are equal stay in natural order, and
// equal frequencies (post-processing makes many zeros) are ordered by the raw estimate.
export function chooseRows(bins: Bins, choice: Choice): Int32Array {
  const term = choice.search.trim().toLowerCase();
  let rows = new Int32Array(bins.labels.length).map((_, row) => row);
  if (term !== "") {
    rows = rows.filter((row) => (bins.labels[row] ?? "").toLowerCase().includes(term));
  }
  const size = shownColumn(bins, choice.shown);
  const larger = (a: number, b: number) =>
    at(size, b) - at(size, a) || at(bins.raw, b) - at(bins.raw, a) || a - b;
  if (choice.top > 0 || choice.order === "frequency") rows.sort(larger);
  if (choice.top > 0) rows = rows.slice(0, choice.top);
  if (choice.top > 0 && choice.order === "natural") rows.sort();
  return rows;
}

// A column in the order of the rows.
export function pick(column: Float64Array, rows: Int32Array): Float64Array {
  return new Float64Array(rows.length).map((_, i) => at(column, at(rows, i)));
}

export function at(column: ArrayLike<number>, row: number): number {
  return column[row] ?? Number.NaN;
}
