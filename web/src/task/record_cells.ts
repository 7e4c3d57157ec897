// The cells of an answer about records, by the values of the attributes that they are of.
import type { Aggregates, Estimate, RecordCell } from "../api_types";
import { binWords } from "../edges";
import type { Told } from "./record_choices";

export interface CellAxis {
  name: string;
  labels: string[];
  // Of a number, ascending and one more than there are labels; else null.
  edges: number[] | null;
}

// The values of the attribute at a place, in the order of the cells.
export function axisOf({ by, cells }: Pick<Aggregates, "by" | "cells">, place: number): CellAxis {
  const first = new Map<string, RecordCell>();
  for (const cell of cells) {
    const value = cell.values[place] ?? "";
    if (!first.has(value)) first.set(value, cell);
  }
  const name = by[place] ?? "";
  const low = [...first.values()].map((cell) => cell.low_edges[place] ?? null);
  const high = [...first.values()].map((cell) => cell.high_edges[place] ?? null);
  const edges = [...low, high[high.length - 1] ?? null].filter((edge) => edge !== null);
  if (edges.length < 2 || edges.length <= first.size) {
    return { name, labels: [...first.keys()], edges: null };
  }
  return { name, labels: binWords(edges), edges };
}

export interface CellGrid {
  columns: CellAxis;
  rows: CellAxis;
  // A row after the other.
  cells: (RecordCell | null)[];
}

// Of an answer by two attributes, the first from left to right.
export function gridOf(answer: Pick<Aggregates, "by" | "cells">): CellGrid {
  const [columns, rows] = [axisOf(answer, 0), axisOf(answer, 1)];
  const places = [0, 1].map(
    (side) => placesOf(answer.cells.map((cell) => cell.values[side] ?? "")),
  );
  const cells = new Array<RecordCell | null>(columns.labels.length * rows.labels.length).fill(null);
  for (const cell of answer.cells) {
    const column = places[0]?.get(cell.values[0] ?? "") ?? 0;
    const row = places[1]?.get(cell.values[1] ?? "") ?? 0;
    cells[row * columns.labels.length + column] = cell;
  }
  return { columns, rows, cells };
}

// Of each text that there is, in the order in which they come.
function placesOf(texts: string[]): Map<string, number> {
  return new Map([...new Set(texts)].map((text, place) => [text, place]));
}

export function toldOf(cell: RecordCell | null, told: Told): Estimate | null {
  return cell === null ? null : cell[told];
}

// The numbers at the ends of the scale of colours: counts from 0, which noise may be below; others from the
// least to the largest that is known.
export function scaleOf(values: ArrayLike<number>, told: Told): [number, number] {
  const known = Array.from(values).filter((value) => !Number.isNaN(value));
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), -Infinity);
  if (known.length === 0) return [0, 1];
  return told === "count" ? [0, Math.max(1, most)] : [least, most];
}
