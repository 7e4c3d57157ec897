// Means of keys: dots with whiskers, on a scale that need not begin at 0.
import { HistogramChart, type HistogramData, plainNumbers } from "./histogram";
import { paintDots } from "./paint";

export function meansChart(
  host: HTMLElement,
  data: Omit<HistogramData, "look" | "dots">,
  range: [number, number],
  signal: AbortSignal,
): HistogramChart {
  const look = { paint: paintDots, range: () => range, words: plainNumbers };
  return new HistogramChart(host, { ...data, dots: null, look }, signal);
}
