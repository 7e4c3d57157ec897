// What stands around every page: the header with its navigation, and the place for the page.
import { el, fill } from "./dom";
import type { Route } from "./route";
import { setTheme, type Theme, theme } from "./theme";
import { token } from "./token";

export interface Shell {
  main: HTMLElement;
  // Marks the page in the navigation, and shows whether a token is in use.
  mark(route: Route): void;
}

export function makeShell(signOut: () => void): Shell {
  const main = el("main", { id: "main", tabindex: -1 });
  const links = [link("#/", "Tasks", "tasks"), link("#/plan", "Planner", "plan")];
  const session = el("div", { class: "session" });
  fill(
    document.body,
    el(
      "a",
      { class: "skip", href: "#main", onclick: (event) => skip(event, main) },
      "Skip to the content",
    ),
    el(
      "header",
      { class: "top" },
      el(
        "a",
        { class: "brand", href: "#/", "aria-label": "Tombola" },
        el("span", { class: "mark", "aria-hidden": "true" }),
        el("span", { class: "name" }, "Tombola"),
      ),
      el("nav", { "aria-label": "Pages" }, ...links.map(({ anchor }) => anchor)),
      themeSwitch(),
      session,
    ),
    main,
  );
  return {
    main,
    mark(route) {
      for (const { anchor, page } of links) {
        if (page === route.page) anchor.setAttribute("aria-current", "page");
        else anchor.removeAttribute("aria-current");
      }
      fill(
        session,
        token() !== null &&
          el("button", { type: "button", class: "quiet", onclick: signOut }, "Sign out"),
      );
    },
  };
}

function link(href: string, text: string, page: Route["page"]) {
  return { anchor: el("a", { href }, text), page };
}

// The fragment chooses the page, so that the link must not change it.
function skip(event: Event, main: HTMLElement): void {
  event.preventDefault();
  main.focus();
}

// One button that goes round: the system's choice, light, dark.
function themeSwitch(): HTMLElement {
  const names: Record<Theme, string> = { auto: "System", light: "Light", dark: "Dark" };
  const icons: Record<Theme, string> = { auto: "◐", light: "○", dark: "●" };
  const after: Record<Theme, Theme> = { auto: "light", light: "dark", dark: "auto" };
  const button = el("button", { type: "button", class: "quiet theme" });
  const show = () => {
    button.setAttribute("aria-label", `Colours: ${names[theme()]}`);
    button.title = `Colours: ${names[theme()]}`;
    fill(
      button,
      el("span", { "aria-hidden": "true" }, icons[theme()]),
      el("span", { class: "name" }, ` ${names[theme()]}`),
    );
  };
  button.addEventListener("click", () => {
    setTheme(after[theme()]);
    show();
  });
  show();
  return button;
}
