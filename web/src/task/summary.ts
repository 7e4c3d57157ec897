// The few numbers that say how good an answer is.
import type { Answer, Periods } from "../api_types";
import { el } from "../dom";
import { atMost, atMostShort, count, counted } from "../format";
import { overSubmissions } from "../guarantee";
import { figure } from "../parts";

// ", periods 1 to 6, 1 missing"; nothing where a task has none.
export function periodWords(periods: Periods | null): string {
  if (periods === null) return "";
  const which =
    periods.first === periods.last
      ? `period ${count(periods.first)}`
      : `periods ${count(periods.first)} to ${count(periods.last)}`;
  return `, ${which}${periods.missing === 0 ? "" : `, ${count(periods.missing)} missing`}`;
}

// `ofKind`: those of the answer's body.
export function summaryFigures(answer: Answer, ofKind: HTMLElement[]): HTMLElement {
  const { guarantee, periods, quality } = answer;
  return el(
    "dl",
    { class: "figures" },
    figure(
      "Reports",
      count(answer.reports),
      `in ${counted(guarantee.batches, "batch", "batches")}${periodWords(periods)}`,
    ),
    ...ofKind,
    figure(
      "Epsilon",
      guarantee.epsilon === null ? "none" : atMost(guarantee.epsilon),
      `delta ${atMostShort(guarantee.delta)}, ` +
        overSubmissions(guarantee.submissions_per_device, periods),
    ),
    figure(
      "Rejected",
      count(answer.rejected),
      quality.warnings.length > 0
        ? counted(quality.warnings.length, "warning", "warnings")
        : "no warning",
    ),
  );
}
