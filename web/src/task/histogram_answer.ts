// Which part of a large domain the page asks for.
import type { Query } from "../api";
import type { TaskDetail } from "../api_types";
import type { Choices } from "./choices";

// Above so many values the page asks for the largest bins only.
export const mostBins = 100_000;
export const askedBins = 2000;

export function isLarge(task: TaskDetail): boolean {
  return task.domain > mostBins;
}

// Whether the server searches: it finds a value by its whole name.
export function serverSearches(task: TaskDetail, choices: Choices): boolean {
  return isLarge(task) && choices.search.trim() !== "";
}

// What is asked of a kind with a row for each value, beside what every kind is.
export function histogramQuery(task: TaskDetail, choices: Choices): Query {
  const query: Query = {};
  if (serverSearches(task, choices)) query["value"] = choices.search.trim();
  else if (isLarge(task)) query["top"] = Math.max(askedBins, Math.min(choices.top, mostBins));
  return query;
}
