// The box beside the cursor. Hidden from screen readers, which read the slider's value instead.
import { el, fill } from "../dom";
import type { Reading } from "./frame";

export class Tip {
  private readonly box = el("div", { class: "chart-tip", "aria-hidden": "true", hidden: true });

  constructor(private readonly host: HTMLElement) {
    host.append(this.box);
  }

  get visible(): boolean {
    return !this.box.hidden;
  }

  // At x of the host, beside it on the side that has room.
  show(reading: Reading, x: number, y: number): void {
    fill(
      this.box,
      el("strong", {}, reading.title),
      ...reading.lines.map((line) => el("span", {}, line)),
    );
    this.box.hidden = false;
    this.box.style.left = "0";  // its width is not to be squeezed by where it was
    const width = this.box.offsetWidth;
    const right = x + 12 + width <= this.host.clientWidth;
    this.box.style.left = `${Math.max(0, right ? x + 12 : x - 12 - width)}px`;
    this.box.style.top = `${y + 4}px`;
  }

  hide(): void {
    this.box.hidden = true;
  }
}
