"""Chromium without a window, and what the tests ask of it."""
import json
import os
import pathlib
import shutil
import sys
import tempfile

from support.waiting import until

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select
except ImportError:
    print("python3-selenium is not installed")
    sys.exit(77)

__all__ = ["Browser", "Keys", "Select"]

# Elements that the Tab key must reach: every control, whatever its tabindex says, and what was made one.
FOCUSABLE = """
return [...document.querySelectorAll('a[href], button, input, select, textarea, summary, ' +
                                     '[role=slider], [tabindex]:not([tabindex="-1"])')]
  .filter(e => !e.disabled && e.checkVisibility({checkVisibilityCSS: true}))
  .map((e, i) => { e.dataset.stop = String(i); return i + ' ' + e.outerHTML.slice(0, 120); })
"""
FOCUSED = """
const e = document.activeElement;
if (e === document.body || e === null) return null;
return (e.dataset.stop ?? '') + ' ' + e.outerHTML.slice(0, 120);
"""
AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}).then(
  result => done(result.violations.map(
    v => v.id + ': ' + v.nodes.map(n => n.target + ' ' + n.failureSummary).join('; '))),
  error => done(['axe failed: ' + error]));
"""


def chromium():
    """The paths of Chromium and its driver."""
    found = shutil.which("chromium"), shutil.which("chromedriver")
    if None in found:
        print("chromium or chromium-driver is not installed")
        sys.exit(77)
    return found


class Browser:
    """One window, with a profile and a folder of downloads of its own."""

    def __init__(self, width=1280, height=900, dark=False):
        binary, driver = chromium()
        self.folder = tempfile.TemporaryDirectory()
        self.downloads = pathlib.Path(self.folder.name) / "downloads"
        self.downloads.mkdir()
        options = webdriver.ChromeOptions()
        options.binary_location = binary
        for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage",
                         "--disable-quic", "--no-first-run", "--disable-background-networking",
                         "--disable-component-update", "--disable-sync",
                         f"--user-data-dir={self.folder.name}/profile"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(driver), options=options)
        self.driver.set_script_timeout(60)
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height,
                     deviceScaleFactor=1, mobile=width < 500)
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.command("Browser.setDownloadBehavior", behavior="allow",
                     downloadPath=str(self.downloads))
        self.driver.get("about:blank")

    def close(self):
        self.driver.quit()
        self.folder.cleanup()

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def open(self, address):
        """Loads anew, also where only the fragment differs."""
        self.driver.get("about:blank")
        self.driver.get(address)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition, seconds=30):
        """What `condition` returns, as soon as that is true."""
        return until(condition, lambda: f"waited in vain; the page says: {self.text('body')}", seconds)

    def find(self, selector):
        return self.wait(lambda: self.driver.find_elements(By.CSS_SELECTOR, selector))[0]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def field(self, label):
        """The control that a label names."""
        return self.wait(lambda: self.script(
            "return [...document.querySelectorAll('label')]"
            ".find(l => l.textContent === arguments[0])?.control", label))

    def choose(self, label, value):
        Select(self.field(label)).select_by_value(value)

    def table(self, caption):
        """The cells' texts of the table under a caption that begins so, folded or not, without its head."""
        return self.script("""
            const table = [...document.querySelectorAll('table')]
              .find(t => t.caption.textContent.startsWith(arguments[0]));
            return table && [...table.tBodies[0].rows].map(
              r => [...r.cells].map(c => c.innerText || c.textContent));
            """, caption)

    def press(self, *keys):
        webdriver.ActionChains(self.driver).send_keys(*keys).perform()

    def drag(self, element, start, end):
        """With the mouse, from one share of the element's width to another."""
        width = element.size["width"]
        chain = webdriver.ActionChains(self.driver)
        chain.move_to_element_with_offset(element, int((start - 0.5) * width), 0).click_and_hold()
        chain.move_by_offset(int((end - start) * width), 0).release().perform()

    def double_click(self, element):
        webdriver.ActionChains(self.driver).double_click(element).perform()

    def tab_stops(self):
        """(what Tab must reach, what it reaches until it leaves the page)."""
        wanted = self.script(FOCUSABLE)
        self.script("document.activeElement?.blur(); getSelection().removeAllRanges();")
        reached = []
        for _ in range(2 * len(wanted) + 10):
            self.press(Keys.TAB)
            focused = self.script(FOCUSED)
            if focused is None or focused in reached:
                break
            reached.append(focused)
        return wanted, reached

    def axe(self, source):
        """What axe-core says is wrong; `source` is its program."""
        self.script(source)
        return self.driver.execute_async_script(AXE)

    def complaints(self):
        """Errors in the console since the last call: scripts, policy and failed requests."""
        return [entry["message"] for entry in self.driver.get_log("browser")
                if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """Addresses that the page has asked for since the last call."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                yield message["params"]["request"]["url"]
