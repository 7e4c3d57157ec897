// What is chosen about a stream, how it stands in the address, and how it is asked for.
import type { Query } from "../api";
import type { TaskDetail } from "../api_types";
import { mostLines } from "../charts/over_time";
import { type AnswerChoices, answerQuery, oneOf, viewOf, wholeOf } from "./answer_choices";
import { type Choices, choicesFrom, leastSquaresWays, shareWays, type Ways, usual } from "./choices";
import { histogramQuery } from "./histogram_answer";

// What each period's number is about: all from the first period on, or the period by itself.
export type Over = "totals" | "single";
export type Unit = "share" | "count";

export interface StreamChoices extends Choices {
  over: Over;
  unit: Unit;
  // So many of the largest values have a line, unless some are named.
  lines: number;
  // Names, apart by commas.
  named: string;
  // The period whose histogram is shown; 0: the last.
  at: number;
}

// Estimates of totals are differences and sums: they have no counts of messages to be likely by.
export const streamWays: Ways = leastSquaresWays;

export function isOfNumbers(task: TaskDetail): boolean {
  return task.stream?.of === "number";
}

// Shares of sets and of key-value pairs do not sum to 100 %.
export function waysOf(task: TaskDetail): Ways {
  return task.stream?.of === "set" || task.stream?.of === "key_value" ? shareWays : streamWays;
}

const usualStream = { over: "totals", unit: "share", lines: 5, named: "", at: 0 } as const;

export function streamChoicesFrom(view: URLSearchParams, ways = streamWays): StreamChoices {
  const periods = oneOf(view, "periods", ["all", "between"] as const, "all");
  return {
    ...choicesFrom(view, ways),
    periods,
    over: oneOf<Over>(view, "over", ["totals", "single"], usualStream.over),
    unit: oneOf<Unit>(view, "unit", ["share", "count"], usualStream.unit),
    lines: Math.min(mostLines, wholeOf(view, "lines", usualStream.lines)),
    named: view.get("named") ?? "",
    at: wholeOf(view, "at", usualStream.at),
  };
}

export function streamView(choices: StreamChoices, ways = streamWays): Record<string, string> {
  const postprocess = ways[0]?.[0] ?? "";
  return viewOf(choices, { ...usual, postprocess, ...usualStream } as StreamChoices);
}

// The names, each once; at most as many as there are colours.
export function namesOf({ named }: StreamChoices): string[] {
  const names = named.split(",").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))].slice(0, mostLines);
}

// A number for every period, of the values that have a line.
export function seriesQuery(choices: StreamChoices): Query {
  const names = namesOf(choices);
  return { ...seriesFileQuery(choices), ...(names.length > 0 ? { value: names } : { top: choices.lines }) };
}

// The same of all values.
export function seriesFileQuery({ over }: StreamChoices): Query {
  return { series: "true", ...(over === "single" ? { single: "true" } : {}) };
}

// Of numbers, which have no values: the mean and the median of each.
export function numbersQuery(choices: StreamChoices): Query {
  return { ...seriesFileQuery(choices), quantiles: "0.5", bins: 1 };
}

// All values of one period, or of the total from the range's first period up to it.
export function periodQuery(choices: StreamChoices, task: TaskDetail, period: number): Query {
  const common = { ...answerQuery(everyPeriod(choices)), ...histogramQuery(task, choices) };
  if (choices.over === "single") return { ...common, period };
  if (choices.periods === "all" || choices.since === "") return { ...common, at: period };
  return { ...common, since: choices.since, until: endOf(task, period) };
}

function everyPeriod(choices: StreamChoices): AnswerChoices {
  return { ...choices, periods: "all" };
}

// When a period begins and ends, as 2026-11-17T13:26:00Z.
export function beginOf({ begins, interval_seconds: length }: PeriodTimes, period: number): string {
  return moment(new Date(begins).getTime() + (period - 1) * length * 1000);
}

export function endOf(task: PeriodTimes & Pick<TaskDetail, "ends">, period: number): string {
  const end = new Date(beginOf(task, period + 1)).getTime();
  return moment(Math.min(end, new Date(task.ends).getTime()));
}

export type PeriodTimes = Pick<TaskDetail, "begins" | "interval_seconds">;

function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
