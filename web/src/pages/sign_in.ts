// The form for a token. Shown when the collector does not know who asks.
import { el, fill } from "../dom";
import { commandLine, field } from "../parts";
import { keepToken } from "../token";

export function signInPage(page: HTMLElement, message: string, signedIn: () => void): void {
  document.title = "Sign in · Tombola";
  const input = el("input", {
    type: "password",
    id: "token",
    name: "token",
    required: true,
    autocomplete: "off",
    spellcheck: "false",
    pattern: "\\s*[!-~]+\\s*",
    title: "letters, digits and signs, without spaces",
  });
  const form = el(
    "form",
    { class: "card sign-in" },
    field("Access token", input),
    el(
      "p",
      { class: "hint" },
      "A token stands for a role, analyst or administrator. It stays in this tab and is forgotten when " +
        "the tab is closed. The collector's operator makes one with",
    ),
    commandLine("tombola token create --tokens FILE --role analyst --name NAME"),
    el("button", { type: "submit", class: "primary" }, "Sign in"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keepToken(input.value.trim());
    signedIn();
  });
  fill(
    page,
    el("h1", {}, "Sign in"),
    message !== "" && el("p", { class: "failure", role: "alert" }, message),
    form,
    el(
      "section",
      { class: "card", "aria-labelledby": "by-certificate" },
      el("h2", { id: "by-certificate" }, "Or choose your certificate"),
      el(
        "p",
        {},
        "If you have a client certificate with the role of an analyst or an administrator in this " +
          "browser, load the page again and choose it when the browser asks.",
      ),
      el("button", { type: "button", onclick: () => location.reload() }, "Load again"),
    ),
  );
  input.focus();
}
