// What is chosen about a histogram or other shares, and how it stands in the address.
import type { Choice, Order, Shown } from "../bins";
import {
  type AnswerChoices,
  answerChoicesFrom,
  oneOf,
  usualAnswer,
  viewOf,
  wholeOf,
} from "./answer_choices";

export interface Choices extends Choice, AnswerChoices {}

// Each way of post-processing with what it does to the raw estimates; the usual one first.
export type Ways = [string, string][];

// Of a histogram.
export const usual: Choices = {
  order: "frequency",
  top: 0,
  search: "",
  shown: "both",
  postprocess: "pop",
  ...usualAnswer,
};

export const postprocesses: Ways = [
  ["pop", "the nearest shares that are not negative and sum to 100 %"],
  ["norm_sub", "what could be noise alone becomes 0, the rest is made to sum to 100 %"],
  ["base_cut", "what could be noise alone becomes 0, the rest stays"],
  ["em", "the most likely shares"],
  ["none", "the raw estimates as they are"],
];

// Of shares by least squares, which have no counts of their own.
export const leastSquaresWays: Ways = postprocesses.filter(([way]) => way !== "em");

// Of shares that need not sum to 100 %.
export const shareWays: Ways = [
  ["clip", "each for itself brought into 0 % to 100 %"],
  ["base_cut", "what could be noise alone becomes 0, the rest is at most 100 %"],
  ["none", "the raw estimates as they are"],
];

export function choicesFrom(view: URLSearchParams, ways = postprocesses): Choices {
  return {
    order: oneOf<Order>(view, "order", ["frequency", "natural"], usual.order),
    top: wholeOf(view, "top", usual.top),
    search: view.get("search") ?? "",
    shown: oneOf<Shown>(view, "shown", ["both", "processed", "raw"], usual.shown),
    ...answerChoicesFrom(view, ways),
  };
}

export function toView(choices: Choices, ways = postprocesses): Record<string, string> {
  return viewOf(choices, { ...usual, postprocess: ways[0]?.[0] ?? "" });
}
