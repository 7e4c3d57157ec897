// The page's start: one route, one page; what a page does ends when it is left.
import "uplot/dist/uPlot.min.css";
import "../style.css";
import { get } from "./api";
import { el, fill } from "./dom";
import { planPage } from "./pages/plan";
import { signInPage } from "./pages/sign_in";
import { taskPage } from "./pages/task";
import { tasksPage } from "./pages/tasks";
import { parseRoute, type Route } from "./route";
import { makeShell } from "./shell";
import { startTheme } from "./theme";
import { forgetToken, takeTokenFromAddress, token } from "./token";

let leave = new AbortController();

function show(route: Route, moveFocus: boolean): void {
  leave.abort();
  leave = new AbortController();
  const page = el("div", { class: "page" });
  fill(shell.main, page);
  shell.mark(route);
  const context = { signal: leave.signal, signIn: (message: string) => showSignIn(message) };
  if (route.page === "tasks") tasksPage(page, context);
  else if (route.page === "task") taskPage(page, route.id, route.view, context);
  else if (route.page === "plan") planPage(page, route.view, context);
  else
    fill(page, el("h1", {}, "No such page"), el("p", {}, el("a", { href: "#/" }, "To the tasks")));
  if (moveFocus) shell.main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function showSignIn(message: string): void {
  leave.abort();
  leave = new AbortController();
  forgetToken();
  const page = el("div", { class: "page narrow" });
  fill(shell.main, page);
  shell.mark({ page: "missing" });
  signInPage(page, message, () => show(parseRoute(location.hash), true));
}

function onAddress(): void {
  takeTokenFromAddress();
  show(parseRoute(location.hash), true);
}

// Without a token it may be a certificate that opens the door; else the form is shown at once.
async function isKnown(): Promise<boolean> {
  if (token() !== null) return true;
  const session = await get<{ roles: string[] }>("/v1/session").catch(() => null);
  return session === null || session.roles.length > 0;
}

takeTokenFromAddress();
startTheme();
const shell = makeShell(() => {
  forgetToken();
  showSignIn("");
});
window.addEventListener("hashchange", onAddress);
void isKnown().then((known) => (known ? show(parseRoute(location.hash), false) : showSignIn("")));
