// Records: how many there are, sums and averages, and the cells of one of the task's views.
import type { Query } from "../api";
import type { Aggregates, Answer, RecordCell, Records, RecordView, TaskDetail } from "../api_types";
import { el, fill } from "../dom";
import { count } from "../format";
import { choice, field, figure, table } from "../parts";
import {
  type AnswerChoices,
  answerChoicesFrom,
  levelOf,
  usualAnswer,
  viewOf,
  wholeOf,
} from "./answer_choices";
import type { Ways } from "./choices";
import { estimateFigure } from "./estimate_figure";
import { estimateCells, estimateWords } from "./estimates";
import type { KindBody } from "./kinds";
import { intervalWords } from "./number_words";
import { pagedTable, pageRows } from "./paged_table";

interface RecordChoices extends AnswerChoices {
  // Which of the task's views, the first being 1.
  view: number;
  // A condition, such as age=18..30; empty: none.
  where: string;
}

const usual = { view: 1, where: "" };

export class RecordsBody implements KindBody {
  readonly title = "Records";
  readonly what = "the records";
  readonly rows = "cells";
  // Counts are shown as they were estimated.
  readonly postprocesses: Ways = [];
  readonly choices: RecordChoices;
  readonly fields: HTMLElement[];
  readonly asksAgain = true;
  private readonly records: Records;
  private taken: Aggregates | null = null;

  constructor(task: TaskDetail, view: URLSearchParams, changed: () => void, signal: AbortSignal) {
    if (task.records === null) throw new Error("a task of records that does not say which");
    this.records = task.records;
    const last = this.records.views.length;
    this.choices = {
      ...answerChoicesFrom(view, this.postprocesses),
      view: Math.min(wholeOf(view, "view", usual.view), last),
      where: view.get("where") ?? usual.where,
    };
    this.fields = [this.viewField(changed), this.whereField(changed, signal)];
  }

  toView(): Record<string, string> {
    return viewOf(this.choices, { ...usualAnswer, postprocess: "", ...usual });
  }

  query(): Query {
    const { attributes, measure } = this.chosen();
    const query: Query = {};
    if (attributes.length > 0) query["by"] = attributes.slice(0, 2).join(",");
    if (measure !== null) query["measure"] = measure;
    if (this.choices.where.trim() !== "") query["where"] = this.choices.where.trim();
    return query;
  }

  take(answer: Answer): void {
    this.taken = answer as Aggregates;
  }

  figures(): HTMLElement[] {
    if (this.taken === null) return [];
    const { count: records, sum, avg, measure } = this.taken;
    const level = levelOf(this.choices);
    return [
      figure("Records", estimateWords(records), intervalWords(records, level)),
      ...(measure === null
        ? []
        : [
            estimateFigure(`Average ${measure}`, avg, level),
            estimateFigure(`Sum of ${measure}`, sum, level),
          ]),
    ];
  }

  show(place: HTMLElement): void {
    if (this.taken === null) return;
    const { counted, cells, partial } = this.taken;
    fill(
      place,
      el("p", { class: "hint" }, `Counted: ${counted}.`),
      partial > 0 && el("ul", { class: "warnings" }, el("li", {}, partialWords(partial))),
      cells.length > 0 && this.cellTable(this.taken),
    );
  }

  private chosen(): RecordView {
    return this.records.views[this.choices.view - 1] as RecordView;
  }

  private viewField(changed: () => void): HTMLElement {
    const select = choice(
      this.records.views.map((view, i) => [String(i + 1), viewWords(view)]),
      String(this.choices.view),
      (value) => {
        this.choices.view = Number(value);
        changed();
      },
    );
    return field("Cells of", select);
  }

  private whereField(changed: () => void, signal: AbortSignal): HTMLElement {
    const input = el("input", {
      type: "text",
      autocomplete: "off",
      placeholder: "age=18..30",
      value: this.choices.where,
    });
    let typing = 0;
    signal.addEventListener("abort", () => clearTimeout(typing));
    input.addEventListener("input", () => {
      this.choices.where = input.value;
      clearTimeout(typing);
      typing = window.setTimeout(changed, 500);
    });
    return field("Only where", input);
  }

  private cellTable(answer: Aggregates): HTMLElement {
    const level = levelOf(this.choices);
    const columns = [
      { title: answer.by.join(", ") },
      { title: "Records", number: true },
      { title: `${level} interval`, number: true },
      ...(answer.measure === null
        ? []
        : [
            { title: `Average ${answer.measure}`, number: true },
            { title: `${level} interval`, number: true },
          ]),
    ];
    return pagedTable(answer.cells.length, (first) =>
      table(
        `Cells, ${count(first + 1)} and following`,
        columns,
        answer.cells
          .slice(first, first + pageRows)
          .map((cell) => rowOf(cell, answer.measure !== null)),
      ),
    );
  }
}

function rowOf(cell: RecordCell, measured: boolean): string[] {
  const row = [cell.values.join(", "), estimateWords(cell.count), estimateCells(cell.count)[2]];
  if (!measured) return row;
  return cell.avg === null
    ? [...row, "–", "too few records"]
    : [...row, estimateWords(cell.avg), estimateCells(cell.avg)[2]];
}

function viewWords({ attributes, measure }: RecordView): string {
  const of = attributes.length === 0 ? "all records" : attributes.slice(0, 2).join(" by ");
  return measure === null ? of : `${of}, with ${measure}`;
}

function partialWords(partial: number): string {
  return (
    `The condition cuts cells in which about ${count(partial)} records are: how many of them meet it is a guess, ` +
    `as if they were spread evenly.`
  );
}
