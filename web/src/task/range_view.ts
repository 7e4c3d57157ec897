// A range of numbers, and how many devices are in it, with their mean and sum.
import type { Distribution, Numbers, TaskDetail } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { rangeWords } from "../edges";
import { loadInto } from "../load";
import { field, figure } from "../parts";
import { askAnswer } from "./answer";
import { answerQuery, levelOf } from "./answer_choices";
import { estimateFigure } from "./estimate_figure";
import { estimateWords, shareWords } from "./estimates";
import { type NumberChoices, type Range, rangeOf, rangeQuery } from "./number_choices";
import { intervalWords, partialWords, spreadWords, tooFew } from "./number_words";

// `changed`: the range that is chosen has.
export class RangeView {
  readonly root: HTMLElement;
  private readonly inputs: HTMLInputElement[];
  private readonly place = el("div", { class: "range", "aria-live": "polite" });
  private asking = new AbortController();
  private typing = 0;

  constructor(
    private readonly task: TaskDetail,
    private readonly numbers: Numbers,
    private readonly choices: NumberChoices,
    private readonly context: Context,
    private readonly changed: () => void,
  ) {
    this.inputs = [this.input("from"), this.input("to")];
    const [from, to] = this.inputs as [HTMLInputElement, HTMLInputElement];
    this.root = el(
      "div",
      {},
      el("h3", {}, "A range"),
      el(
        "div",
        { class: "controls", role: "group", "aria-label": "A range of numbers" },
        field("From", from),
        field("To below", to),
      ),
      this.place,
    );
    context.signal.addEventListener("abort", () => {
      clearTimeout(this.typing);
      this.asking.abort();
    });
  }

  // The range that is chosen, if it is one.
  get range(): Range | null {
    const range = rangeOf(this.choices, this.numbers);
    return typeof range === "string" ? null : range;
  }

  // Asks about the range and shows it. An earlier question that is still under way is dropped.
  async ask(): Promise<void> {
    this.asking.abort();
    const range = rangeOf(this.choices, this.numbers);
    for (const input of this.inputs)
      input.setAttribute("aria-invalid", String(typeof range === "string"));
    if (range === null || typeof range === "string") {
      const words = range ?? "How many devices are between two numbers, and what their mean is.";
      fill(this.place, el("p", { class: range === null ? "hint" : "wrong" }, words));
      return;
    }
    const asking = (this.asking = new AbortController());
    const context = { ...this.context, signal: asking.signal };
    const question = { ...answerQuery(this.choices), ...rangeQuery(range) };
    await loadInto(
      this.place,
      context,
      async () => this.show(await askAnswer<Distribution>(this.task, question, asking.signal)),
      "the range",
    );
  }

  private input(end: "from" | "to"): HTMLInputElement {
    const { low, high } = this.numbers;
    const input = el("input", {
      type: "number",
      step: "any",
      min: low,
      max: high,
      placeholder: String(end === "from" ? low : high),
      value: this.choices[end],
    });
    input.addEventListener("input", () => {
      this.choices[end] = input.value;
      this.changed();
      clearTimeout(this.typing);
      this.typing = window.setTimeout(() => void this.ask(), 300);
    });
    return input;
  }

  private show(answer: Distribution): void {
    const { where, count, frequency, mean, sum } = answer;
    const level = levelOf(this.choices);
    const hints = [partialWords(answer), spreadWords(answer)].filter((words) => words !== "");
    fill(
      this.place,
      where !== null && el("p", { class: "hint" }, `From ${rangeWords(where.low, where.high)}:`),
      el(
        "dl",
        { class: "figures" },
        figure("Devices", estimateWords(count), intervalWords(count, level)),
        figure(
          "Share",
          frequency === null ? "–" : shareWords(frequency),
          frequency === null ? tooFew : "of those with a number",
        ),
        estimateFigure("Mean", mean, level),
        estimateFigure("Sum", sum, level),
      ),
      ...hints.map((words) => el("p", { class: "hint" }, words)),
    );
  }
}
