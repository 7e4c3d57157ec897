// The x scale of bins, which always lies within them: the whole, or the part that is zoomed to.
import type uPlot from "uplot";

export interface Span {
  min: number;
  max: number;
}

export function whole(bins: number): Span {
  return { min: -0.5, max: Math.max(1, bins) - 0.5 };
}

// The span moved and cut so that it lies within the bins and shows three of them at least.
export function within(span: Span, bins: number): Span {
  const all = whole(bins);
  const width = Math.min(all.max - all.min, Math.max(3, span.max - span.min));
  const min = Math.min(all.max - width, Math.max(all.min, span.min));
  return { min, max: min + width };
}

// Half or double the width, about a place that stays where it is.
export function zoomed(span: Span, about: number, ratio: number): Span {
  return { min: about - (about - span.min) * ratio, max: about + (span.max - about) * ratio };
}

export function moved(span: Span, share: number): Span {
  const by = (span.max - span.min) * share;
  return { min: span.min + by, max: span.max + by };
}

export function spanOf(plot: uPlot, bins: number): Span {
  const { min, max } = plot.scales["x"] ?? {};
  return min === undefined || max === undefined ? whole(bins) : { min, max };
}
