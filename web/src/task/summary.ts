// The few numbers that say how good an answer is.
import type { Periods } from "../api_types";
import { at } from "../bins";
import { el } from "../dom";
import { atMost, atMostShort, count, counted, decimalsFor, percent } from "../format";
import { overSubmissions } from "../guarantee";
import { figure } from "../parts";
import { type Choices, levelOf } from "./choices";
import type { HistogramAnswer } from "./histogram_answer";

// ", periods 1 to 6, 1 missing"; nothing where a task has none.
export function periodWords(periods: Periods | null): string {
  if (periods === null) return "";
  const which =
    periods.first === periods.last
      ? `period ${count(periods.first)}`
      : `periods ${count(periods.first)} to ${count(periods.last)}`;
  return `, ${which}${periods.missing === 0 ? "" : `, ${count(periods.missing)} missing`}`;
}

export function summaryFigures(
  { histogram, bins }: HistogramAnswer,
  choices: Choices,
): HTMLElement {
  const { guarantee } = histogram;
  const halves = bins.low.map((low, row) => (at(bins.high, row) - low) / 2).sort();
  const typical = at(halves, halves.length >> 1);
  return el(
    "dl",
    { class: "figures" },
    figure(
      "Reports",
      count(histogram.reports),
      `in ${counted(guarantee.batches, "batch", "batches")}${periodWords(histogram.periods)}`,
    ),
    figure(
      "Typical error",
      `± ${percent(typical, decimalsFor(typical * 100))}`,
      "median over the bins",
    ),
    figure(
      "Error of any bin",
      `± ${atMostShort(histogram.max_error * 100)} %`,
      `at most, for all bins at once with ${levelOf(choices)} confidence`,
    ),
    figure(
      "Epsilon",
      guarantee.epsilon === null ? "none" : atMost(guarantee.epsilon),
      `delta ${atMostShort(guarantee.delta)}, ${overSubmissions(guarantee.submissions_per_device)}`,
    ),
    figure(
      "Rejected",
      count(histogram.rejected),
      histogram.quality.warnings.length > 0
        ? counted(histogram.quality.warnings.length, "warning", "warnings")
        : "no warning",
    ),
  );
}
