// How numbers are distributed: a chart of their bins with quantiles, mean and sum, and any range.
import type { Query } from "../api";
import type { Answer, Distribution, Numbers, TaskDetail } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { figure } from "../parts";
import { rememberView } from "../route";
import { levelOf } from "./answer_choices";
import { leastSquaresWays, type Ways } from "./choices";
import { DistributionView } from "./distribution_view";
import { estimateFigure } from "./estimate_figure";
import { estimateWords, halfOf, scaled, shareWords } from "./estimates";
import type { KindBody } from "./kinds";
import { type NumberChoices, numberChoicesFrom, numberQuery, numberView } from "./number_choices";
import { numberFields } from "./number_fields";
import { quantilesOf, spreadWords } from "./number_words";
import { quantileTable } from "./quantile_table";
import { RangeView } from "./range_view";

export class NumberBody implements KindBody {
  readonly title = "Numbers";
  readonly what = "the distribution";
  readonly rows = "bins";
  readonly postprocesses: Ways;
  readonly choices: NumberChoices;
  readonly fields: HTMLElement[];
  readonly asksAgain = true;
  private readonly numbers: Numbers;
  private readonly range: RangeView;
  private readonly view: DistributionView;
  private readonly told = el("div", {});
  private readonly chart = el("div", {});
  private readonly quantiles = el("div", {});
  private taken: Distribution | null = null;

  constructor(task: TaskDetail, view: URLSearchParams, changed: () => void, context: Context) {
    if (task.numbers === null) throw new Error("a task of numbers that does not say which");
    this.numbers = task.numbers;
    const { dithered, bins } = this.numbers;
    this.postprocesses = dithered ? [] : leastSquaresWays;
    this.choices = numberChoicesFrom(view, this.numbers, this.postprocesses);
    this.fields = dithered ? [] : numberFields(this.choices, bins, changed);
    this.range = new RangeView(task, this.numbers, this.choices, context, () => {
      rememberView(this.toView());
      this.view.mark();
    });
    this.view = new DistributionView(() => this.range.range, context.signal);
  }

  toView(): Record<string, string> {
    return numberView(this.choices, this.numbers, this.postprocesses);
  }

  query(): Query {
    return numberQuery(this.choices, this.numbers);
  }

  take(answer: Answer): void {
    this.taken = answer as Distribution;
  }

  figures(): HTMLElement[] {
    if (this.taken === null) return [];
    const { mean, sum, count, reports } = this.taken;
    const level = levelOf(this.choices);
    const median = quantilesOf(this.taken).find(({ fraction }) => fraction === 0.5);
    const share = `${shareWords(scaled(count, 1 / reports))} of the devices`;
    return [
      ...(this.numbers.missing ? [figure("With a number", estimateWords(count), share)] : []),
      estimateFigure("Mean", mean, level),
      ...(median === undefined ? [] : [estimateFigure("Median", median.estimate, level)]),
      estimateFigure("Sum", sum, level),
    ];
  }

  // What was there is filled anew: somebody may be typing the range.
  show(place: HTMLElement): void {
    if (this.taken === null) return;
    const { dithered } = this.numbers;
    if (!place.contains(this.told)) {
      const further = el("div", { class: "beside" }, this.quantiles, this.range.root);
      fill(place, this.told, this.chart, !dithered && further);
    }
    fill(this.told, ...this.hints(this.taken));
    if (dithered) return;
    if (this.taken.bins.length === 0) {
      this.view.clear(this.chart);
      fill(this.quantiles);
    } else {
      this.view.show(this.chart, this.taken, this.choices);
      fill(this.quantiles, el("h3", {}, "Quantiles"), quantileTable(this.taken, this.choices));
    }
    void this.range.ask();
  }

  // What an error does not cover although it is larger stands out.
  private hints(answer: Distribution): HTMLElement[] {
    const { dithered } = this.numbers;
    const spread = spreadWords(answer);
    const large = answer.mean !== null && answer.spread > halfOf(answer.mean);
    const sentences = [
      `Counted: ${answer.counted}.`,
      dithered ? "The task is about mean and sum alone: it has neither quantiles nor ranges." : "",
      !dithered && answer.bins.length === 0 ? "Too few devices have a number for more." : "",
      large ? "" : spread,
    ];
    return [
      el("p", { class: "hint" }, sentences.filter((words) => words !== "").join(" ")),
      ...(large ? [el("ul", { class: "warnings" }, el("li", {}, spread))] : []),
    ];
  }
}
