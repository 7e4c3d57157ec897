// node build.mjs DIR: bundles the page into DIR: index.html, and what it needs under assets/ with
// names that change with their content, and the licences of what is bundled. Of DIR nothing else is touched.
// node build.mjs --tests DIR: bundles the unit tests, for `node --test DIR`.
import { build } from "esbuild";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";

const common = { bundle: true, logLevel: "warning" };

async function bundleTests(out) {
  const names = (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
  await rm(out, { recursive: true, force: true });
  await build({
    ...common,
    entryPoints: names.map((name) => join("test", name)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    platform: "node",
    target: "node18",
  });
}

async function bundlePage(out) {
  const assets = join(out, "assets");
  await rm(assets, { recursive: true, force: true });
  await mkdir(assets, { recursive: true });
  const { metafile } = await build({
    ...common,
    entryPoints: ["src/main.ts", "src/theme_start.ts", "icon.svg"],
    outdir: assets,
    entryNames: "[name]-[hash]",
    loader: { ".svg": "copy" },
    format: "esm",
    minify: true,
    legalComments: "inline",
    target: ["es2021"],
    metafile: true,
  });
  let page = await readFile("index.html", "utf8");
  for (const path of Object.keys(metafile.outputs)) {
    const file = basename(path);
    page = page.replace(`{{${file.replace(/-[A-Z0-9]+(\.\w+)$/, "$1")}}}`, relative(out, path));
  }
  const licence = await readFile("node_modules/uplot/LICENSE", "utf8");
  await writeFile(join(out, "licences.txt"), `uPlot, which draws the charts:\n\n${licence}`);
  if (page.includes("{{")) throw new Error("index.html names an asset that was not made");
  await writeFile(join(out, "index.html"), page);
}

const [first, second] = process.argv.slice(2);
if (first === "--tests") await bundleTests(second ?? "test-out");
else await bundlePage(first ?? "dist");
