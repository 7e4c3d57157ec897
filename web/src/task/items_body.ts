// What sets and key-value pairs have beside their rows: how many things devices hold.
import type { ItemSet } from "../api_types";
import { figure } from "../parts";
import { fullWords, mostItems } from "./sizes";
import { sizesView } from "./sizes_view";
import { RowsBody } from "./rows_body";

export abstract class ItemsBody<Body extends ItemSet> extends RowsBody<Body> {
  protected override showFurther(place: HTMLElement, body: Body): void {
    sizesView(place, body, this.choices, this.view.signal);
  }

  protected override furtherFigures(body: Body): HTMLElement[] {
    return [
      figure(
        "Full",
        fullWords(body),
        `devices that hold ${mostItems(body)} or more, as many as are counted`,
      ),
    ];
  }
}
