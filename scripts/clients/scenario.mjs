// What every client does with hewto: list, call, error, resource, prompt, completion, progress, cancel, elicitation,
// and hearing of a change. Run by run.sh with one of the TypeScript SDKs:
//
//   node scenario.mjs v1|v2 legacy|auto stdio WORKSPACE COMMAND ARGS…
//   node scenario.mjs v1|v2 legacy|auto http WORKSPACE URL
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [sdk, mode, transportKind, workspace, target, ...args] = process.argv.slice(2);
const require = createRequire(`${process.env.CLIENTS}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const { client, updated } = sdk === "v1" ? await connectV1() : await connectV2();

const names = await everyTool();
for (const name of ["spec_create", "spec_list", "require_clarification"]) assert(names.includes(name), name);

const made = await call("spec_create", { title: `By ${sdk} ${mode} ${transportKind}`, description: "A client was here" });
assert(!made.isError, JSON.stringify(made));
const id = made.structuredContent.spec_id;
assert.equal(JSON.parse(made.content[0].text).spec_id, id);

const refused = await call("spec_status", { spec_id: "no-such-spec" });
assert.equal(refused.isError, true);
assert.equal(JSON.parse(refused.content[0].text).error, "spec_not_found");
await assert.rejects(call("no_such_tool", {}), (error) => error.code === -32602);

const uri = `airsspec:///${id}/spec`;
assert((await client.listResources()).resources.length > 2);
assert((await client.listResourceTemplates()).resourceTemplates.length >= 4);
assert.match((await client.readResource({ uri })).contents[0].text, /A client was here/);
await assert.rejects(client.readResource({ uri: "airsspec:///no-such/spec" }));

assert((await client.listPrompts()).prompts.some((prompt) => prompt.name === "create_plan"));
const prompt = await client.getPrompt({ name: "create_plan", arguments: { spec_id: id } });
assert(prompt.messages[0].content.text.includes(id));

const completed = await client.complete({
  ref: { type: "ref/prompt", name: "create_plan" }, argument: { name: "spec_id", value: id.slice(0, -1) },
});
assert(completed.completion.values.includes(id));
const unknown = await client.complete({
  ref: { type: "ref/prompt", name: "no_such" }, argument: { name: "x", value: "" },
});
assert.deepEqual(unknown.completion.values, []);

// A writer that waits for the lock is slow, so that there is something to report and to cancel.
{
  const release = await holdLock();
  let reports = 0;
  const slow = call("spec_update", { spec_id: id, description: "Slowly" }, {
    onprogress: () => { reports += 1; release(); }, timeout: 30_000,
  });
  assert(!(await slow).isError);
  assert(reports > 0, "no progress was reported");
}
{
  const release = await holdLock();
  const abort = new AbortController();
  const doomed = call("spec_update", { spec_id: id, description: "Never" }, { signal: abort.signal });
  await withTimeout(logged('"Never"'), "the call did not arrive");
  abort.abort("enough");
  await assert.rejects(doomed);
  // Before the lock is free: its release could overtake the cancellation.
  await withTimeout(logged('"status":"cancelled"'), "the call was not cancelled");
  release();
  assert.doesNotMatch((await client.readResource({ uri })).contents[0].text, /Never/);
}

const decided = await call("require_clarification", { user_intention: "Add authentication" });
assert.equal(decided.structuredContent.status, "completed", JSON.stringify(decided));

await listen();
appendFileSync(`${workspace}/specs/${id}/spec.md`, "\nBy hand.\n");
await withTimeout(updated, "the client was not told of the change");

await client.close();
console.log(`ok  TypeScript ${sdk} ${mode} ${transportKind}`);
process.exit(0);

function call(name, args, options) {
  const params = { name, arguments: args };
  return sdk === "v1" ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

async function everyTool() {
  const names = [];
  let cursor;
  do {
    const page = await client.listTools(cursor ? { cursor } : undefined);
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor);
  return names;
}

async function listen() {
  if (sdk === "v1" || mode === "legacy") await client.subscribeResource({ uri });
  else await client.listen({ resourceSubscriptions: [uri] });
}

/** Holds the workspace's lock in another process; the returned function lets go. */
function holdLock() {
  const holder = spawn("flock", [`${workspace}/.hewto/lock`, "sh", "-c", "echo held; read _"]);
  return new Promise((resolve) => holder.stdout.once("data", () => resolve(() => holder.stdin.end())));
}

/** Waits until the server has noted this. */
async function logged(part) {
  const logs = `${workspace}/.hewto/logs`;
  const files = () => readdirSync(logs).filter((name) => name.endsWith(".jsonl"));
  while (!files().some((name) => readFileSync(`${logs}/${name}`, "utf8").includes(part))) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function withTimeout(promise, message) {
  const timeout = new Promise((_, reject) => setTimeout(() => reject(new Error(message)), 60_000));
  return Promise.race([promise, timeout]);
}

function answer() {
  return { action: "accept", content: { auth_strategy: "OAuth", auth_library: "next-auth" } };
}

async function connectV1() {
  const at = "@modelcontextprotocol/sdk/";
  const { Client } = await load(`${at}client/index.js`);
  const { StdioClientTransport } = await load(`${at}client/stdio.js`);
  const { StreamableHTTPClientTransport } = await load(`${at}client/streamableHttp.js`);
  const { ElicitRequestSchema, ResourceUpdatedNotificationSchema } = await load(`${at}types.js`);
  const client = new Client({ name: "scenario", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => answer());
  const updated = new Promise((resolve) => client.setNotificationHandler(ResourceUpdatedNotificationSchema, resolve));
  await client.connect(transportOf(StdioClientTransport, StreamableHTTPClientTransport));
  return { client, updated };
}

async function connectV2() {
  const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const client = new Client({ name: "scenario", version: "1" },
    { capabilities: { elicitation: {} }, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", async () => answer());
  const updated = new Promise((resolve) => client.setNotificationHandler("notifications/resources/updated", resolve));
  await client.connect(transportOf(StdioClientTransport, StreamableHTTPClientTransport));
  const version = client.getNegotiatedProtocolVersion();
  assert.equal(version, mode === "auto" ? "2026-07-28" : "2025-11-25");
  return { client, updated };
}

function transportOf(Stdio, Http) {
  return transportKind === "stdio"
    ? new Stdio({ command: target, args, cwd: workspace, stderr: "inherit" })
    : new Http(new URL(target));
}
