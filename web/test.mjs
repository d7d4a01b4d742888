// Bundles every web/**/*.test.ts into .cache/web-tests/ and runs them with Node's own test runner.
import { spawnSync } from "node:child_process";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const target = path.join(root, ".cache/web-tests");
const found = await readdir(path.join(root, "web"), { recursive: true });
const tests = found.filter((file) => file.endsWith(".test.ts")).map((file) => path.join("web", file));

await rm(target, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: tests,
  outdir: target,
  outbase: "web",
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "inline",
  logLevel: "warning",
});
const bundled = tests.map((file) => path.join(target, path.relative("web", file).replace(/\.ts$/, ".mjs")));
const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...bundled], {
  stdio: "inherit",
  cwd: root,
});
process.exit(run.status ?? 1);
