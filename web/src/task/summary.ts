// The few numbers that say how good an answer is.
import { at } from "../bins";
import { el } from "../dom";
import { atMost, count, counted, decimalsFor, percent, short } from "../format";
import { figure } from "../parts";
import type { Answer } from "./answer";

export function summaryFigures({ histogram, bins }: Answer): HTMLElement {
  const { guarantee } = histogram;
  const halves = bins.low.map((low, row) => (at(bins.high, row) - low) / 2).sort();
  const typical = at(halves, halves.length >> 1);
  return el(
    "dl",
    { class: "figures" },
    figure(
      "Reports",
      count(histogram.reports),
      `in ${counted(guarantee.batches, "batch", "batches")}`,
    ),
    figure(
      "Typical error",
      `± ${percent(typical, decimalsFor(typical * 100))}`,
      "median over the bins",
    ),
    figure("Epsilon", atMost(guarantee.epsilon), `delta ${short(guarantee.delta)}`),
    figure(
      "Rejected",
      count(histogram.rejected),
      histogram.quality.warnings.length > 0
        ? counted(histogram.quality.warnings.length, "warning", "warnings")
        : "no warning",
    ),
  );
}
