// How numbers are distributed: bars of the shares of bins over an axis of numbers, with marks and a range.
import type uPlot from "uplot";
import { edgeWords, ticks } from "../edges";
import { quietAxis } from "./axes";
import { bars, HistogramChart, type HistogramData } from "./histogram";
import { type Mark, paintMarks, paintRange } from "./marks";

export interface DistributionData extends Omit<HistogramData, "look" | "labels"> {
  // Ascending, one more than there are bins.
  edges: number[];
  marks: Mark[];
  // The range that is marked now, by its places, if any.
  range(): [number, number] | null;
}

export function distributionChart(
  host: HTMLElement,
  data: DistributionData,
  signal: AbortSignal,
): HistogramChart {
  const look = {
    ...bars,
    above: 22,
    beside: Math.max(12, 4 * (edgeWords(data.edges.slice(-2))[1] ?? "").length),
    axis: numberAxis(data.edges),
    paint: (plot: uPlot, bins: HistogramData) => {
      const range = data.range();
      if (range !== null) paintRange(plot, ...range);
      bars.paint(plot, bins);
      paintMarks(plot, data.marks);
    },
  };
  return new HistogramChart(host, { ...data, labels: [], look }, signal);
}

// Of numbers whose bins lie at x = 0, 1 and so on.
export function numberAxis(edges: number[]): uPlot.Axis {
  const shown = (plot: uPlot, min: number, max: number) => {
    const longest = Math.max(...ticks(edges, min, max, 4).map(({ text }) => text.length));
    return ticks(edges, min, max, Math.floor((plot.width - 70) / (longest * 7 + 24)));
  };
  return quietAxis({
    size: 28,
    splits: (plot, _axis, min, max) => shown(plot, min, max).map(({ place }) => place),
    values: (plot) => {
      const { min = 0, max = 1 } = plot.scales["x"] ?? {};
      return shown(plot, min, max).map(({ text }) => text);
    },
  });
}
