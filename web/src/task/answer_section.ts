// The answer of a task with its controls, its guarantee and its quality, whatever its kind.
import { ApiError, isAbort } from "../api";
import type { Answer, Decoding, Status, TaskDetail } from "../api_types";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { fileName, save } from "../download";
import { sentence } from "../guarantee";
import { loadInto } from "../load";
import { meter, section } from "../parts";
import { rememberView } from "../route";
import { answerFile, awaitAnswer } from "./answer";
import { answerQuery } from "./answer_choices";
import { type Controls, makeControls } from "./answer_controls";
import { guaranteeSection } from "./guarantee_section";
import { type KindBody, kinds } from "./kinds";
import { notYet } from "./not_yet";
import { qualitySection } from "./quality";
import { decodingPercent, decodingWords } from "./strings_words";
import { summaryFigures } from "./summary";

// The section of a task's kind; nothing if the page knows none.
export function answerSection(
  task: TaskDetail,
  view: URLSearchParams,
  context: Context,
): AnswerSection | null {
  const make = kinds[task.kind];
  if (make === undefined) return null;
  return new AnswerSection(
    task,
    (changed) => make(task, view, changed, context),
    context,
  );
}

export class AnswerSection {
  readonly root = el("div", {});
  private readonly body: KindBody;
  private readonly controls: Controls;
  private readonly searching = el("div", {});
  private readonly place = el("div", { class: "answer" });
  private readonly figures = el("div", {});
  private readonly beside = el("div", { class: "beside" });
  private answered = false;
  private held: Status | null = null;
  private asking = new AbortController();
  private typing = 0;
  private counted = 0;

  constructor(
    private readonly task: TaskDetail,
    make: (changed: () => void) => KindBody,
    private readonly context: Context,
  ) {
    this.body = make(() => this.changed(false));
    this.controls = makeControls(
      task,
      this.body,
      () => this.changed(true),
      (format) => void this.download(format),
    );
    context.signal.addEventListener("abort", () => this.asking.abort());
    fill(
      this.root,
      section(
        this.body.title,
        this.figures,
        this.controls.root,
        this.controls.told,
        this.searching,
        this.place,
      ),
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
        const question = { ...answerQuery(this.body.choices), ...this.body.query() };
        const missing = this.body.missing?.() ?? "";
        if (missing !== "") {
          this.controls.root.hidden = false;
          this.clearEnvelope();
          fill(this.place, el("p", { class: "empty", role: "status" }, missing));
          return;
        }
        try {
          this.show(
            await awaitAnswer(this.task, question, asking.signal, (decoding) =>
              this.showDecoding(decoding),
            ),
          );
        } catch (error) {
          if (isAbort(error)) throw error;
          this.answered = false;
          this.clearEnvelope();
          if (!(error instanceof ApiError) || error.status !== 409) throw error;
          this.showNothing(error.message);
        }
      },
      this.body.what,
    );
    if (asking === this.asking) fill(this.searching);
  }

  setHeld(status: Status): void {
    this.held = status;
    if (!this.answered && this.root.querySelector(".not-yet") !== null) this.showNotYet("");
  }

  // What was shown before stays below.
  private showDecoding(decoding: Decoding): void {
    this.controls.root.hidden = false;
    const words = decodingWords(decoding);
    fill(this.searching, meter(decodingPercent(decoding), words), el("p", { role: "status" }, words));
    if (!this.answered) fill(this.place);
  }

  // Nothing was counted, or nothing of the periods that are chosen: then others may be.
  private showNothing(message: string): void {
    if (this.body.choices.periods === "all") {
      this.showNotYet(message);
      return;
    }
    fill(this.place, el("p", { class: "empty", role: "status" }, sentence(message)));
  }

  private showNotYet(message: string): void {
    this.controls.root.hidden = true;
    fill(this.place, notYet(this.task, this.held, message));
    this.clearEnvelope();
  }

  private clearEnvelope(): void {
    fill(this.figures);
    fill(this.beside);
  }

  private show(answer: Answer): void {
    this.answered = true;
    this.controls.root.hidden = false;
    this.body.take(answer);
    this.body.show(this.place);
    fill(this.figures, summaryFigures(answer, this.body.figures()));
    fill(
      this.beside,
      guaranteeSection(answer.guarantee, answer.periods),
      qualitySection(answer),
    );
  }

  // Letters of a search come one after the other: the server is asked when they stop.
  private changed(askAgain: boolean): void {
    rememberView(this.body.toView());
    clearTimeout(this.typing);
    if (askAgain || this.body.asksAgain)
      this.typing = window.setTimeout(() => void this.load(this.counted), askAgain ? 0 : 300);
    else if (this.answered) this.body.show(this.place);
  }

  private async download(format: "csv" | "json"): Promise<void> {
    const { told } = this.controls;
    told.textContent = `Fetching all ${this.body.rows} as ${format.toUpperCase()}…`;
    try {
      const file = await answerFile(
        this.task,
        { ...answerQuery(this.body.choices), ...this.body.fileQuery?.() },
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
