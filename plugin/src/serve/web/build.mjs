// Makes the page: one HTML file with its script and its style, and the policy that allows
// exactly these. Run it in a folder in which `npm ci` has installed esbuild-wasm; it writes
// page.html, page_policy.txt and embedded_page.cc there.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const sources = dirname(fileURLToPath(import.meta.url));
const target = process.cwd();
const require = createRequire(join(target, "package.json"));
const { build } = require("esbuild-wasm");

const { outputFiles } = await build({
  entryPoints: [join(sources, "app.ts")],
  outfile: join(target, "main.js"),
  bundle: true, write: false, minify: true, format: "iife", target: "es2022",
  legalComments: "none",
  logLevel: "warning",
});
const output = (ending) => outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
const script = output(".js");
const style = output(".css");
for (const [text, end] of [[script, "</script"], [style, "</style"]])
  if (text.toLowerCase().includes(end)) throw new Error(`the page would end at its own "${end}"`);

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = ["default-src 'none'", `script-src ${hash(script)}`, `style-src ${hash(style)}`,
  "connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'"].join("; ");
// A browser takes this one from a header only.
const headerPolicy = `${policy}; frame-ancestors 'none'`;

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">' +
  '<rect width="16" height="16" rx="3" fill="#0b5cad"/>' +
  '<path d="M3 12V9h2v3M7 12V5h2v7M11 12V3h2v9" fill="#fff"/></svg>')}`;

const parts = { policy, icon, style, script };
const page = readFileSync(join(sources, "page.html"), "utf8")
  .replace(/\{\{(\w+)\}\}/g, (_all, name) => parts[name]);
writeFileSync(join(target, "page.html"), page);
writeFileSync(join(target, "page_policy.txt"), headerPolicy);
writeFileSync(join(target, "embedded_page.cc"), `#include "serve/site/page.h"

namespace prescope::serve {

constinit const std::string_view kEmbeddedPage = ${literal(page)};

constinit const std::string_view kEmbeddedPolicy = ${literal(headerPolicy)};

}  // namespace prescope::serve
`);

// A C++ string of the text, which is ASCII: esbuild escapes other letters.
function literal(text) {
  if (text.includes(')page"')) throw new Error("the page would end its own literal");
  return `R"page(${text})page"`;
}
