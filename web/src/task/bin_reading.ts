// What a chart of shares says of one of its bins.
import { at, type Bins, type Shown } from "../bins";
import type { Reading } from "../charts/frame";
import { decimalsFor, percent, withError } from "../format";

export function binReading(bins: Bins, row: number, shown: Shown): Reading {
  const half = (at(bins.high, row) - at(bins.low, row)) / 2;
  const decimals = decimalsFor(half * 100);
  const raw = `raw ${withError(at(bins.raw, row), half)}`;
  return {
    title: bins.labels[row] ?? "",
    lines: shown === "raw" ? [raw] : [percent(at(bins.frequency, row), decimals), raw],
  };
}
