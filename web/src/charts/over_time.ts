// Several numbers over time, each a line with its interval as a band; where a period has none the line is broken.
import type uPlot from "uplot";
import { at } from "../bins";
import { count } from "../format";
import { quietAxis } from "./axes";
import { colour } from "./colours";
import type { Reading } from "./frame";
import { HistogramChart, type Look, plainNumbers, rangeY } from "./histogram";
import { clip, upright } from "./marks";
import { runsOf } from "./paint";

// At most so many have a colour of their own.
export const mostLines = 8;

export interface Line {
  name: string;
  // Of each period, NaN where there is none.
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

export interface OverTimeData {
  label: string;
  // The number of the first period.
  first: number;
  lines: Line[];
  // Whether something is missing from what a period's numbers are about.
  lacking(position: number): boolean;
  // The one that is chosen now.
  chosen(): number;
  // Counts, not shares.
  counts: boolean;
  read(position: number): Reading;
}

// `choose`: a period has been, by a click or the Enter key.
export function overTimeChart(
  host: HTMLElement,
  data: OverTimeData,
  choose: (position: number) => void,
  signal: AbortSignal,
): HistogramChart {
  const look: Look = {
    paint: (plot) => paintAll(plot, data),
    range: rangeY,
    words: data.counts ? countWords : shareWords,
    axis: periodAxis(data.first),
    above: 10,
    beside: 16,
  };
  const chart = new HistogramChart(host, { ...envelope(data), labels: [], dots: null, look }, signal);
  chosenBy(host, choose, signal);
  return chart;
}

// What the axes go by: from the least to the largest number of each period.
function envelope({ lines, label, read }: OverTimeData) {
  const periods = lines[0]?.value.length ?? 0;
  const over = (side: "value" | "low" | "high", of: (...all: number[]) => number) =>
    Float64Array.from({ length: periods }, (_, i) => {
      const known = lines.map((line) => at(line[side], i)).filter((one) => !Number.isNaN(one));
      return known.length === 0 ? 0 : of(...known);
    });
  return {
    value: over("value", Math.max),
    low: over("low", Math.min),
    high: over("high", Math.max),
    label,
    read,
    inView: periods,
    name: "the chart over time",
  };
}

// The chart is itself a slider, whose value is where it is read. A drag zooms and chooses nothing.
function chosenBy(host: HTMLElement, choose: (position: number) => void, signal: AbortSignal): void {
  const chart = host.firstElementChild as HTMLElement;
  const position = () => Number(chart.getAttribute("aria-valuenow"));
  let pressed = 0;
  chart.addEventListener("pointerdown", (event) => (pressed = event.clientX), { signal });
  chart.addEventListener(
    "click",
    (event) => {
      if (Math.abs(event.clientX - pressed) < 8) choose(position());
    },
    { signal },
  );
  chart.addEventListener(
    "keydown",
    (event) => {
      if (event.key === "Enter") choose(position());
    },
    { signal },
  );
}

function paintAll(plot: uPlot, data: OverTimeData): void {
  const { ctx } = plot;
  const pixel = devicePixelRatio;
  const { min = 0, max = 0 } = plot.scales["x"] ?? {};
  const periods = data.lines[0]?.value.length ?? 0;
  const [from, to] = [Math.max(0, Math.floor(min)), Math.min(periods - 1, Math.ceil(max))];
  ctx.save();
  clip(plot);
  paintLacking(plot, data, from, to);
  data.lines.forEach((line, i) => paintBandOf(plot, line, colour(`series-${i}`), from, to));
  data.lines.forEach((line, i) => paintLineOf(plot, line, colour(`series-${i}`), from, to));
  ctx.strokeStyle = colour("muted");
  ctx.lineWidth = pixel;
  ctx.setLineDash([4 * pixel, 3 * pixel]);
  upright(plot, data.chosen());
  ctx.restore();
}

// A mark at the foot of every period that lacks something.
function paintLacking(plot: uPlot, data: OverTimeData, from: number, to: number): void {
  const { ctx, bbox } = plot;
  const step = plot.valToPos(1, "x", true) - plot.valToPos(0, "x", true);
  const wide = Math.max(2 * devicePixelRatio, step);
  const height = 6 * devicePixelRatio;
  ctx.fillStyle = colour("warn");
  for (let i = from; i <= to; ++i) {
    if (!data.lacking(i)) continue;
    ctx.fillRect(plot.valToPos(i, "x", true) - wide / 2, bbox.top + bbox.height - height, wide, height);
  }
}

function pointsOf(plot: uPlot, column: Float64Array, run: number[]): [number, number][] {
  return run.map((i) => [plot.valToPos(i, "x", true), plot.valToPos(at(column, i), "y", true)]);
}

function trace(ctx: CanvasRenderingContext2D, through: [number, number][]): void {
  ctx.beginPath();
  for (const [x, y] of through) ctx.lineTo(x, y);
}

function paintBandOf(plot: uPlot, line: Line, ink: string, from: number, to: number): void {
  const { ctx } = plot;
  ctx.fillStyle = ctx.strokeStyle = ink;
  ctx.lineWidth = 3 * devicePixelRatio;
  ctx.globalAlpha = 0.2;
  for (const run of runsOf(line.value, from, to)) {
    const [low, high] = [pointsOf(plot, line.low, run), pointsOf(plot, line.high, run)];
    trace(ctx, [...high, ...low.reverse()]);
    // A period alone has an upright line instead of an area.
    if (run.length === 1) ctx.stroke();
    else ctx.fill();
  }
  ctx.globalAlpha = 1;
}

// Dots where there is room between them, or where a period is alone.
function paintLineOf(plot: uPlot, line: Line, ink: string, from: number, to: number): void {
  const { ctx } = plot;
  const pixel = devicePixelRatio;
  const step = plot.valToPos(1, "x", true) - plot.valToPos(0, "x", true);
  ctx.strokeStyle = ctx.fillStyle = ink;
  ctx.lineWidth = 2 * pixel;
  for (const run of runsOf(line.value, from, to)) {
    const points = pointsOf(plot, line.value, run);
    trace(ctx, points);
    ctx.stroke();
    if (run.length > 1 && step < 14 * pixel) continue;
    for (const [x, y] of points) {
      ctx.beginPath();
      ctx.arc(x, y, 2.6 * pixel, 0, 7);
      ctx.fill();
    }
  }
}

// Round numbers of periods. The one numbered `first` lies at x = 0.
function periodAxis(first: number): uPlot.Axis {
  return quietAxis({
    size: 26,
    label: "period",
    labelSize: 18,
    grid: { show: false },
    splits: (plot, _axis, min, max) => {
      const step = roundStep((max - min) / Math.max(1, Math.floor((plot.width - 74) / 48)));
      const found: number[] = [];
      const from = Math.ceil((first + Math.max(0, min)) / step) * step;
      for (let period = from; period <= first + max; period += step) found.push(period - first);
      return found;
    },
    values: (_, splits) => splits.map((split) => count(first + split)),
  });
}

// The least 1, 2 or 5 times a power of ten that is not below, and at least 1.
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least) ?? 10 * power;
}

function shareWords(splits: number[]): string[] {
  return plainNumbers(splits.map((split) => split * 100)).map((text) => `${text} %`);
}

export function countWords(splits: number[]): string[] {
  return splits.every((split) => Number.isInteger(split))
    ? splits.map((split) => count(split).replace("-", "−"))
    : plainNumbers(splits);
}
