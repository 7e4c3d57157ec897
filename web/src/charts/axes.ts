// Axes as all charts have them.
import type uPlot from "uplot";
import { chartFont, colour } from "./colours";

export function quietAxis(axis: uPlot.Axis): uPlot.Axis {
  return {
    stroke: () => colour("muted"),
    font: chartFont,
    labelFont: chartFont,
    grid: { stroke: () => colour("line"), width: 1 },
    ticks: { show: false },
    ...axis,
  };
}

// An x axis of bins: names where they fit, turned where they only fit upright.
export function binAxis(labels: string[], axis: uPlot.Axis = {}): uPlot.Axis {
  const room = widest(labels) + 12;
  const turned = (plot: uPlot) =>
    labels.length > 1 && pixelsPerBin(plot) < room && labels.length <= 200;
  return quietAxis({
    grid: { show: false },
    rotate: (plot) => (turned(plot) ? 45 : 0),
    size: (plot) => (turned(plot) ? 11 + room * 0.75 : 28),
    space: (plot) => Math.max(turned(plot) ? 17 : room, pixelsPerBin(plot) * 0.9),
    incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000],
    values: (_, splits) => splits.map((split) => cut(labels[split] ?? "")),
    ...axis,
  });
}

// The room that the widest name takes, in CSS pixels.
function widest(labels: string[]): number {
  const context = document.createElement("canvas").getContext("2d");
  const longest = labels.reduce((most, label) => (label.length > most.length ? label : most), "");
  if (context === null || labels.length > 200) return Math.min(longest.length, 14) * 7.5;
  context.font = chartFont;
  return Math.max(...labels.map((label) => context.measureText(cut(label)).width));
}

function pixelsPerBin(plot: uPlot): number {
  const { min = 0, max = 1 } = plot.scales["x"] ?? {};
  const width = plot.bbox.width > 0 ? plot.bbox.width / devicePixelRatio : plot.width - 60;
  return width / Math.max(1, max - min);
}

function cut(label: string): string {
  const letters = [...label];
  return letters.length > 14 ? `${letters.slice(0, 13).join("")}…` : label;
}
