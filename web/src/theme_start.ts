// Runs before the first paint, so that a chosen theme does not flash.
import { theme } from "./theme";

const chosen = theme();
if (chosen !== "auto") document.documentElement.setAttribute("data-theme", chosen);
