// The histogram of a task with its controls, its table, its guarantee and its quality.
import { ApiError, isAbort } from "../api";
import type { Status, TaskDetail } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { fileName, save } from "../download";
import { loadInto } from "../load";
import { section } from "../parts";
import { rememberView } from "../route";
import { answerFile } from "./answer";
import { type Choices, choicesFrom, toView } from "./choices";
import { type Controls, makeControls } from "./controls";
import { guaranteeSection } from "./guarantee_section";
import { askHistogram, type HistogramAnswer, isLarge } from "./histogram_answer";
import { HistogramView } from "./histogram_view";
import { notYet } from "./not_yet";
import { summaryFigures } from "./summary";
import { qualitySection } from "./quality";

export class HistogramSection {
  readonly root = el("div", {});
  private readonly choices: Choices;
  private readonly controls: Controls;
  private readonly place = el("div", { class: "answer" });
  private readonly figures = el("div", {});
  private readonly beside = el("div", { class: "beside" });
  private readonly view: HistogramView;
  private answer: HistogramAnswer | null = null;
  private held: Status | null = null;
  private asking = new AbortController();
  private typing = 0;
  private counted = 0;

  constructor(
    private readonly task: TaskDetail,
    view: URLSearchParams,
    private readonly context: Context,
  ) {
    this.choices = choicesFrom(view);
    this.controls = makeControls(
      this.choices,
      isLarge(task),
      (again) => this.changed(again),
      (format) => void this.download(format),
    );
    this.view = new HistogramView(task, context.signal);
    context.signal.addEventListener("abort", () => this.asking.abort());
    fill(
      this.root,
      section("Histogram", this.figures, this.controls.root, this.controls.told, this.place),
      this.beside,
    );
  }

  // Asks and shows. An earlier question that is still under way is dropped.
  async load(countedBatches: number): Promise<void> {
    this.asking.abort();
    if (countedBatches === 0) {
      this.showNotYet("");
      return;
    }
    this.counted = countedBatches;
    const asking = (this.asking = new AbortController());
    await loadInto(
      this.place,
      { ...this.context, signal: asking.signal },
      async () => {
        try {
          this.answer = await askHistogram(this.task, this.choices, asking.signal);
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 409) throw error;
          this.answer = null;
          this.showNotYet(error.message);
          return;
        }
        this.show(this.answer);
        fill(this.figures, summaryFigures(this.answer, this.choices));
        fill(
          this.beside,
          guaranteeSection(this.answer.histogram.guarantee),
          qualitySection(this.answer.histogram),
        );
      },
      "the histogram",
    );
  }

  setHeld(status: Status): void {
    this.held = status;
    if (this.answer === null && this.root.querySelector(".not-yet") !== null) this.showNotYet("");
  }

  private showNotYet(message: string): void {
    this.controls.root.hidden = true;
    fill(this.place, notYet(this.task, this.held, message));
    fill(this.figures);
    fill(this.beside);
  }

  private show(answer: HistogramAnswer): void {
    this.controls.root.hidden = false;
    this.view.show(this.place, answer, this.choices);
  }

  // Letters of a search come one after the other: the server is asked when they stop.
  private changed(askAgain: boolean): void {
    rememberView(toView(this.choices));
    clearTimeout(this.typing);
    if (askAgain || isLarge(this.task))
      this.typing = window.setTimeout(() => void this.load(this.counted), askAgain ? 0 : 300);
    else if (this.answer !== null) this.show(this.answer);
  }

  private async download(format: "csv" | "json"): Promise<void> {
    const { told } = this.controls;
    told.textContent = `Fetching all bins as ${format.toUpperCase()}…`;
    const { postprocess, confidence } = this.choices;
    try {
      const file = await answerFile(
        this.task,
        { postprocess, confidence },
        format,
        this.context.signal,
      );
      save(file, fileName(this.task.name, format));
      told.textContent = "";
    } catch (error) {
      if (!isAbort(error)) told.textContent = `Not downloaded: ${(error as Error).message}`;
    }
  }
}
