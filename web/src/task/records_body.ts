// Records: how many there are, sums and averages, and the cells of one of the task's views.
import type { Query } from "../api";
import type { Aggregates, Answer, Records, TaskDetail } from "../api_types";
import { el, fill } from "../dom";
import { figure } from "../parts";
import { levelOf } from "./answer_choices";
import type { Ways } from "./choices";
import { estimateFigure } from "./estimate_figure";
import { estimateWords } from "./estimates";
import type { KindBody } from "./kinds";
import { intervalWords, quantilesOf } from "./number_words";
import { quantileTable } from "./quantile_table";
import {
  cellsQuery,
  type RecordChoices,
  recordChoicesFrom,
  recordQuery,
  recordView,
} from "./record_choices";
import { recordFields } from "./record_fields";
import { RecordView } from "./record_view";
import { independenceWords, partialWords } from "./record_words";

// A condition is asked for when typing stops.
const patience = 400;

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
  private readonly view: RecordView;
  private taken: Aggregates | null = null;

  constructor(task: TaskDetail, view: URLSearchParams, changed: () => void, signal: AbortSignal) {
    if (task.records === null) throw new Error("a task of records that does not say which");
    this.records = task.records;
    this.choices = recordChoicesFrom(view, this.records);
    this.view = new RecordView(signal);
    let typing = 0;
    signal.addEventListener("abort", () => clearTimeout(typing));
    this.fields = recordFields(this.choices, this.records, changed, () => {
      clearTimeout(typing);
      typing = window.setTimeout(changed, patience);
    });
  }

  toView(): Record<string, string> {
    return recordView(this.choices, this.records);
  }

  query(): Query {
    return recordQuery(this.choices, this.records);
  }

  fileQuery(): Query {
    return cellsQuery(this.choices, this.records);
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
            estimateFigure(`Average ${measure}`, avg, level, tooFew),
            estimateFigure(`Sum of ${measure}`, sum, level, tooFew),
          ]),
    ];
  }

  show(place: HTMLElement): void {
    if (this.taken === null) return;
    const { counted, cells, partial, independence, by } = this.taken;
    const several = this.records.max_records > 1;
    const chart = el("div", {});
    const hint = partialWords(partial);
    fill(
      place,
      el("p", { class: "hint" }, `Counted: ${counted}.`),
      hint !== "" && el("ul", { class: "warnings" }, el("li", {}, hint)),
      chart,
      quantilesOf(this.taken).length > 0 && el("h3", {}, `Quantiles of ${by[0] ?? ""}`),
      quantilesOf(this.taken).length > 0 && quantileTable(this.taken, this.choices, "Records"),
      independence !== null &&
        el("p", { class: "hint independence" }, independenceWords(independence, by, several)),
    );
    if (cells.length > 0) this.view.show(chart, this.taken, this.choices);
  }
}

const tooFew = "too few records";
