// Answers about records in words.
import type { Aggregates, Independence, RecordCell, RecordView } from "../api_types";
import { count, short } from "../format";
import { estimateWords } from "./estimates";
import type { Told } from "./record_choices";

export function viewWords({ attributes, measure }: RecordView): string {
  const of = attributes.length === 0 ? "all records" : attributes.join(" by ");
  return measure === null ? of : `${of}, with ${measure}`;
}

// "Records", "Average amount".
export function toldWords(told: Told, measure: string | null): string {
  if (told === "count" || measure === null) return "Records";
  return told === "avg" ? `Average ${measure}` : `Sum of ${measure}`;
}

// What is said of one cell, in lines.
export function cellLines(cell: RecordCell | null, measure: string | null): string[] {
  if (cell === null) return ["not among the answer's cells"];
  const lines = [`records: ${estimateWords(cell.count)}`];
  if (measure === null) return lines;
  const words = (name: string, estimate: RecordCell["avg"]) =>
    `${name} ${measure}: ${estimate === null ? "too few records" : estimateWords(estimate)}`;
  return [...lines, words("average", cell.avg), words("sum of", cell.sum)];
}

export function partialWords(partial: number): string {
  if (!(partial > 0)) return "";
  return (
    `The conditions cut cells in which about ${count(partial)} records are: how many of them meet these is a guess, ` +
    `as if they were spread evenly.`
  );
}

const surely = 0.01;
const perhaps = 0.1;

// What a test says, and what it takes for granted where devices may have `several` records. A probability below
// what a chi-square's tail is computed to is not told as 0.
export function independenceWords(
  { statistic, degrees_of_freedom, p_value }: Independence,
  by: Aggregates["by"],
  several: boolean,
): string {
  const both = by.join(" and ");
  const p = p_value < 1e-12 ? "below 1e-12" : short(p_value, 2);
  const verdict =
    p_value < surely
      ? `${both} depend on each other.`
      : p_value < perhaps
        ? `${both} may depend on each other.`
        : `nothing speaks against ${both} being independent.`;
  return (
    `Test of independence: ${verdict} Chi-square ${short(statistic, 4)} with ${count(degrees_of_freedom)} degrees of ` +
    `freedom, p-value ${p}; noise is allowed for` +
    (several ? ", and a device's records are taken to be as independent as those of several." : ".")
  );
}
