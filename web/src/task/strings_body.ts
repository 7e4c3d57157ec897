// Which strings that nobody listed many devices hold: those that stand out, or one that is looked up.
import type { Query } from "../api";
import type { Answer, FrequentStrings, TaskDetail } from "../api_types";
import { at, toBins } from "../bins";
import { el, fill } from "../dom";
import { count, decimalsFor, percent } from "../format";
import { field, figure } from "../parts";
import { type AnswerChoices, answerChoicesFrom, usualAnswer, viewOf } from "./answer_choices";
import { usual, type Ways } from "./choices";
import { HistogramView } from "./histogram_view";
import type { KindBody } from "./kinds";
import { noneWords, thresholdWords, warningWords } from "./strings_words";

interface StringChoices extends AnswerChoices {
  // Looked up as it is; empty: all that stand out.
  find: string;
}

const ways: Ways = [
  ["clip", "each for itself brought into 0 % to 100 %"],
  ["none", "the raw estimates as they are"],
];
const usualStrings: StringChoices = { find: "", postprocess: "clip", ...usualAnswer };

export class StringsBody implements KindBody {
  readonly title = "Strings";
  readonly what = "the strings";
  readonly rows = "strings";
  readonly postprocesses = ways;
  readonly choices: StringChoices;
  readonly fields: HTMLElement[];
  readonly asksAgain = true;
  readonly missing: () => string;
  private readonly shown: TaskDetail;
  private readonly view: HistogramView;
  private taken: FrequentStrings | null = null;

  constructor(task: TaskDetail, view: URLSearchParams, changed: () => void, signal: AbortSignal) {
    this.choices = { find: view.get("find") ?? "", ...answerChoicesFrom(view, ways) };
    const find = el("input", {
      type: "search",
      placeholder: "a whole string",
      value: this.choices.find,
    });
    find.addEventListener("input", () => {
      this.choices.find = find.value;
      changed();
    });
    this.fields = [field("Look up", find)];
    this.missing = () =>
      task.strings?.whole === true && this.choices.find === ""
        ? "Devices of this task send whole strings alone, so that nothing can be found but what is looked up: enter one."
        : "";
    this.shown = { ...task };
    this.view = new HistogramView(
      this.shown,
      { chart: "Strings", values: "strings", caption: "Strings that devices hold", ways },
      signal,
    );
  }

  toView(): Record<string, string> {
    return viewOf(this.choices, usualStrings);
  }

  query(): Query {
    return this.choices.find === "" ? {} : { value: [this.choices.find] };
  }

  take(answer: Answer): void {
    this.taken = answer as FrequentStrings;
  }

  show(place: HTMLElement): void {
    if (this.taken === null) return;
    const { bins } = this.taken;
    const below = el("div", {});
    const told = el("p", { class: "hint" }, thresholdWords(this.taken));
    const warnings = warningWords(this.taken);
    const warned =
      warnings.length > 0 &&
      el("ul", { class: "warnings" }, ...warnings.map((warning) => el("li", {}, warning)));
    if (bins.length === 0) {
      fill(place, el("p", { class: "empty", role: "status" }, noneWords(this.taken)), told, warned);
      return;
    }
    this.shown.domain = bins.length;
    this.view.show(below, toBins(bins), {
      ...usual,
      ...this.choices,
      shown: this.choices.postprocess === "none" ? "raw" : "both",
    });
    fill(place, told, warned, below);
  }

  figures(): HTMLElement[] {
    if (this.taken === null) return [];
    const { bins, reports, threshold } = this.taken;
    const halves = bins.map(({ low, high }) => (high - low) / 2).sort((a, b) => a - b);
    const typical = at(halves, halves.length >> 1);
    return [
      figure("Found", count(bins.length), "strings that stand out"),
      figure(
        "Threshold",
        count(Math.ceil(threshold)),
        `devices, ${percent(threshold / reports, decimalsFor((100 * threshold) / reports))} of them`,
      ),
      ...(bins.length === 0
        ? []
        : [
            figure(
              "Typical error",
              `± ${percent(typical, decimalsFor(typical * 100))}`,
              "median over the strings",
            ),
          ]),
    ];
  }
}
