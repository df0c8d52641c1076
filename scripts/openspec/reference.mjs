// What OpenSpec says about a workspace: one process for all of its specs and changes.
//
//     node reference.mjs <folder of the installation> <workspace> validate|archive
//
// Prints one JSON object. `validate` gives for every spec and change whether it is valid, plainly and strictly, with
// the issues; `archive` archives every change, one after the other, and says for each whether that worked.

import { readdirSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const [installation, workspace, task] = process.argv.slice(2);
process.env.OPENSPEC_TELEMETRY = '0';
process.env.DO_NOT_TRACK = '1';
process.chdir(workspace);

const load = (path) =>
  import(pathToFileURL(join(installation, 'node_modules/@fission-ai/openspec/dist', path)).href);
const specsFolder = join(workspace, 'openspec/specs');
const changesFolder = join(workspace, 'openspec/changes');

const folders = (folder) =>
  readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map((entry) => entry.name);
const changes = () => folders(changesFolder).filter((name) => name !== 'archive' && !name.startsWith('.')).sort();

function* specFiles(folder) {
  for (const name of folders(folder)) yield* specFiles(join(folder, name));
  const file = join(folder, 'spec.md');
  if (folder !== specsFolder && statSync(file, { throwIfNoEntry: false })?.isFile()) yield file;
}

async function validate() {
  const { Validator } = await load('core/validation/validator.js');
  const [plain, strict] = [new Validator(false), new Validator(true)];
  const both = async (run) => {
    try {
      const report = await run(plain);
      return { valid: report.valid, strict: (await run(strict)).valid, issues: report.issues };
    } catch (error) {
      return { valid: false, strict: false, issues: [{ level: 'ERROR', message: `threw: ${error.message}` }] };
    }
  };
  const result = { specs: {}, changes: {} };
  for (const file of specFiles(specsFolder)) {
    const id = relative(specsFolder, file).split(sep).slice(0, -1).join('/');
    result.specs[id] = await both((validator) => validator.validateSpec(file));
  }
  for (const id of changes()) {
    const options = { mainSpecsDir: specsFolder, projectRoot: workspace };
    result.changes[id] = await both((validator) => validator.validateChangeDeltaSpecs(join(changesFolder, id), options));
  }
  return result;
}

async function archive() {
  const { ArchiveCommand } = await load('core/archive.js');
  const result = {};
  const print = console.log;
  for (const id of changes()) {
    const printed = [];
    console.log = (...words) => printed.push(words.join(' '));
    console.error = () => {};
    try {
      await new ArchiveCommand().execute(id, { yes: true, json: true });
      const answer = JSON.parse(printed.join('\n'));
      const why = (answer.status ?? []).map((status) => `${status.code}: ${status.message}`).join('; ');
      result[id] = { archived: answer.archive !== null, why };
    } catch (error) {
      result[id] = { archived: false, why: `threw: ${error.message}` };
    } finally {
      console.log = print;
    }
  }
  process.exitCode = 0;
  return result;
}

const answer = task === 'archive' ? await archive() : await validate();
process.stdout.write(JSON.stringify(answer));
