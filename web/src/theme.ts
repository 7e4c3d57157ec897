// Light and dark: the system's choice until somebody makes another, which this browser keeps.

export type Theme = "auto" | "light" | "dark";
const key = "tombola-theme";
const listeners = new Set<() => void>();

export function theme(): Theme {
  const kept = localStorage.getItem(key);
  return kept === "light" || kept === "dark" ? kept : "auto";
}

export function setTheme(value: Theme): void {
  if (value === "auto") localStorage.removeItem(key);
  else localStorage.setItem(key, value);
  apply(value);
}

// Calls `listener` whenever colours have changed; the result ends that.
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function startTheme(): void {
  apply(theme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => tell());
  // Paper is white.
  window.addEventListener("beforeprint", () => apply("light"));
  window.addEventListener("afterprint", () => apply(theme()));
}

function apply(value: Theme): void {
  if (value === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", value);
  tell();
}

function tell(): void {
  for (const listener of listeners) listener();
}
