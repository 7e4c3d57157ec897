// What was rejected, what looks wrong, and how far dishonest devices could have moved a bin.
import type { Answer } from "../api_types";
import { el } from "../dom";
import { count, percent, decimalsFor } from "../format";
import { definitions, section } from "../parts";
import { causes } from "./causes";

export function qualitySection(answer: Answer): HTMLElement {
  const { quality, rejected_by_cause: byCause } = answer;
  const shift = quality.shift_per_dishonest;
  return section(
    "Quality",
    quality.warnings.length === 0
      ? el("p", { class: "fine" }, "No warning: what came looks like what honest devices send.")
      : el(
          "ul",
          { class: "warnings" },
          ...quality.warnings.map((warning) =>
            el("li", {}, el("strong", {}, warning.kind), ` ${warning.text}`),
          ),
        ),
    definitions([
      ["Reports counted", count(answer.reports)],
      ["Messages", count(answer.messages)],
      ["The shuffler's own fakes", count(answer.fakes)],
      ["Rejected", count(answer.rejected)],
      ...causes.map(([cause, word]): [string, string] => [`– ${word}`, count(byCause[cause])]),
      ["Duplicates", count(quality.duplicates)],
      ["One dishonest device can move a bin by", percent(shift, decimalsFor(shift * 100))],
      ...(quality.dishonest > 0
        ? [
            [
              `${count(quality.dishonest)} of them (the share allowed for)`,
              percent(
                quality.shift_at_dishonest_share,
                decimalsFor(quality.shift_at_dishonest_share * 100),
              ),
            ] as [string, string],
          ]
        : []),
    ]),
  );
}
