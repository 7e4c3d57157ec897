// What is chosen about records, how it stands in the address, and how it is asked for.
import type { Query } from "../api";
import type { Attribute, RecordView, Records } from "../api_types";
import { type AnswerChoices, answerChoicesFrom, oneOf, usualAnswer, viewOf, wholeOf } from "./answer_choices";
import { percentages, usualQuantiles } from "./number_choices";

// What cells show.
export type Told = "count" | "avg" | "sum";

export interface RecordChoices extends AnswerChoices {
  // Which of the task's views, the first being 1.
  view: number;
  // The attributes of its cells, empty where there is none.
  by: string;
  and: string;
  told: Told;
  // Shares of records in percent, ascending.
  quantiles: string;
  // Conditions by attribute, as an address has them: "age=18..30&kind=food".
  where: string;
}

function usualOf({ attributes }: RecordView): Omit<RecordChoices, keyof AnswerChoices | "view"> {
  return {
    by: attributes[0] ?? "",
    and: attributes[1] ?? "",
    told: "count",
    quantiles: usualQuantiles,
    where: "",
  };
}

export function recordChoicesFrom(view: URLSearchParams, records: Records): RecordChoices {
  const place = Math.min(wholeOf(view, "view", 1), records.views.length);
  const choices: RecordChoices = {
    ...answerChoicesFrom(view, []),
    view: place,
    ...usualOf(records.views[place - 1] as RecordView),
  };
  choices.by = view.get("by") ?? choices.by;
  choices.and = view.get("and") ?? choices.and;
  choices.told = oneOf<Told>(view, "told", ["count", "avg", "sum"], choices.told);
  choices.quantiles = percentages(view.get("quantiles") ?? "")?.join(",") ?? choices.quantiles;
  choices.where = view.get("where") ?? choices.where;
  settle(choices, records);
  return choices;
}

// Only what differs from the usual of the view.
export function recordView(choices: RecordChoices, records: Records): Record<string, string> {
  const usual = usualOf(chosenView(choices, records));
  return viewOf(choices, { ...usualAnswer, postprocess: "", view: 1, ...usual });
}

export function chosenView({ view }: RecordChoices, records: Records): RecordView {
  return records.views[view - 1] as RecordView;
}

// Another view: with its own attributes, and what is said about those that it has in common with the last.
export function chooseView(choices: RecordChoices, view: number, records: Records): void {
  choices.view = view;
  const { by, and } = usualOf(chosenView(choices, records));
  Object.assign(choices, { by, and });
  settle(choices, records);
}

// Chooses what the view has in place of what it has not.
export function settle(choices: RecordChoices, records: Records): void {
  const { attributes, measure } = chosenView(choices, records);
  if (!attributes.includes(choices.by)) choices.by = attributes[0] ?? "";
  if (choices.and === choices.by || !attributes.includes(choices.and)) choices.and = "";
  if (measure === null) choices.told = "count";
}

// The condition on an attribute, empty if there is none.
export function conditionOn({ where }: RecordChoices, attribute: string): string {
  return new URLSearchParams(where).get(attribute) ?? "";
}

export function setCondition(choices: RecordChoices, attribute: string, text: string): void {
  const all = new URLSearchParams(choices.where);
  if (text.trim() === "") all.delete(attribute);
  else all.set(attribute, text.trim());
  choices.where = all.toString();
}

// The number whose quantiles can be read, if cells are those of one.
export function numberOf(choices: RecordChoices, records: Records): Attribute | null {
  if (choices.by === "" || choices.and !== "") return null;
  const attribute = records.attributes.find(({ name }) => name === choices.by);
  return attribute?.bins === undefined ? null : attribute;
}

export function recordQuery(choices: RecordChoices, records: Records): Query {
  const { attributes } = chosenView(choices, records);
  const query = cellsQuery(choices, records);
  if (numberOf(choices, records) !== null) {
    const shares = percentages(choices.quantiles) ?? [];
    query["quantiles"] = shares.map((share) => Number((share / 100).toPrecision(12))).join(",");
  }
  // A part of them is not tested: what is left may be independent where the whole is not.
  const whole = attributes.every(
    (name) => (name !== choices.by && name !== choices.and) || conditionOn(choices, name) === "",
  );
  if (choices.and !== "" && whole) query["independence"] = "true";
  return query;
}

// The cells and nothing beside them, which is what a file has.
export function cellsQuery(choices: RecordChoices, records: Records): Query {
  const { attributes, measure } = chosenView(choices, records);
  const query: Query = {};
  const by = [choices.by, choices.and].filter((name) => name !== "");
  if (by.length > 0) query["by"] = by.join(",");
  if (measure !== null) query["measure"] = measure;
  const where = attributes
    .filter((name) => conditionOn(choices, name) !== "")
    .map((name) => `${name}=${conditionOn(choices, name)}`);
  if (where.length > 0) query["where"] = where;
  return query;
}
