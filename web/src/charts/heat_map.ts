// Cells of two attributes, each coloured by its number. Read with the mouse, or with the arrow keys as a
// slider over the cells, the first of which is 0.
import { el } from "../dom";
import { ticks } from "../edges";
import { onThemeChange } from "../theme";
import { chartFont, colour, mixed } from "./colours";
import type { Reading } from "./frame";
import { Tip } from "./tip";

export interface HeatAxis {
  name: string;
  labels: string[];
  // Of a number, ascending and one more than there are labels; else null.
  edges: number[] | null;
}

export interface HeatData {
  // What a screen reader calls the map.
  label: string;
  // From left to right; and upwards where they are numbers, else downwards.
  columns: HeatAxis;
  rows: HeatAxis;
  // A row after the other; NaN where there is none.
  value: Float64Array;
  // The numbers of the two ends of the scale of colours.
  range: [number, number];
  read(column: number, row: number): Reading;
}

// In CSS pixels, within the canvas.
interface Layout {
  left: number;
  top: number;
  cellWidth: number;
  cellHeight: number;
  width: number;
  height: number;
}

const shades = 64;
const lineHeight = 16;
const mostName = 110;

export class HeatMap {
  private readonly root: HTMLElement;
  private readonly canvas = el("canvas", { "aria-hidden": "true" });
  private readonly tip: Tip;
  // The map without a mark, and where its cells are: there may be many, and the mark moves.
  private readonly bare = el("canvas", {});
  private placed: Layout | null = null;
  private column = 0;
  private row = 0;
  private marked = false;

  constructor(
    host: HTMLElement,
    private readonly data: HeatData,
    signal: AbortSignal,
  ) {
    this.root = el(
      "div",
      {
        class: "chart heat-map",
        tabindex: 0,
        role: "slider",
        "aria-label": data.label,
        "aria-valuemin": 0,
        "aria-valuemax": data.value.length - 1,
        "aria-valuenow": 0,
      },
      this.canvas,
    );
    host.replaceChildren(this.root);
    this.tip = new Tip(this.root);
    this.describe();
    this.root.addEventListener("keydown", (event) => this.onKey(event));
    this.root.addEventListener("blur", () => this.unmark());
    for (const moves of ["pointermove", "pointerdown"] as const)
      this.canvas.addEventListener(moves, (event) => this.onPointer(event));
    this.canvas.addEventListener("pointerleave", () => this.unmark());
    const resize = new ResizeObserver(() => this.paint());
    resize.observe(this.root);
    const unlisten = onThemeChange(() => this.paint());
    signal.addEventListener("abort", () => {
      resize.disconnect();
      unlisten();
    });
    this.paint();
  }

  private get sizes(): [number, number] {
    return [this.data.columns.labels.length, this.data.rows.labels.length];
  }

  private layout(ctx: CanvasRenderingContext2D): Layout {
    const [columns, rows] = this.sizes;
    const width = Math.max(200, this.root.clientWidth);
    ctx.font = chartFont;
    const widest = Math.max(...this.rowNames(rows).map(({ text }) => ctx.measureText(text).width));
    const left = Math.ceil(Math.min(mostName, width / 3, widest)) + 10;
    const [top, below] = [lineHeight + 6, 2 * lineHeight + 8];
    const cellHeight = Math.min(40, Math.max(2, rows > 12 ? 360 / rows : 28));
    return {
      left,
      top,
      cellWidth: (width - left - 14) / columns,
      cellHeight,
      width,
      height: top + Math.ceil(cellHeight * rows) + below,
    };
  }

  private paint(): void {
    const ctx = this.bare.getContext("2d");
    if (ctx === null || this.data.value.length === 0) return;
    const layout = (this.placed = this.layout(ctx));
    const pixel = devicePixelRatio;
    for (const canvas of [this.bare, this.canvas]) {
      canvas.width = Math.round(layout.width * pixel);
      canvas.height = Math.round(layout.height * pixel);
    }
    this.canvas.style.width = `${layout.width}px`;
    this.canvas.style.height = `${layout.height}px`;
    ctx.scale(pixel, pixel);
    this.paintCells(ctx, layout);
    this.paintNames(ctx, layout);
    this.show();
    if (performance.getEntriesByName("first-chart").length === 0) performance.mark("first-chart");
  }

