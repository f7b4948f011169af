/**
 * The contract gate, run after the tests: `npx tsx test/contract/gate.ts`. It prints everything that the contracts
 * document with a mark for what the tests have seen of it, writes the same as a page, and fails unless all was seen and
 * nothing else.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { observationsFolder } from '../support/recorder.js';
import { readExceptions } from './gate/exceptions.js';
import { judge } from './gate/judge.js';
import { renderPage } from './gate/page.js';
import { readSurfaces } from './gate/surfaces.js';
import { printTree } from './gate/tree.js';

const root = process.cwd();
const exceptions = await readExceptions(join(root, 'test/contract/exceptions.yaml'));
const verdict = judge(await readSurfaces(root), exceptions);
const page = join(root, observationsFolder, 'index.html');
await mkdir(join(root, observationsFolder), { recursive: true });
await writeFile(page, renderPage(verdict));
console.log(`${printTree(verdict)}\nAs a page: ${relative(root, page)}`);
process.exitCode = verdict.passed ? 0 : 1;
