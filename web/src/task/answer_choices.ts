// What is chosen about an answer of any kind, how it stands in the address, and how it is asked for.
import type { Query } from "../api";

export type Which = "all" | "one" | "between";

export interface AnswerChoices {
  postprocess: string;
  confidence: string;
  // Of a task with periods: all; `period` alone; or those that begin from `since` on and before `until`,
  // times such as 2026-11-17T13:26:00Z, empty where there is no such bound.
  periods: Which;
  period: number;
  since: string;
  until: string;
}

// But for `postprocess`, which is the kind's, and empty where there are no shares.
export const usualAnswer: Omit<AnswerChoices, "postprocess"> = {
  confidence: "0.95",
  periods: "all",
  period: 1,
  since: "",
  until: "",
};

export const confidences: [string, string][] = [
  ["0.8", "80 %"],
  ["0.9", "90 %"],
  ["0.95", "95 %"],
  ["0.99", "99 %"],
  ["0.999", "99.9 %"],
];

// "95 %".
export function levelOf(choices: AnswerChoices): string {
  return `${Number((Number(choices.confidence) * 100).toPrecision(4))} %`;
}

// One of the words, or the usual one.
export function oneOf<T extends string>(
  view: URLSearchParams,
  name: string,
  allowed: readonly T[],
  otherwise: T,
): T {
  const value = view.get(name);
  return allowed.find((word) => word === value) ?? otherwise;
}

// A whole number from 1 on, or the usual one.
export function wholeOf(view: URLSearchParams, name: string, otherwise: number): number {
  const value = Number(view.get(name) ?? NaN);
  return Number.isSafeInteger(value) && value > 0 ? value : otherwise;
}

export function answerChoicesFrom(
  view: URLSearchParams,
  postprocesses: [string, string][],
): AnswerChoices {
  const keys = postprocesses.map(([key]) => key);
  return {
    postprocess: oneOf(view, "postprocess", keys, keys[0] ?? ""),
    confidence: oneOf(
      view,
      "confidence",
      confidences.map(([key]) => key),
      usualAnswer.confidence,
    ),
    periods: oneOf<Which>(view, "periods", ["all", "one", "between"], usualAnswer.periods),
    period: wholeOf(view, "period", usualAnswer.period),
    since: momentOf(view.get("since") ?? ""),
    until: momentOf(view.get("until") ?? ""),
  };
}

// Only what differs from the usual.
export function viewOf<Chosen extends object>(choices: Chosen, usual: Chosen): Record<string, string> {
  const view: Record<string, string> = {};
  for (const key of Object.keys(usual) as (keyof Chosen & string)[]) {
    if (choices[key] !== usual[key]) view[key] = String(choices[key]);
  }
  return view;
}

// What of a question every kind has in common.
export function answerQuery(choices: AnswerChoices): Query {
  const query: Query = { confidence: choices.confidence };
  if (choices.postprocess !== "") query["postprocess"] = choices.postprocess;
  if (choices.periods === "one") query["period"] = choices.period;
  if (choices.periods === "between") {
    if (choices.since !== "") query["since"] = choices.since;
    if (choices.until !== "") query["until"] = choices.until;
  }
  return query;
}

// A moment as a field for date and time has it, in UTC, or as the address has it: 2026-11-17T13:26:00Z;
// empty where it is none.
export function momentOf(text: string): string {
  const at = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) ? `${text}Z` : text);
  return text === "" || Number.isNaN(at.getTime()) ? "" : `${at.toISOString().slice(0, 19)}Z`;
}