  // What was painted, with the mark.
  private show(): void {
    const ctx = this.canvas.getContext("2d");
    if (ctx === null || this.placed === null) return;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, this.canvas.width, this.canvas.height);
    ctx.drawImage(this.bare, 0, 0);
    ctx.scale(devicePixelRatio, devicePixelRatio);
    if (this.marked) this.paintMark(ctx, this.placed);
  }

  private paintCells(ctx: CanvasRenderingContext2D, layout: Layout): void {
    const [columns, rows] = this.sizes;
    const [from, to] = this.data.range;
    const [low, high] = [colour("heat-low"), colour("heat-high")];
    const palette = Array.from({ length: shades }, (_, i) => mixed(low, high, i / (shades - 1)));
    const none = colour("muted");
    // Large cells stand apart, small ones leave no seam.
    const apart = Math.min(layout.cellWidth, layout.cellHeight) > 7 ? 1 : -0.5;
    for (let row = 0; row < rows; ++row) {
      for (let column = 0; column < columns; ++column) {
        const [x, y] = this.corner(layout, column, row);
        const value = this.data.value[row * columns + column] ?? Number.NaN;
        if (Number.isNaN(value)) {
          ctx.strokeStyle = none;
          ctx.globalAlpha = 0.4;
          ctx.lineWidth = 1;
          ctx.beginPath();
          ctx.moveTo(x + 1, y + layout.cellHeight - 1);
          ctx.lineTo(x + layout.cellWidth - 1, y + 1);
          ctx.stroke();
          ctx.globalAlpha = 1;
          continue;
        }
        const share = to > from ? Math.min(1, Math.max(0, (value - from) / (to - from))) : 1;
        ctx.fillStyle = palette[Math.round(share * (shades - 1))] ?? none;
        ctx.fillRect(x, y, layout.cellWidth - apart, layout.cellHeight - apart);
      }
    }
  }

  private paintMark(ctx: CanvasRenderingContext2D, layout: Layout): void {
    const [x, y] = this.corner(layout, this.column, this.row);
    ctx.strokeStyle = colour("raw");
    ctx.lineWidth = 2;
    ctx.strokeRect(x, y, layout.cellWidth, layout.cellHeight);
  }

  private paintNames(ctx: CanvasRenderingContext2D, layout: Layout): void {
    const [columns, rows] = this.sizes;
    const bottom = layout.top + layout.cellHeight * rows;
    const right = layout.left + layout.cellWidth * columns;
    ctx.font = chartFont;
    ctx.fillStyle = colour("muted");
    ctx.textBaseline = "middle";
    ctx.textAlign = "right";
    for (const { place, text } of this.rowNames(Math.floor((layout.cellHeight * rows) / lineHeight))) {
      const y = layout.top + (this.isUp() ? rows - 0.5 - place : place + 0.5) * layout.cellHeight;
      ctx.fillText(cut(ctx, text, layout.left - 10), layout.left - 6, y);
    }
    ctx.textBaseline = "top";
    ctx.textAlign = "center";
    let free = 0;
    for (const { place, text } of this.columnNames(ctx, right - layout.left)) {
      const name = cut(ctx, text, mostName);
      const half = ctx.measureText(name).width / 2;
      const middle = layout.left + (place + 0.5) * layout.cellWidth;
      const x = Math.min(layout.width - half, Math.max(half, middle));
      if (x - half < free) continue;
      ctx.fillText(name, x, bottom + 5);
      free = x + half + 8;
    }
    ctx.fillStyle = colour("text");
    ctx.textAlign = "right";
    ctx.fillText(cut(ctx, this.data.columns.name, right), right, bottom + lineHeight + 8);
    ctx.textAlign = "left";
    ctx.fillText(cut(ctx, this.data.rows.name, layout.width), 4, 2);
  }

  // At most about so many, by their places.
  private rowNames(most: number): { place: number; text: string }[] {
    return names(this.data.rows, Math.max(1, most));
  }

  private columnNames(ctx: CanvasRenderingContext2D, width: number): { place: number; text: string }[] {
    const { labels, edges } = this.data.columns;
    if (edges !== null) return names(this.data.columns, Math.max(2, Math.floor(width / 70)));
    const sample = labels.slice(0, 200).map((label) => Math.min(mostName, ctx.measureText(label).width));
    return names(this.data.columns, Math.max(1, Math.floor(width / (Math.max(...sample) + 8))));
  }

  private isUp(): boolean {
    return this.data.rows.edges !== null;
  }

  private corner(layout: Layout, column: number, row: number): [number, number] {
    const [, rows] = this.sizes;
    const from = this.isUp() ? rows - 1 - row : row;
    return [layout.left + column * layout.cellWidth, layout.top + from * layout.cellHeight];
  }

  private onPointer(event: PointerEvent): void {
    const layout = this.placed;
    if (layout === null) return;
    const [columns, rows] = this.sizes;
    const column = Math.floor((event.offsetX - layout.left) / layout.cellWidth);
    const from = Math.floor((event.offsetY - layout.top) / layout.cellHeight);
    if (column < 0 || column >= columns || from < 0 || from >= rows) this.unmark();
    else this.mark(column, this.isUp() ? rows - 1 - from : from);
  }

  private onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [columns, rows] = this.sizes;
    const up = this.isUp() ? 1 : -1;
    const moves: Record<string, [number, number]> = {
      ArrowRight: [1, 0],
      ArrowLeft: [-1, 0],
      ArrowUp: [0, up],
      ArrowDown: [0, -up],
      Home: [-columns, 0],
      End: [columns, 0],
      PageUp: [0, up * rows],
      PageDown: [0, -up * rows],
    };
    const move = moves[event.key];
    if (move !== undefined) {
      const to = (at: number, by: number, size: number) => Math.min(size - 1, Math.max(0, at + by));
      this.mark(to(this.column, move[0], columns), to(this.row, move[1], rows));
    } else if (event.key === "Escape" && this.tip.visible) {
      this.unmark();
    } else {
      return;
    }
    event.preventDefault();
  }

  private mark(column: number, row: number): void {
    if (this.marked && column === this.column && row === this.row) return;
    [this.column, this.row, this.marked] = [column, row, true];
    this.describe();
    this.show();
    const layout = this.placed;
    if (layout === null) return;
    const [x, y] = this.corner(layout, column, row);
    this.tip.show(this.data.read(column, row), x + layout.cellWidth / 2, y + layout.cellHeight);
  }

  private unmark(): void {
    this.tip.hide();
    if (!this.marked) return;
    this.marked = false;
    this.show();
  }

  private describe(): void {
    const reading = this.data.read(this.column, this.row);
    this.root.setAttribute("aria-valuenow", String(this.row * this.sizes[0] + this.column));
    this.root.setAttribute("aria-valuetext", [reading.title, ...reading.lines].join(", "));
  }
}

// The names of an axis' values with their places, at most about so many: all, or each so many-th; of numbers
// round ones.
function names({ labels, edges }: HeatAxis, most: number): { place: number; text: string }[] {
  if (edges !== null) return ticks(edges, -0.5, labels.length - 0.5, most);
  const step = Math.ceil(labels.length / most);
  return labels.flatMap((text, place) => (place % step === 0 ? [{ place, text }] : []));
}

// What of a text is not wider.
function cut(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (ctx.measureText(text).width <= width) return text;
  const letters = [...text];
  while (letters.length > 1 && ctx.measureText(`${letters.join("")}…`).width > width) letters.pop();
  return `${letters.join("")}…`;
}
