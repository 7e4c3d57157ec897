// The page is chosen by the address's fragment: `#/`, `#/task/ID?order=natural`, `#/plan?users=1000`.

export type Route =
  | { page: "tasks" }
  | { page: "task"; id: string; view: URLSearchParams }
  | { page: "plan"; view: URLSearchParams }
  | { page: "missing" };

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const view = new URLSearchParams(query);
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.length === 0) return { page: "tasks" };
  if (parts.length === 1 && parts[0] === "plan") return { page: "plan", view };
  if (parts.length === 2 && parts[0] === "task" && parts[1] !== undefined) {
    return { page: "task", id: parts[1], view };
  }
  return { page: "missing" };
}

export function taskAddress(id: string): string {
  return `#/task/${id}`;
}

// Keeps what is chosen on a page in its address, so that it can be passed on, without a new entry in
// the history.
export function rememberView(view: Record<string, string>): void {
  const path = location.hash.split("?", 1)[0] ?? "#/";
  const query = new URLSearchParams(view).toString();
  history.replaceState(null, "", query === "" ? path : `${path}?${query}`);
}
