/**
 * The contract gate, run after the tests: `npx tsx test/contract/gate.ts`. It prints everything that the contracts
 * document with a mark for what the tests have seen of it, writes the same as a page, and fails unless all was seen and
 * nothing else. If it fails, it prints only what fails. With `--operation <id>` or `--tag <tag>` (both repeatable) it judges
 * only those operations, after some of the tests.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { observationsFolder } from '../support/recorder.js';
import { readExceptions } from '../../src/contract-tools/gate/exceptions.js';
import { judge } from '../../src/contract-tools/gate/judge.js';
import { renderPage } from './gate/page.js';
import { partialRun } from './gate/last-run.js';
import { operationsAskedFor, printFailing, selected } from './gate/selection.js';
import { readSurfaces } from './gate/surfaces.js';
import { printTree } from '../../src/contract-tools/gate/tree.js';

const USAGE = 'Usage: npm run gate [-- [--operation <id>]... [--tag <tag>]...]';

const root = process.cwd();
const asked = argumentsGiven();
const exceptions = await readExceptions(join(root, 'test/contract/exceptions.yaml'));
const whole = judge(await readSurfaces(root), exceptions);
const isPart = asked.operations.length + asked.tags.length > 0;
const verdict = isPart ? selected(whole, askedOperations()) : whole;
const page = join(root, observationsFolder, 'index.html');
await mkdir(join(root, observationsFolder), { recursive: true });
await writeFile(page, renderPage(whole));
console.log(`${verdict.passed ? printTree(verdict) : printFailing(verdict)}\nAs a page: ${relative(root, page)}`);
const part = verdict.passed || isPart ? null : partialRun(root);
if (part !== null) console.log(part);
process.exitCode = verdict.passed ? 0 : 1;

function argumentsGiven(): { operations: readonly string[]; tags: readonly string[] } {
  const several = { type: 'string', multiple: true } as const;
  try {
    const { values } = parseArgs({ options: { operation: several, tag: several, help: { type: 'boolean' } } });
    if (values.help !== true) return { operations: values.operation ?? [], tags: values.tag ?? [] };
    console.log(USAGE);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
    process.exit(2);
  }
  process.exit(0);
}

function askedOperations(): ReadonlySet<string> {
  try {
    return operationsAskedFor(root, ['platform', 'compose'], asked);
  } catch (error) {
    console.error(String(error));
    process.exit(2);
  }
}
