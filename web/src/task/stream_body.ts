// How often values occur over time: a chart of the largest, and the histogram of any period.
import type { Query } from "../api";
import type { Answer, StreamBin, StreamSeries, StreamTotal, TaskDetail } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { count, counted } from "../format";
import { figure } from "../parts";
import { rememberView } from "../route";
import { halfOf } from "./estimates";
import type { KindBody } from "./kinds";
import type { Ways } from "./choices";
import {
  isOfNumbers,
  numbersQuery,
  seriesFileQuery,
  seriesQuery,
  type StreamChoices,
  streamChoicesFrom,
  streamView,
  waysOf,
} from "./stream_choices";
import { streamFields } from "./stream_fields";
import { PeriodView } from "./stream_period";
import { intervalOf, SeriesView, wordsOf } from "./stream_series";
import { aboutWords, lackingWords, voidWords } from "./stream_words";

export class StreamBody implements KindBody {
  readonly title = "Over time";
  readonly what = "the stream";
  readonly rows = "periods";
  readonly postprocesses: Ways;
  readonly choices: StreamChoices;
  readonly fields: HTMLElement[];
  readonly asksAgain = true;
  readonly choosesPeriod = true;
  private readonly numbers: boolean;
  private readonly series: SeriesView;
  private readonly period: PeriodView;
  private readonly told = el("div", {});
  private readonly chart = el("div", {});
  private taken: StreamSeries | null = null;

  constructor(task: TaskDetail, view: URLSearchParams, changed: () => void, context: Context) {
    this.postprocesses = waysOf(task);
    this.choices = streamChoicesFrom(view, this.postprocesses);
    this.numbers = isOfNumbers(task);
    const fields = streamFields(this.choices, changed, () => {
      rememberView(this.toView());
      this.draw();
      this.period.show();
    });
    // Numbers have neither shares nor values: their mean and median are drawn as they are.
    this.fields = this.numbers ? fields.slice(0, 1) : fields;
    if (this.numbers) this.choices.unit = "count";
    this.period = new PeriodView(task, this.choices, context, () => {
      rememberView(this.toView());
      this.series.mark();
    });
    this.series = new SeriesView(
      () => this.period.period,
      (period) => {
        if (!this.numbers) this.period.choose(period);
      },
      context.signal,
    );
  }

  toView(): Record<string, string> {
    const { unit, ...view } = streamView(this.choices, this.postprocesses);
    return this.numbers || unit === undefined ? view : { ...view, unit };
  }

  query(): Query {
    return this.numbers ? numbersQuery(this.choices) : seriesQuery(this.choices);
  }

  fileQuery(): Query {
    return this.numbers ? numbersQuery(this.choices) : seriesFileQuery(this.choices);
  }

  take(answer: Answer): void {
    this.taken = answer as StreamSeries;
    if (!this.numbers) return;
    for (const total of this.taken.series) total.bins = meanAndMedian(total);
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
    if (!place.contains(this.told)) {
      fill(place, this.told, this.chart, this.numbers ? null : this.period.root);
    }
    this.draw();
    if (this.numbers) return;
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

// As values that a line can be drawn of: what they are is no share and no count.
function meanAndMedian({ number }: StreamTotal): StreamBin[] {
  const named = [
    ["mean", number?.mean],
    ["median", number?.quantiles["0.5"]],
  ] as const;
  return named.flatMap(([value, known]) =>
    known === null || known === undefined
      ? []
      : [
          {
            value,
            frequency: known.value,
            raw: known.value,
            stderr: known.stderr,
            low: known.low,
            high: known.high,
            count: known.value,
            count_stderr: known.stderr,
            count_low: known.low,
            count_high: known.high,
          },
        ],
  );
}
