// A slider over the periods of a stream, and the histogram of the one that is chosen.
import type { StreamBin, StreamTotals, TaskDetail } from "../api_types";
import { type Bins, chooseRows, pick, shownColumn, toBins } from "../bins";
import { binAxis } from "../charts/axes";
import { HistogramChart, type Look, rangeY } from "../charts/histogram";
import { countWords } from "../charts/over_time";
import { paintBins } from "../charts/paint";
import type { Context } from "../context";
import { el, fill } from "../dom";
import { count, time } from "../format";
import { loadInto } from "../load";
import { field, table } from "../parts";
import { askAnswer } from "./answer";
import { levelOf } from "./answer_choices";
import { histogramFields } from "./controls";
import { estimateCells, scaled } from "./estimates";
import { isLarge, serverSearches } from "./histogram_answer";
import type { Ways } from "./choices";
import { legendEntry } from "./legend";
import { pagedTable, pageRows } from "./paged_table";
import { beginOf, periodQuery, type StreamChoices, waysOf } from "./stream_choices";
import { intervalOf, wordsOf } from "./stream_series";
import { aboutWords, lackingWords, submissionWords } from "./stream_words";

// While somebody slides, the server is asked when the slider rests for so long.
const patience = 60;
// Of more values than can be bars, the largest are in view at first.
const mostBars = 200;
const largestBars = 50;
// So many answers are kept for going back.
const mostKept = 400;

// `moved`: another period is chosen.
export class PeriodView {
  readonly root: HTMLElement;
  private readonly slider = el("input", { type: "range", step: 1 });
  private readonly told = el("p", { class: "big", role: "status" });
  private readonly place = el("div", {});
  private readonly kept = new Map<string, StreamTotals>();
  private asking = new AbortController();
  private drawn = new AbortController();
  private sliding = 0;
  private first = 1;
  private last = 1;
  private taken: { answer: StreamTotals; period: number } | null = null;

  constructor(
    private readonly task: TaskDetail,
    private readonly choices: StreamChoices,
    private readonly context: Context,
    private readonly moved: () => void,
  ) {
    const step = (by: number, name: string) =>
      el(
        "button",
        { type: "button", class: "quiet", "aria-label": name, title: name, onclick: () => this.choose(this.period + by) },
        by < 0 ? "←" : "→",
      );
    const fields = histogramFields(choices, isLarge(task), () => {
      this.moved();
      if (isLarge(task)) this.askSoon(300);
      else this.show();
    });
    this.slider.addEventListener("input", () => this.choose(Number(this.slider.value)));
    this.root = el(
      "div",
      { class: "stream-period" },
      el("h3", {}, "One period"),
      el(
        "div",
        { class: "slider" },
        step(-1, "The period before"),
        field("Period", this.slider),
        step(1, "The period after"),
      ),
      this.told,
      el("div", { class: "controls", role: "group", "aria-label": "What the histogram shows" }, ...fields),
      this.place,
    );
    context.signal.addEventListener("abort", () => {
      clearTimeout(this.sliding);
      this.asking.abort();
      this.drawn.abort();
    });
  }

  get period(): number {
    const at = this.choices.at === 0 ? this.last : this.choices.at;
    return Math.min(this.last, Math.max(this.first, at));
  }

  // There is something to choose from: these periods. What was asked before may have changed.
  offer(first: number, last: number): void {
    this.first = first;
    this.last = last;
    this.kept.clear();
    this.slider.min = String(first);
    this.slider.max = String(last);
    this.tell();
    void this.ask();
  }

  choose(period: number): void {
    const at = Math.min(this.last, Math.max(this.first, period));
    this.choices.at = at === this.last ? 0 : at;
    this.tell();
    this.moved();
    this.askSoon(patience);
  }

  // What was answered last, as it is chosen now.
  show(): void {
    if (this.taken === null) return;
    this.drawn.abort();
    this.drawn = new AbortController();
    const { answer, period } = this.taken;
    const first = this.choices.over === "single" ? period : this.first;
    const total = { ...answer, periods: { first, last: period } };
    const wrong = lackingWords(total);
    const words = submissionWords(total);
    const host = el("div", {});
    fill(
      this.place,
      el("p", { class: "hint" }, `${words}.`),
      wrong.length > 0 && el("ul", { class: "warnings" }, ...wrong.map((line) => el("li", {}, line))),
      host,
    );
    if (answer.bins.length === 0) {
      const nothing = `Nothing was released that is about ${aboutWords(total)}.`;
      fill(host, el("p", { class: "empty" }, nothing));
    } else {
      this.histogram(host, answer.bins, words);
    }
  }

  private tell(): void {
    const begins = beginOf(this.task, this.period);
    const words = `Period ${count(this.period)} of ${count(this.last)}, from ${time(begins)}`;
    this.slider.value = String(this.period);
    this.slider.setAttribute("aria-valuetext", words);
    this.told.textContent = words;
  }

  private askSoon(milliseconds: number): void {
    clearTimeout(this.sliding);
    this.sliding = window.setTimeout(() => void this.ask(), milliseconds);
  }

