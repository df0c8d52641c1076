// Checks the manifests of target/package: server.json, plugin.json, .mcp.json and package.json against the schemas in
// schemas/, the bundle's manifest with the official `mcpb validate`.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const folder = process.argv[2];
const require = createRequire(`${process.env.CLIENTS}/`);
const Ajv = require("ajv/dist/2020").default;
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

const checks = [
  ["server.json", "server"],
  ["plugin/.claude-plugin/plugin.json", "plugin"],
  ["plugin/.mcp.json", "mcp"],
  ["npm/package.json", "npm"],
];
let failed = 0;
for (const [file, schema] of checks) {
  const ajv = new Ajv({ allErrors: true, strictRequired: false });
  const validate = ajv.compile(read(new URL(`schemas/${schema}.schema.json`, import.meta.url)));
  if (validate(read(`${folder}/${file}`))) {
    console.log(`ok  ${file}`);
  } else {
    failed += 1;
    console.error(`not ok  ${file}: ${ajv.errorsText(validate.errors)}`);
  }
}
execFileSync("mcpb", ["validate", `${folder}/bundle/manifest.json`], { stdio: "inherit" });
process.exit(failed === 0 ? 0 : 1);
