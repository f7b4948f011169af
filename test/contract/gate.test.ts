import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openObservations } from '../../src/contract-tools/gate/observations.js';
import { observationsFolder } from '../support/recorder.js';
import { readExceptions } from '../../src/contract-tools/gate/exceptions.js';
import { judge, type Verdict } from '../../src/contract-tools/gate/judge.js';
import { readSurfaces } from './gate/surfaces.js';
import { printTree } from '../../src/contract-tools/gate/tree.js';
import { completeRun, createNotesRepository, type NotesReply, type NotesRepository } from './notes-server.js';

let notes: NotesRepository;
beforeEach(async () => {
  notes = await createNotesRepository();
});
afterEach(() => notes.close());

/** Sends the requests; what is wrong with a reply is swallowed, as a careless test or a retrying client would. */
async function run(requests = completeRun): Promise<void> {
  for (const [method, path] of requests) {
    const response = await notes.recorder.fetch(notes.url + path, { method }).catch(() => null);
    await response?.text().catch(() => null);
  }
}

async function verdict(): Promise<Verdict> {
  const exceptions = await readExceptions(join(notes.root, 'test/contract/exceptions.yaml'));
  return judge(await readSurfaces(notes.root), exceptions);
}

const except = (...units: string[]): Promise<void> =>
  writeFile(
    join(notes.root, 'test/contract/exceptions.yaml'),
    JSON.stringify(units.map((unit) => ({ unit, reason: 'It cannot be made to happen here.' }))),
  );

/** What the gate says beneath the tree. */
const failures = async (): Promise<string> => printTree(await verdict()).split('What fails:')[1] ?? '';

test('A run that shows all documented replies, and no others, passes', async () => {
  await run();
  expect(printTree(await verdict())).toBe(`
notes
  ✓ listNotes
    200  ✓ application/x-ndjson  ✓ header X-Request-Id
  ✓ readNote
    200  ✓ application/json  ✓ header X-Request-Id  ✓ header Cache-Control
    404  ✓ application/problem+json /problems/note-not-found  ✓ header X-Request-Id
  ✓ deleteNote
    204  ✓ no body  ✓ header X-Request-Id
    429  ✓ application/problem+json /problems/rate-limited  ✓ application/problem+json /problems/notes-locked  ✓ header X-Request-Id  ✓ header Retry-After
  ✓ requests that match no operation
    404  ✓ application/problem+json /problems/route-not-found  ✓ header X-Request-Id
    405  ✓ application/problem+json /problems/method-not-allowed  ✓ header X-Request-Id  ✓ header Allow

problems
  ✓ /problems/note-not-found
  ✓ /problems/notes-locked
  ✓ /problems/rate-limited
  ✓ /problems/route-not-found
  ✓ /problems/method-not-allowed

notes: 18 of 18 documented units seen (100 %)
problems: 5 of 5 documented units seen (100 %)
The contract gate is green.`);
});

test.each(completeRun.map((request) => ({ name: request.join(' '), request })))(
  'A run without $name fails',
  async ({ request }) => {
    await run(completeRun.filter((each) => each !== request));
    expect((await verdict()).passed).toBe(false);
    expect(await failures()).toContain('missing: notes > ');
  },
);

const planted: [name: string, change: (right: NotesReply) => Partial<NotesReply>][] = [
  ['an extra property', ({ body }) => ({ body: body.replace('}', ',"extra":1}') })],
  ['a wrong status', () => ({ status: 202 })],
  ['an undocumented problem', ({ body }) => ({ body: body.replace('/problems/', '/problems/no-') })],
  ['a missing header', ({ headers }) => ({ headers: { 'Content-Type': headers['Content-Type'] ?? '' } })],
];