  // An earlier question that is still under way is dropped.
  private async ask(): Promise<void> {
    this.asking.abort();
    const asking = (this.asking = new AbortController());
    const { period } = this;
    const question = periodQuery(this.choices, this.task, period);
    const key = JSON.stringify(question);
    const context = { ...this.context, signal: asking.signal };
    await loadInto(
      this.place,
      context,
      async () => {
        const known = this.kept.get(key);
        const answer = known ?? (await askAnswer<StreamTotals>(this.task, question, asking.signal));
        if (this.kept.size >= mostKept) this.kept.clear();
        this.kept.set(key, answer);
        this.taken = { answer, period };
        this.show();
      },
      "the period",
    );
  }

  private histogram(host: HTMLElement, given: StreamBin[], about: string): void {
    const { choices } = this;
    const counts = choices.unit === "count";
    const bins = counts ? countBins(given) : toBins(given);
    const rows = chooseRows(bins, serverSearches(this.task, choices) ? { ...choices, search: "" } : choices);
    if (rows.length === 0) {
      fill(host, el("p", { class: "empty" }, `No value's name has "${choices.search}" in it.`));
      return;
    }
    const place = el("div", {});
    const bar = el("div", { class: "chart-bar" });
    const shown = Array.from(rows, (row) => given[row] as StreamBin);
    fill(
      host,
      rows.length < this.task.domain &&
        el("p", { class: "hint" }, `${count(rows.length)} of ${count(this.task.domain)} values.`),
      place,
      bar,
      periodTable(shown, choices),
    );
    const labels = shown.map(({ value }) => String(value));
    const chart = new HistogramChart(
      place,
      {
        label: summary(shown, about, choices),
        labels,
        value: pick(shownColumn(bins, choices.shown), rows),
        low: pick(bins.low, rows),
        high: pick(bins.high, rows),
        dots: !counts && choices.shown === "both" ? pick(bins.raw, rows) : null,
        inView: choices.order === "frequency" && rows.length > mostBars ? largestBars : rows.length,
        name: "the histogram",
        read: (i) => ({ title: labels[i] ?? "", lines: readWords(shown[i], choices) }),
        ...(counts ? { look: countBars(labels) } : {}),
      },
      this.drawn.signal,
    );
    fill(bar, legend(choices, waysOf(this.task)), chart.zoomButtons());
  }
}

function countBars(labels: string[]): Look {
  return { paint: paintBins, range: rangeY, words: countWords, axis: binAxis(labels) };
}

function countBins(given: StreamBin[]): Bins {
  return toBins(
    given.map((bin) => ({
      ...bin,
      frequency: bin.count,
      raw: bin.count,
      low: bin.count_low,
      high: bin.count_high,
    })),
  );
}

function readWords(bin: StreamBin | undefined, choices: StreamChoices): string[] {
  if (bin === undefined) return [];
  return [
    wordsOf(intervalOf(bin, { ...choices, unit: "share", shown: "raw" }), { ...choices, unit: "share" }),
    `count ${wordsOf(intervalOf(bin, { ...choices, unit: "count" }), { ...choices, unit: "count" })}`,
  ];
}

function periodTable(rows: StreamBin[], choices: StreamChoices): HTMLElement {
  const level = `± ${levelOf(choices)}`;
  return pagedTable(rows.length, (first) =>
    table(
      `Values of the period, ${count(first + 1)} and following`,
      [
        { title: "Value" },
        { title: "Share", number: true },
        { title: "Raw", number: true },
        { title: level, number: true },
        { title: "Count", number: true },
        { title: `Count ${level}`, number: true },
        { title: "Interval of the count", number: true },
      ],
      rows.slice(first, first + pageRows).map((bin) => {
        const raw = intervalOf(bin, { ...choices, unit: "share", shown: "raw" });
        const cells = (value: number) => estimateCells(scaled({ ...raw, value }, 100));
        const [value, half] = estimateCells(scaled(raw, 100));
        const counted = estimateCells(intervalOf(bin, { ...choices, unit: "count" }));
        return [String(bin.value), `${cells(bin.frequency)[0]} %`, `${value} %`, half, ...counted];
      }),
    ),
  );
}

function legend(choices: StreamChoices, ways: Ways): HTMLElement {
  const level = levelOf(choices);
  if (choices.unit === "count") {
    return el(
      "ul",
      { class: "legend" },
      legendEntry("bar", "how often the value has occurred, unbiased: counts are not post-processed"),
      legendEntry("whisker", `${level} interval`),
    );
  }
  const processing = ways.find(([key]) => key === choices.postprocess)?.[1] ?? "";
  return el(
    "ul",
    { class: "legend" },
    legendEntry(
      "bar",
      choices.shown === "raw" ? "raw share" : `share (${choices.postprocess}: ${processing})`,
    ),
    choices.shown === "both" && legendEntry("raw", "raw share"),
    legendEntry("whisker", `${level} interval of the raw share`),
  );
}

function summary(rows: StreamBin[], about: string, choices: StreamChoices): string {
  const largest = rows.reduce((a, b) => (intervalOf(b, choices).value > intervalOf(a, choices).value ? b : a));
  return (
    `Histogram of ${count(rows.length)} values, of ${about}. The largest is ${String(largest.value)} with ` +
    `${wordsOf(intervalOf(largest, choices), choices)}. Arrow keys read the bins, plus and minus zoom, 0 shows all. The ` +
    "table below has the same numbers."
  );
}
