// What is chosen about the distribution of numbers, how it stands in the address, and how it is asked for.
import type { Query } from "../api";
import type { Numbers } from "../api_types";
import { rangeWords } from "../edges";
import { type AnswerChoices, answerChoicesFrom, usualAnswer, viewOf } from "./answer_choices";
import type { Ways } from "./choices";

export interface NumberChoices extends AnswerChoices {
  // The most bins of the chart; 0: all that there are.
  bins: number;
  // Shares of devices in percent, ascending: "5,25,50,75,95".
  quantiles: string;
  // The ends of a range as they were entered; empty: the end of the task's range, and both: no range.
  from: string;
  to: string;
}

export const usualQuantiles = "5,25,50,75,95";
const mostQuantiles = 1000;
const usualBins = 64;
const mostBins = 100_000;

// Numbers of bins to choose from, ascending, the task's own last if a page can show it: such that equally many
// neighbours make one where that is nearly the number that is wanted.
export function resolutions(bins: number): number[] {
  const found = new Set<number>();
  for (let power = 10; power < Math.min(bins, mostBins); power *= 10) {
    for (const wanted of [power, 2 * power, 5 * power]) {
      if (wanted < Math.min(bins, mostBins)) found.add(joined(bins, wanted));
    }
  }
  if (bins <= mostBins) found.add(bins);
  return [...found].sort((a, b) => a - b);
}

// Of the numbers within half as many and half as many again, the nearest that divides evenly; else what comes out
// where the last bin is narrower.
function joined(bins: number, wanted: number): number {
  let nearest = 0;
  for (let join = Math.ceil(bins / (wanted * 1.5)); join <= (bins * 1.5) / wanted; ++join) {
    if (bins % join !== 0) continue;
    const one = bins / join;
    const distance = (number: number) => Math.abs(Math.log(number / wanted));
    if (nearest === 0 || distance(one) < distance(nearest)) nearest = one;
  }
  return nearest > 0 ? nearest : Math.ceil(bins / Math.ceil(bins / wanted));
}

function usualResolution(bins: number): number {
  const few = resolutions(bins).filter((number) => number <= usualBins);
  return few[few.length - 1] ?? bins;
}

// Percentages as they are typed, in the order of size and each once; null where they are none or too many.
export function percentages(text: string): number[] | null {
  const words = text.split(/[\s,;%]+/).filter((word) => word !== "");
  const numbers = words.map(Number);
  if (numbers.length === 0 || numbers.length > mostQuantiles) return null;
  if (numbers.some((number) => !(number >= 0 && number <= 100))) return null;
  return [...new Set(numbers)].sort((a, b) => a - b);
}

export function numberChoicesFrom(
  view: URLSearchParams,
  numbers: Numbers,
  ways: Ways,
): NumberChoices {
  const bins = Number(view.get("bins") ?? Number.NaN);
  const quantiles = percentages(view.get("quantiles") ?? usualQuantiles);
  return {
    ...answerChoicesFrom(view, ways),
    bins: resolutions(numbers.bins).includes(bins) ? bins : usualResolution(numbers.bins),
    quantiles: quantiles?.join(",") ?? usualQuantiles,
    from: view.get("from") ?? "",
    to: view.get("to") ?? "",
  };
}

export function numberView(
  choices: NumberChoices,
  numbers: Numbers,
  ways: Ways,
): Record<string, string> {
  return viewOf(choices, {
    ...usualAnswer,
    postprocess: ways[0]?.[0] ?? "",
    bins: usualResolution(numbers.bins),
    quantiles: usualQuantiles,
    from: "",
    to: "",
  });
}

// What is asked for the chart and the quantiles; nothing where there are neither.
export function numberQuery(choices: NumberChoices, numbers: Numbers): Query {
  if (numbers.dithered) return {};
  const fractions = (percentages(choices.quantiles) ?? []).map((share) =>
    Number((share / 100).toPrecision(12)),
  );
  return { quantiles: fractions.join(","), bins: choices.bins };
}

export interface Range {
  low: number;
  high: number;
}

// The range that is chosen, null if there is none, or what is wrong with it.
export function rangeOf({ from, to }: NumberChoices, numbers: Numbers): Range | string | null {
  if (from.trim() === "" && to.trim() === "") return null;
  const low = from.trim() === "" ? numbers.low : Number(from);
  const high = to.trim() === "" ? numbers.high : Number(to);
  if (!(low >= numbers.low && high <= numbers.high))
    return `Both ends have to be within ${rangeWords(numbers.low, numbers.high)}.`;
  if (!(low < high)) return `The range has to end above ${low}, where it begins.`;
  return { low, high };
}

// What is asked for a range: of its bins only as many as there must be.
export function rangeQuery({ low, high }: Range): Query {
  return { where: `${low}..${high}`, bins: 1 };
}