test.each(planted)('One reply with %s fails a complete run, even if no test notices it', async (_name, change) => {
  await run();
  expect((await verdict()).passed).toBe(true);
  notes.plant((_method, _path, right) => ({ ...right, ...change(right) }));
  await run([['GET', '/notes/7']]);
  expect((await verdict()).passed).toBe(false);
  expect(await failures()).toMatch(/^ +not as documented: notes: GET \/notes\/\{\w+\}: readNote/m);
});

test('An undocumented unit that was seen fails the run', async () => {
  await run();
  openObservations(join(notes.root, observationsFolder)).observe('notes', ['shredNote', '200', 'application/json']);
  expect(await failures()).toContain('undocumented: notes > shredNote > 200 > application/json');
});

test('An observation of an API without a contract fails the run', async () => {
  await run();
  openObservations(join(notes.root, observationsFolder)).observe('graphql', ['Query', 'analytics']);
  expect(await failures()).toContain('undocumented: graphql > Query > analytics');
});

test('A problem of the catalogue without a reply fails the run', async () => {
  await run();
  const path = join(notes.root, 'openapi/problems.yaml');
  const idle = `IdleProblem:\n  properties:\n    type: { const: /problems/idle }\n`;
  await writeFile(path, `${await readFile(path, 'utf8')}\n${idle}`);
  expect(await failures()).toContain('missing: problems > /problems/idle');
  await except('problems > /problems/idle');
  expect((await verdict()).passed).toBe(true);
});

const locked = 'notes > deleteNote > 429 > application/problem+json > /problems/notes-locked';
const withoutLocked = completeRun.filter(([method, path]) => `${method} ${path}` !== 'DELETE /notes/3');

test('An exception with a reason replaces a missing observation', async () => {
  await run(withoutLocked);
  await except(locked);
  expect((await verdict()).passed).toBe(true);
  expect(printTree(await verdict())).toContain('notes: 17 of 18 documented units seen (94.4 %), 1 excepted');
});

test('An exception for a unit that was seen fails the run', async () => {
  await run();
  await except(locked);
  expect(await failures()).toContain(`needlessly excepted: ${locked}`);
});

test('An exception for an unknown unit fails the run', async () => {
  await run();
  await except('notes > deleteNote > 410 > no body');
  expect(await failures()).toContain('stale exception, nothing documents it: notes > deleteNote > 410 > no body');
});

test.each([
  ['a map', '{}', 'is not a list'],
  ['an entry without a reason', '[{unit: a > b}]', 'entry 1: it must have a unit and a reason'],
  ['an entry with an empty reason', '[{unit: a > b, reason: " "}]', 'entry 1: the reason is empty'],
  ['an entry twice', '[{unit: a, reason: b}, {unit: a, reason: c}]', 'entry 2: a is repeated'],
])('The file of exceptions is refused with %s', async (_name, text, says) => {
  const path = join(notes.root, 'test/contract/exceptions.yaml');
  await writeFile(path, text);
  await expect(readExceptions(path)).rejects.toThrow(says);
});

test('The script prints the tree, writes the page and sets its exit code', async () => {
  const script = ['node_modules/tsx/dist/cli.mjs', 'test/contract/gate.ts'].map((path) => join(process.cwd(), path));
  const gate = (): Promise<{ stdout: string }> => promisify(execFile)(process.execPath, script, { cwd: notes.root });
  const page = join(notes.root, observationsFolder, 'index.html');
  await run(withoutLocked);
  await expect(gate()).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringContaining(`missing: ${locked}`) as unknown,
  });
  expect(await readFile(page, 'utf8')).toContain('The contract gate is red');
  await run();
  expect((await gate()).stdout).toContain('The contract gate is green.');
  expect(await readFile(page, 'utf8')).not.toMatch(/class="bad"|(src|href)=/);
});

test('Without any request everything is missing', async () => {
  await mkdir(join(notes.root, observationsFolder), { recursive: true });
  const { surfaces } = await verdict();
  expect(new Set(surfaces[0]?.units.map(({ mark }) => mark))).toEqual(new Set(['missing']));
});
