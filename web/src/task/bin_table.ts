// The bins as a table, a page at a time: the equal of the charts for those who do not see them.
import { at, type Bins, type Means } from "../bins";
import { count, decimalsFor, percent } from "../format";
import { table } from "../parts";
import { type AnswerChoices, levelOf } from "./answer_choices";
import { meanCells } from "./means";
import { pagedTable, pageRows } from "./paged_table";

// `caption`: what the rows are, such as "Bins of the histogram".
export function binTable(
  bins: Bins,
  rows: Int32Array,
  choices: AnswerChoices,
  caption: string,
): HTMLElement {
  const level = `± ${levelOf(choices)}`;
  const columns = [
    { title: bins.means === null ? "Value" : "Key" },
    { title: "Share", number: true },
    { title: "Raw", number: true },
    { title: level, number: true },
    { title: "Interval", number: true },
    ...(bins.means === null ? [] : meanColumns(level)),
  ];
  return pagedTable(rows.length, (first) =>
    table(
      `${caption}, ${count(first + 1)} and following`,
      columns,
      Array.from(rows.slice(first, first + pageRows), (row) => [
        ...shareCells(bins, row),
        ...(bins.means === null ? [] : cellsOfMean(bins.means, row)),
      ]),
    ),
  );
}

function shareCells(bins: Bins, row: number): string[] {
  const [low, high] = [at(bins.low, row), at(bins.high, row)];
  const decimals = decimalsFor(((high - low) / 2) * 100);
  return [
    bins.labels[row] ?? "",
    percent(at(bins.frequency, row), decimals),
    percent(at(bins.raw, row), decimals),
    (((high - low) / 2) * 100).toFixed(decimals),
    `${percent(low, decimals)} to ${percent(high, decimals)}`,
  ];
}

function meanColumns(level: string) {
  return ["Mean", `Mean ${level}`, "Interval of the mean"].map((title) => ({
    title,
    number: true,
  }));
}

function cellsOfMean(means: Means, row: number): string[] {
  return meanCells({ mean: at(means.mean, row), low: at(means.low, row), high: at(means.high, row) });
}
