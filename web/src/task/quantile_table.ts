// The numbers below which so large a share of the devices is.
import type { Distribution } from "../api_types";
import { count } from "../format";
import { table } from "../parts";
import { type AnswerChoices, levelOf } from "./answer_choices";
import { estimateCells, estimateWords } from "./estimates";
import { fractionWords, quantilesOf } from "./number_words";
import { pagedTable, pageRows } from "./paged_table";

// `whose`: of what they are shares.
export function quantileTable(
  answer: Pick<Distribution, "quantiles">,
  choices: AnswerChoices,
  whose = "Devices",
): HTMLElement {
  const rows = quantilesOf(answer).map(({ fraction, estimate }) => [
    `${fractionWords(fraction)}${names.get(fraction) ?? ""}`,
    estimateWords(estimate),
    estimateCells(estimate)[2],
  ]);
  return pagedTable(rows.length, (first) =>
    table(
      `Quantiles, ${count(first + 1)} and following`,
      [
        { title: `${whose} below` },
        { title: "Number", number: true },
        { title: `${levelOf(choices)} interval`, number: true },
      ],
      rows.slice(first, first + pageRows),
    ),
  );
}

const names = new Map([
  [0.25, ", lower quartile"],
  [0.5, ", median"],
  [0.75, ", upper quartile"],
]);
