// How often values occur over time: a chart of the largest, and the histogram of any period.
import type { Query } from "../api";
import type { Answer, StreamSeries, TaskDetail } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { count, counted } from "../format";
import { figure } from "../parts";
import { rememberView } from "../route";
import { halfOf } from "./estimates";
import type { KindBody } from "./kinds";
import {
  seriesFileQuery,
  seriesQuery,
  type StreamChoices,
  streamChoicesFrom,
  streamView,
  streamWays,
} from "./stream_choices";
import { streamFields } from "./stream_fields";
import { PeriodView } from "./stream_period";
import { intervalOf, SeriesView, wordsOf } from "./stream_series";
import { aboutWords, lackingWords, voidWords } from "./stream_words";

export class StreamBody implements KindBody {
  readonly title = "Over time";
  readonly what = "the stream";
  readonly rows = "periods";
  readonly postprocesses = streamWays;
  readonly choices: StreamChoices;
  readonly fields: HTMLElement[];
  readonly asksAgain = true;
  readonly choosesPeriod = true;
  private readonly series: SeriesView;
  private readonly period: PeriodView;
  private readonly told = el("div", {});
  private readonly chart = el("div", {});
  private taken: StreamSeries | null = null;

  constructor(task: TaskDetail, view: URLSearchParams, changed: () => void, context: Context) {
    this.choices = streamChoicesFrom(view);
    this.fields = streamFields(this.choices, changed, () => {
      rememberView(this.toView());
      this.draw();
      this.period.show();
    });
    this.period = new PeriodView(task, this.choices, context, () => {
      rememberView(this.toView());
      this.series.mark();
    });
    this.series = new SeriesView(
      () => this.period.period,
      (period) => this.period.choose(period),
      context.signal,
    );
  }

  toView(): Record<string, string> {
    return streamView(this.choices);
  }

  query(): Query {
    return seriesQuery(this.choices);
  }

  fileQuery(): Query {
    return seriesFileQuery(this.choices);
  }

  take(answer: Answer): void {
    this.taken = answer as StreamSeries;
  }

  figures(): HTMLElement[] {
    const last = this.taken?.series[this.taken.series.length - 1];
    if (this.taken === null || last === undefined) return [];
    const largest = last.bins.map((bin) => intervalOf(bin, this.choices));
    const error = largest.length === 0 ? null : Math.max(...largest.map(halfOf));
    const about = aboutWords(last);
    const whole = lackingWords(last).length === 0;
    return [
      figure("Submissions", count(last.submissions), whole ? about : `${about}, some missing`),
      ...(error === null
        ? []
        : [
            figure(
              "Error in the end",
              wordsOf({ value: 0, low: -error, high: error }, this.choices).replace(/^.*±/, "±") +
                (this.choices.unit === "share" ? " %" : ""),
              "at most, of the values shown",
            ),
          ]),
      figure("Void nodes", count(this.taken.void_nodes.length), this.voidNote()),
    ];
  }

  // What was there is filled anew: somebody may be sliding.
  show(place: HTMLElement): void {
    if (this.taken === null) return;
    if (this.taken.series.length === 0) {
      fill(place, el("p", { class: "empty", role: "status" }, "No period is over yet."));
      return;
    }
    if (!place.contains(this.told)) fill(place, this.told, this.chart, this.period.root);
    this.draw();
    const { series } = this.taken;
    this.period.offer(series[0]?.periods.last ?? 1, series[series.length - 1]?.periods.last ?? 1);
    this.series.mark();
  }

  private voidNote(): string {
    const nodes = this.taken?.void_nodes.length ?? 0;
    return nodes === 0 ? "all were released" : `${counted(nodes, "was", "were")} destroyed`;
  }

  private draw(): void {
    if (this.taken === null || this.taken.series.length === 0) return;
    const destroyed = voidWords(this.taken.void_nodes);
    fill(
      this.told,
      el("p", { class: "hint" }, `Counted: ${this.taken.counted}.`),
      destroyed !== "" && el("ul", { class: "warnings" }, el("li", {}, destroyed)),
    );
    this.series.show(this.chart, this.taken, this.choices);
  }
}
