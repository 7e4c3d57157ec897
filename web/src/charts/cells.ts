// The cells of one attribute: counts as bars, or averages as a line in a band where the attribute is a number
// and as dots where it is not.
import type uPlot from "uplot";
import { binAxis } from "./axes";
import { numberAxis } from "./distribution";
import { HistogramChart, type HistogramData, type Look, plainNumbers, rangeY } from "./histogram";
import { type Mark, paintMarks } from "./marks";
import { type Painted, paintBins, paintDots, paintLine } from "./paint";

export interface CellsData extends Omit<HistogramData, "look" | "dots" | "touching"> {
  // Of a number, ascending and one more than there are cells; else null.
  edges: number[] | null;
  marks: Mark[];
  // What the y scale shows where it need not begin at 0: such cells are not bars.
  range: [number, number] | null;
}

export function cellsChart(
  host: HTMLElement,
  data: CellsData,
  signal: AbortSignal,
): HistogramChart {
  const { edges, marks, range, labels } = data;
  const paintCells = range === null ? paintBins : edges === null ? paintDots : paintLine;
  const look: Look = {
    paint: (plot: uPlot, cells: Painted) => {
      paintCells(plot, cells);
      paintMarks(plot, marks);
    },
    range: (min, max) => range ?? rangeY(min, max),
    words: plainNumbers,
    axis: edges === null ? binAxis(labels) : numberAxis(edges),
    above: marks.length > 0 ? 22 : 10,
    beside: edges === null ? 12 : 24,
  };
  return new HistogramChart(
    host,
    { ...data, dots: null, touching: edges !== null, look },
    signal,
  );
}
