// The bins of a histogram: chart, table and what is chosen about them.
import type { Query } from "../api";
import type { Answer, Histogram, TaskDetail } from "../api_types";
import { at, toBins } from "../bins";
import { atMostShort, decimalsFor, percent } from "../format";
import { figure } from "../parts";
import { levelOf } from "./answer_choices";
import { type Choices, choicesFrom, postprocesses, toView } from "./choices";
import { histogramFields } from "./controls";
import { type HistogramAnswer, histogramQuery, isLarge } from "./histogram_answer";
import { HistogramView } from "./histogram_view";
import type { KindBody } from "./kinds";

export class HistogramBody implements KindBody {
  readonly title = "Histogram";
  readonly what = "the histogram";
  readonly rows = "bins";
  readonly choices: Choices;
  readonly postprocesses = postprocesses;
  readonly fields: HTMLElement[];
  readonly asksAgain: boolean;
  private readonly view: HistogramView;
  private answer: HistogramAnswer | null = null;

  constructor(
    private readonly task: TaskDetail,
    view: URLSearchParams,
    changed: () => void,
    signal: AbortSignal,
  ) {
    this.asksAgain = isLarge(task);
    this.choices = choicesFrom(view);
    this.fields = histogramFields(this.choices, isLarge(task), changed);
    this.view = new HistogramView(task, signal);
  }

  toView(): Record<string, string> {
    return toView(this.choices);
  }

  query(): Query {
    return histogramQuery(this.task, this.choices);
  }

  take(answer: Answer): void {
    const histogram = answer as Histogram;
    this.answer = { histogram, bins: toBins(histogram.bins) };
  }

  show(place: HTMLElement): void {
    if (this.answer !== null) this.view.show(place, this.answer, this.choices);
  }

  figures(): HTMLElement[] {
    if (this.answer === null) return [];
    const { histogram, bins } = this.answer;
    const halves = bins.low.map((low, row) => (at(bins.high, row) - low) / 2).sort();
    const typical = at(halves, halves.length >> 1);
    return [
      figure(
        "Typical error",
        `± ${percent(typical, decimalsFor(typical * 100))}`,
        "median over the bins",
      ),
      figure(
        "Error of any bin",
        `± ${atMostShort(histogram.max_error * 100)} %`,
        `at most, for all bins at once with ${levelOf(this.choices)} confidence`,
      ),
    ];
  }
}
