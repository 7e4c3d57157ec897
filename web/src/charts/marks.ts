// What stands in a chart of numbers beside the bins: marks with intervals, and a range.
import type uPlot from "uplot";
import { chartFont, colour } from "./colours";

// Places on the x scale.
export interface Mark {
  place: number;
  low: number;
  high: number;
  // Above the line, if there is room.
  name: string;
}

const between = 6;

// Each a line with its interval as a band.
export function paintMarks(plot: uPlot, marks: Mark[]): void {
  const { ctx, bbox } = plot;
  const pixel = devicePixelRatio;
  ctx.save();
  clip(plot);
  ctx.strokeStyle = ctx.fillStyle = colour("mark");
  ctx.lineWidth = 1.5 * pixel;
  ctx.setLineDash([5 * pixel, 3 * pixel]);
  for (const { place, low, high } of marks) {
    const [from, to] = [plot.valToPos(low, "x", true), plot.valToPos(high, "x", true)];
    ctx.globalAlpha = 0.22;
    ctx.fillRect(from, bbox.top, Math.max(1, to - from), bbox.height);
    ctx.globalAlpha = 1;
    upright(plot, place);
  }
  ctx.restore();
  nameMarks(plot, marks);
}

// Names that would run into the one before are left out.
function nameMarks(plot: uPlot, marks: Mark[]): void {
  const { ctx, bbox } = plot;
  const pixel = devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colour("mark");
  ctx.font = chartFont.replace("12px", `${12 * pixel}px`);
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  let free = bbox.left - between * pixel;
  for (const { place, name } of [...marks].sort((a, b) => a.place - b.place)) {
    const x = plot.valToPos(place, "x", true);
    const half = ctx.measureText(name).width / 2;
    const seen = x >= bbox.left && x <= bbox.left + bbox.width;
    if (!seen || x - half < free) continue;
    ctx.fillText(name, x, bbox.top - 3 * pixel);
    free = x + half + between * pixel;
  }
  ctx.restore();
}

// A part of the x scale, behind the bins.
export function paintRange(plot: uPlot, from: number, to: number): void {
  const { ctx, bbox } = plot;
  ctx.save();
  clip(plot);
  const [left, right] = [plot.valToPos(from, "x", true), plot.valToPos(to, "x", true)];
  ctx.fillStyle = ctx.strokeStyle = colour("accent");
  ctx.globalAlpha = 0.12;
  ctx.fillRect(left, bbox.top, right - left, bbox.height);
  ctx.globalAlpha = 1;
  ctx.lineWidth = devicePixelRatio;
  upright(plot, from);
  upright(plot, to);
  ctx.restore();
}

// Within the axes.
export function clip(plot: uPlot): void {
  const { left, top, width, height } = plot.bbox;
  plot.ctx.beginPath();
  plot.ctx.rect(left, top, width, height);
  plot.ctx.clip();
}

export function upright(plot: uPlot, place: number): void {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(place, "x", true);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
}
