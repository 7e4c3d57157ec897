// What all charts share: they fill their host's width, follow the theme, and are read with the mouse or,
// as a slider over their positions, with the keyboard. The first position is 0.
import uPlot from "uplot";
import { el } from "../dom";
import { onThemeChange } from "../theme";
import { Tip } from "./tip";

export interface Reading {
  title: string;
  lines: string[];
}

export interface FrameSpec {
  // What a screen reader calls the chart.
  label: string;
  height: number;
  positions: number;
  read(position: number): Reading;
  // Where a position lies on the x scale.
  place(position: number): number;
  options(): Omit<uPlot.Options, "width" | "height">;
  data: uPlot.AlignedData;
  // Keys beyond those that move: true if the key was used.
  key?(event: KeyboardEvent, position: number): boolean;
  // Makes sure that a position is inside the x scale.
  reveal?(position: number): void;
}

export class Frame {
  readonly root: HTMLElement;
  readonly plot: uPlot;
  private readonly tip: Tip;
  private position = 0;

  constructor(
    host: HTMLElement,
    private readonly spec: FrameSpec,
    signal: AbortSignal,
  ) {
    this.root = el("div", {
      class: "chart",
      tabindex: 0,
      role: "slider",
      "aria-label": spec.label,
      "aria-orientation": "horizontal",
      "aria-valuemin": 0,
      "aria-valuemax": Math.max(0, spec.positions - 1),
      "aria-valuenow": 0,
    });
    host.replaceChildren(this.root);
    this.plot = new uPlot(this.fullOptions(), spec.data, this.root);
    this.tip = new Tip(this.root);
    this.describe();
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.root.addEventListener("blur", () => this.tip.hide());
    const resize = new ResizeObserver(() => this.resize());
    resize.observe(this.root);
    const unlisten = onThemeChange(() => this.plot.redraw());
    signal.addEventListener("abort", () => {
      resize.disconnect();
      unlisten();
      this.plot.destroy();
    });
  }

  private fullOptions(): uPlot.Options {
    const own = this.spec.options();
    return {
      ...own,
      width: Math.max(200, this.root.clientWidth),
      height: this.spec.height,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, ...own.cursor },
      hooks: { ...own.hooks, setCursor: [(plot) => this.onCursor(plot)] },
    };
  }

  private resize(): void {
    const width = this.root.clientWidth;
    if (width > 0 && width !== this.plot.width) {
      this.plot.setSize({ width, height: this.spec.height });
    }
  }

  // Called by uPlot for the mouse and for setCursor; the constructor is not through the first time.
  private onCursor(plot: uPlot): void {
    if (this.tip === undefined) return;
    const left = plot.cursor.left ?? -1;
    const index = plot.cursor.idx;
    if (left < 0 || index === null || index === undefined) {
      this.tip.hide();
      return;
    }
    this.position = index;
    this.describe();
    this.show();
  }

  private show(): void {
    const x = this.plot.valToPos(this.spec.place(this.position), "x");
    const over = this.plot.over;
    this.tip.show(this.spec.read(this.position), over.offsetLeft + x, over.offsetTop);
  }

  private describe(): void {
    if (this.spec.positions === 0) return;
    const reading = this.spec.read(this.position);
    this.root.setAttribute("aria-valuenow", String(this.position));
    this.root.setAttribute("aria-valuetext", [reading.title, ...reading.lines].join(", "));
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.spec.positions - 1;
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowUp: 1,
      ArrowLeft: -1,
      ArrowDown: -1,
      PageUp: 10,
      PageDown: -10,
      Home: -last - 1,
      End: last + 1,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      this.goTo(Math.min(last, Math.max(0, this.position + step)));
    } else if (event.key === "Escape" && this.tip.visible) {
      this.tip.hide();
    } else if (this.spec.key?.(event, this.position) !== true) {
      return;
    }
    event.preventDefault();
  }

  private goTo(position: number): void {
    if (position < 0) return;
    this.spec.reveal?.(position);
    this.position = position;
    const left = this.plot.valToPos(this.spec.place(position), "x");
    this.plot.setCursor({ left, top: this.plot.over.clientHeight / 2 }, false);
    this.describe();
    this.show();
  }
}
