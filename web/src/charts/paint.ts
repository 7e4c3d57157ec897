// Painting of bins on a chart's canvas. Bin i lies at x = i and is 1 wide.
import type uPlot from "uplot";
import { at } from "../bins";
import { colour } from "./colours";

export interface Painted {
  value: Float64Array;
  low: Float64Array;
  high: Float64Array;
  // The unbiased estimates, if they are to be told from `value`.
  dots: Float64Array | null;
  // Whether bars are as wide as bins, since neighbours touch.
  touching?: boolean;
  // A bin with a colour of its own, if any.
  warned?: (bin: number) => boolean;
}

const mostBars = 200;
const narrowestBar = 3;

// The bins in view, and how wide one is in pixels.
interface InView {
  first: number;
  last: number;
  step: number;
  min: number;
  max: number;
}

// Bars with whiskers where they are wide enough to be seen, else an area with the interval as a band.
export function paintBins(plot: uPlot, bins: Painted): void {
  paintInView(plot, bins, ({ first, last, step, min, max }) => {
    if (barsFit(max - min, plot.over.clientWidth)) paintBars(plot, bins, first, last, step);
    else paintBand(plot, bins, first, last, step, min);
  });
}

// A dot with whiskers for each number; a bin whose number is NaN has none.
export function paintDots(plot: uPlot, bins: Painted): void {
  paintInView(plot, bins, ({ first, last, step }) => {
    const { ctx } = plot;
    const pixel = devicePixelRatio;
    const radius = Math.min(4 * pixel, Math.max(1.2 * pixel, step * 0.3));
    const cap = Math.min(step * 0.3, 6 * pixel);
    ctx.lineWidth = Math.max(1, pixel);
    ctx.strokeStyle = colour("whisker");
    ctx.fillStyle = colour("accent");
    for (let i = first; i <= last; ++i) {
      if (Number.isNaN(at(bins.value, i))) continue;
      const x = plot.valToPos(i, "x", true);
      paintWhisker(plot, x, at(bins.low, i), at(bins.high, i), cap);
      ctx.beginPath();
      ctx.arc(x, plot.valToPos(at(bins.value, i), "y", true), radius, 0, 7);
      ctx.fill();
    }
  });
}

// Within the axes.
function paintInView(plot: uPlot, bins: Painted, paint: (seen: InView) => void): void {
  const { min, max } = plot.scales["x"] ?? {};
  if (min === undefined || max === undefined || bins.value.length === 0) return;
  const first = Math.max(0, Math.ceil(min - 0.5));
  const last = Math.min(bins.value.length - 1, Math.floor(max + 0.5));
  const { left, top, width, height } = plot.bbox;
  plot.ctx.save();
  plot.ctx.beginPath();
  plot.ctx.rect(left, top, width, height);
  plot.ctx.clip();
  paint({ first, last, step: width / (max - min), min, max });
  plot.ctx.restore();
}

// In the stroke that is set.
function paintWhisker(plot: uPlot, x: number, from: number, to: number, cap: number): void {
  const { ctx } = plot;
  const [low, high] = [plot.valToPos(from, "y", true), plot.valToPos(to, "y", true)];
  if (low === high) return;
  ctx.beginPath();
  ctx.moveTo(x, low);
  ctx.lineTo(x, high);
  for (const end of [low, high]) {
    ctx.moveTo(x - cap, end);
    ctx.lineTo(x + cap, end);
  }
  ctx.stroke();
}

export function barsFit(visible: number, cssWidth: number): boolean {
  return visible <= mostBars && cssWidth / visible >= narrowestBar;
}

function paintBars(plot: uPlot, bins: Painted, first: number, last: number, step: number): void {
  const { ctx } = plot;
  const pixel = devicePixelRatio;
  const wide = bins.touching === true ? step * 0.94 : Math.min(step * 0.72, 72 * pixel);
  const cap = Math.min(Math.max(wide * 0.4, 1.5 * pixel), 6 * pixel);
  const zero = plot.valToPos(0, "y", true);
  const [bar, warn, whisker, dot] = [
    colour("bar"),
    colour("warn"),
    colour("whisker"),
    colour("raw"),
  ];
  ctx.lineWidth = Math.max(1, pixel);
  for (let i = first; i <= last; ++i) {
    const x = plot.valToPos(i, "x", true);
    const y = plot.valToPos(at(bins.value, i), "y", true);
    ctx.fillStyle = bins.warned?.(i) === true ? warn : bar;
    ctx.fillRect(x - wide / 2, Math.min(y, zero), wide, Math.abs(zero - y));
    if (bins.dots !== null) {
      ctx.fillStyle = dot;
      ctx.beginPath();
      ctx.arc(x, plot.valToPos(at(bins.dots, i), "y", true), Math.min(2.2 * pixel, wide / 2), 0, 7);
      ctx.fill();
    }
    // Above the dot, which may be larger.
    ctx.strokeStyle = whisker;
    paintWhisker(plot, x, at(bins.low, i), at(bins.high, i), cap);
  }
}

