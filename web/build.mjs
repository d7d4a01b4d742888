// Bundles the page's script, styles, fonts and icon into src/damier/server/static/: content-hashed names, a
// manifest from logical to hashed names, and .gz/.br copies so that the server never compresses while it serves.
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const target = path.join(root, "src/damier/server/static");
const entries = [
  "web/pages/theme.ts",
  "web/pages/lobby.ts",
  "web/pages/learn.ts",
  "web/pages/play.ts",
  "web/pages/account.ts",
  "web/pages/service-worker.ts",
  "web/styles/damier.css",
];
const compressible = new Set([".js", ".css", ".svg", ".txt"]);

const result = await build({
  absWorkingDir: root,
  entryPoints: entries,
  outdir: target,
  entryNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  bundle: true,
  format: "esm",
  target: ["chrome111", "firefox113", "safari16.4"],
  minify: true,
  charset: "utf8",
  loader: { ".woff2": "file" },
  legalComments: "none",
  metafile: true,
  write: false,
  logLevel: "warning",
});

const files = new Map(result.outputFiles.map((file) => [path.basename(file.path), file.contents]));
const manifest = {};
for (const [output, about] of Object.entries(result.metafile.outputs)) {
  const source = about.entryPoint ?? (output.endsWith(".woff2") ? Object.keys(about.inputs)[0] : undefined);
  if (source === undefined) continue;
  manifest[path.basename(source).replace(/\.ts$/, ".js")] = path.basename(output);
}

for (const name of await readdir(path.join(root, "web/icons"))) {
  const icon = await readFile(path.join(root, "web/icons", name));
  const digest = createHash("sha256").update(icon).digest("hex").slice(0, 8).toUpperCase();
  manifest[name] = name.replace(/(?=\.\w+$)/, `-${digest}`);
  files.set(manifest[name], icon);
}

await mkdir(target, { recursive: true });
for (const old of await readdir(target)) await rm(path.join(target, old), { recursive: true });
for (const [name, contents] of files) {
  await writeFile(path.join(target, name), contents);
  if (!compressible.has(path.extname(name))) continue;
  await writeFile(path.join(target, `${name}.gz`), gzipSync(contents, { level: 9 }));
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
  await writeFile(path.join(target, `${name}.br`), brotliCompressSync(contents, options));
}
// The fonts' licence asks to travel with them.
for (const font of ["source-sans-3", "source-serif-4"]) {
  const licence = path.join(root, `node_modules/@fontsource/${font}/LICENSE`);
  await cp(licence, path.join(target, `${font}-licence.txt`));
}
await writeFile(path.join(target, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);

for (const name of Object.keys(manifest).filter((key) => /\.(js|css)$/.test(key))) {
  const size = brotliCompressSync(files.get(manifest[name])).length;
  console.log(`${name.padEnd(12)} ${(size / 1000).toFixed(1)} kB compressed`);
}
