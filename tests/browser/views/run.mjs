// Runs the tests of the page's code that needs no browser: bundles each, then `node --test`.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { buildSync } = createRequire(join(process.env.PRESCOPE_PAGE_PACKAGES, "package.json"))("esbuild-wasm");
const out = mkdtempSync(join(tmpdir(), "prescope-web-tests-"));
const tests = readdirSync(here).filter((name) => name.endsWith(".test.mjs"));
buildSync({ entryPoints: tests.map((name) => join(here, name)), outdir: out, outExtension: { ".js": ".mjs" },
  bundle: true, platform: "node", format: "esm", logLevel: "warning" });
const { status } = spawnSync(process.execPath,
  ["--test", ...tests.map((name) => join(out, name))], { stdio: "inherit", env: { ...process.env, PRESCOPE_SOURCE_DIR: join(here, "../../..") } });
rmSync(out, { recursive: true });
process.exit(status ?? 1);