// Where several bins share a column of pixels, it shows the largest value and the widest interval.
function paintBand(
  plot: uPlot,
  bins: Painted,
  first: number,
  last: number,
  step: number,
  min: number,
): void {
  const columns = Math.ceil(plot.bbox.width);
  const value = new Float64Array(columns).fill(-Infinity);
  const low = new Float64Array(columns).fill(Infinity);
  const high = new Float64Array(columns).fill(-Infinity);
  for (let i = first; i <= last; ++i) {
    const from = Math.max(0, Math.floor((i - 0.5 - min) * step));
    const to = Math.min(columns, Math.max(from + 1, Math.floor((i + 0.5 - min) * step)));
    for (let column = from; column < to; ++column) {
      value[column] = Math.max(at(value, column), at(bins.value, i));
      low[column] = Math.min(at(low, column), at(bins.low, i));
      high[column] = Math.max(at(high, column), at(bins.high, i));
    }
  }
  fillBetween(plot, low, high, colour("band"));
  fillBetween(
    plot,
    value.map(() => 0),
    value,
    colour("bar"),
  );
}

function fillBetween(plot: uPlot, from: Float64Array, to: Float64Array, style: string): void {
  const { ctx, bbox } = plot;
  ctx.fillStyle = style;
  const scale = plot.scales["y"];
  const { min = 0, max = 1 } = scale ?? {};
  const y = (v: number) => bbox.top + bbox.height * (1 - (v - min) / (max - min));
  for (let column = 0; column < to.length; ++column) {
    if (!Number.isFinite(at(to, column))) continue;
    const [a, b] = [y(at(from, column)), y(at(to, column))];
    ctx.fillRect(bbox.left + column, Math.min(a, b), 1, Math.max(Math.abs(a - b), 1));
  }
}

// A line through the middles of bins with the interval as a band about it, broken where a number is NaN; what
// has no neighbour is a dot with whiskers.
export function paintLine(plot: uPlot, bins: Painted): void {
  paintInView(plot, bins, ({ first, last, step }) => {
    const { ctx } = plot;
    const from = Math.max(0, first - 1);
    const to = Math.min(bins.value.length - 1, last + 1);
    for (const run of runsOf(bins.value, from, to)) {
      if (run.length > 1) paintRun(plot, bins, run);
    }
    ctx.fillStyle = colour("accent");
    ctx.strokeStyle = colour("whisker");
    ctx.lineWidth = Math.max(1, devicePixelRatio);
    const radius = Math.min(3 * devicePixelRatio, Math.max(1, step * 0.25));
    for (const run of runsOf(bins.value, from, to)) {
      for (const i of run) {
        const x = plot.valToPos(i, "x", true);
        if (run.length === 1) {
          const cap = Math.min(step * 0.3, 6 * devicePixelRatio);
          paintWhisker(plot, x, at(bins.low, i), at(bins.high, i), cap);
        }
        ctx.beginPath();
        ctx.arc(x, plot.valToPos(at(bins.value, i), "y", true), radius, 0, 7);
        ctx.fill();
      }
    }
  });
}

// The places next to each other, within the first and the last, whose numbers are known.
export function runsOf(value: ArrayLike<number>, first: number, last: number): number[][] {
  const runs: number[][] = [];
  let run: number[] = [];
  for (let i = first; i <= last; ++i) {
    if (!Number.isNaN(at(value, i))) run.push(i);
    if (run.length > 0 && (i === last || Number.isNaN(at(value, i)))) {
      runs.push(run);
      run = [];
    }
  }
  return runs;
}

function paintRun(plot: uPlot, bins: Painted, run: number[]): void {
  const { ctx } = plot;
  const points = (column: Float64Array) =>
    run.map((i): [number, number] => [
      plot.valToPos(i, "x", true),
      plot.valToPos(at(column, i), "y", true),
    ]);
  const path = (through: [number, number][]) => {
    ctx.beginPath();
    for (const [x, y] of through) ctx.lineTo(x, y);
  };
  path([...points(bins.high), ...points(bins.low).reverse()]);
  ctx.fillStyle = colour("band");
  ctx.fill();
  path(points(bins.value));
  ctx.strokeStyle = colour("accent");
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.stroke();
}
