// Loading into a place on the page: what is awaited, what came, or what went wrong with a retry.
import { ApiError, isAbort } from "./api";
import type { Context } from "./context";
import { el, fill } from "./dom";

// Runs `load` and shows its outcome in `place`. While it runs what was there stays, marked as busy.
export async function loadInto(
  place: HTMLElement,
  context: Context,
  load: () => Promise<void>,
  what: string,
): Promise<void> {
  place.setAttribute("aria-busy", "true");
  if (place.childElementCount === 0) fill(place, waiting(what));
  try {
    await load();
  } catch (error) {
    if (isAbort(error) || context.signal.aborted) return;
    if (isStranger(error)) {
      context.signIn(error.message);
      return;
    }
    fill(
      place,
      failure(error, () => void loadInto(place, context, load, what)),
    );
  } finally {
    place.removeAttribute("aria-busy");
  }
}

// Whether the server wants to know who asks, or somebody else to ask.
export function isStranger(error: unknown): error is ApiError {
  return error instanceof ApiError && (error.status === 401 || error.status === 403);
}

export function waiting(what: string): HTMLElement {
  return el("p", { class: "waiting", role: "status" }, `Loading ${what}…`);
}

export function failure(error: unknown, retry: () => void): HTMLElement {
  const [title, message] =
    error instanceof ApiError
      ? [error.status === 0 ? "No answer" : `Refused: ${error.code}`, error.message]
      : ["The page failed", String(error)];
  return el(
    "div",
    { class: "failure", role: "alert" },
    el("strong", {}, title),
    el("span", {}, message),
    el("button", { type: "button", onclick: retry }, "Try again"),
  );
}
