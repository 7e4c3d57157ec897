// The answer of a kind that has a row for each value: charts, table and what is chosen about them.
import type { Query } from "../api";
import type { Answer, Histogram, TaskDetail } from "../api_types";
import { at, type Bins } from "../bins";
import { atMostShort, count, decimalsFor, percent } from "../format";
import { figure } from "../parts";
import { levelOf } from "./answer_choices";
import { type Choices, choicesFrom, toView, type Ways } from "./choices";
import { histogramFields } from "./controls";
import { histogramQuery, isLarge } from "./histogram_answer";
import { HistogramView, type ViewWords } from "./histogram_view";
import type { KindBody } from "./kinds";

// How a kind calls itself.
export interface BodyWords extends ViewWords {
  title: string;
  what: string;
  rows: string;
  // "bin"
  row: string;
}

// `toBins`: the rows of an answer of the kind.
export abstract class RowsBody<Body extends Histogram> implements KindBody {
  readonly title: string;
  readonly what: string;
  readonly rows: string;
  readonly choices: Choices;
  readonly postprocesses: Ways;
  readonly fields: HTMLElement[];
  readonly asksAgain: boolean;
  protected readonly view: HistogramView;
  private taken: { body: Body; bins: Bins } | null = null;

  constructor(
    private readonly task: TaskDetail,
    view: URLSearchParams,
    changed: () => void,
    signal: AbortSignal,
    private readonly words: BodyWords,
    private readonly toBins: (body: Body) => Bins,
  ) {
    this.title = words.title;
    this.what = words.what;
    this.rows = words.rows;
    this.postprocesses = words.ways;
    this.asksAgain = isLarge(task);
    this.choices = choicesFrom(view, words.ways);
    this.fields = histogramFields(this.choices, isLarge(task), changed);
    this.view = new HistogramView(task, words, signal);
  }

  toView(): Record<string, string> {
    return toView(this.choices, this.postprocesses);
  }

  query(): Query {
    return histogramQuery(this.task, this.choices);
  }

  take(answer: Answer): void {
    const body = answer as Body;
    this.taken = { body, bins: this.toBins(body) };
  }

  show(place: HTMLElement): void {
    if (this.taken === null) return;
    this.view.show(place, this.taken.bins, this.choices);
    this.showFurther(place, this.taken.body);
  }

  figures(): HTMLElement[] {
    if (this.taken === null) return [];
    const { body, bins } = this.taken;
    const halves = bins.low.map((low, row) => (at(bins.high, row) - low) / 2).sort();
    const typical = at(halves, halves.length >> 1);
    return [
      figure(
        "Typical error",
        `± ${percent(typical, decimalsFor(typical * 100))}`,
        `median over the ${this.rows}`,
      ),
      figure(
        `Error of any ${this.words.row}`,
        `± ${atMostShort(body.max_error * 100)} %`,
        `at most, for all ${this.rows} at once with ${levelOf(this.choices)} confidence`,
      ),
      ...this.sureFigures(body),
      ...this.furtherFigures(body),
    ];
  }

  // Of a large domain, of which the largest are asked for.
  private sureFigures({ ranking }: Body): HTMLElement[] {
    if (ranking === undefined) return [];
    return [
      figure(
        "Surely above 0",
        count(ranking.held),
        `of ${count(this.task.domain)} ${this.rows}, all at once with ${levelOf(this.choices)} confidence`,
      ),
    ];
  }

  // What the kind has beside its rows: below them, and among the figures.
  protected showFurther(_place: HTMLElement, _body: Body): void {}

  protected furtherFigures(_body: Body): HTMLElement[] {
    return [];
  }
}
