import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createSmallProject, type SmallProject } from './small-project.js';

// Each run of the generator starts redocly, ajv, esbuild and prettier.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let project: SmallProject;
beforeAll(async () => {
  project = await createSmallProject();
  await project.generate();
});
afterAll(() => project.remove());

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  customConditions: ['@plumbline/source'],
};

const imports = `
import type { AddToolHandler, AddToolReply, ReadToolReply, ListToolsHandler, ReadToolHandler, RemoveToolHandler, WatchVisitsHandler, WorkshopHandlers, WriteNoteHandler } from './generated/workshop/operations.js';
import type { WorkshopSecurity } from './generated/workshop/security.js';
import { emailAlreadyRegistered, malformedRequest, noteNotFound, notesLocked } from './generated/problems.js';
const saw = { id: 1, name: 'Saw', note: null, parts: [] };
`;

/** Compiles each snippet beside the generated files; gives the messages by the snippet's name. */
async function compile(snippets: Readonly<Record<string, string>>): Promise<Record<string, string[]>> {
  const entries = Object.entries(snippets);
  const paths = entries.map((_, index) => join(project.root, `snippet-${index}.ts`));
  await Promise.all(entries.map(([, text], index) => writeFile(paths[index] ?? '', imports + text)));
  const program = ts.createProgram(paths, { ...options, typeRoots: [join(project.root, 'node_modules/@types')] });
  const messages = ts.getPreEmitDiagnostics(program).map((each) => ({
    path: each.file?.fileName,
    text: ts.flattenDiagnosticMessageText(each.messageText, '\n'),
  }));
  const of = (path: string | undefined): string[] =>
    messages.filter((each) => each.path === path).map(({ text }) => text);
  expect(messages.filter(({ path }) => path === undefined || !paths.includes(path))).toEqual([]);
  return Object.fromEntries(entries.map(([name], index) => [name, of(paths[index])]));
}

test('Every documented reply compiles, and handlers receive the types of the contract', async () => {
  const messages = await compile({
    'each kind of reply': `
      export const add: AddToolHandler<null> = () => ({ status: 201, headers: { Location: '/tools/1' }, body: saw });
      export const read: ReadToolHandler<null> = ({ params }) => (params.tool_id > 7 ? noteNotFound({ message: 'No.' }) : { status: 200, body: saw });
      export const remove: RemoveToolHandler<null> = () => ({ status: 204 });
      export const write: WriteNoteHandler<null> = ({ body }) => ({ status: 200, body: body?.text ?? '' });
      export const watch: WatchVisitsHandler<null> = () => ({ status: 200, body: (async function* () { yield { visitor: 'Robin' }; })() });
    `,
    'the cause, for the log': `
      export const read: ReadToolHandler<null> = () => noteNotFound({ message: 'No.' }, { cause: new Error('gone') });
    `,
    'defaults are there, optional parameters may not be': `
      export const list: ListToolsHandler<null> = ({ query }) => {
        const limit: number = query.limit;
        const tags: string[] | undefined = query.tag;
        return { status: 200, body: { limit, tags: tags ?? [], borrowed: query.borrowed ?? null, etag: null, workbench: null, tools: [] } };
      };
      export const add: AddToolHandler<null> = ({ body }) => {
        const parts: number[] = body.parts;
        return { status: 201, headers: { Location: '/' }, body: { id: 1, name: body.name, note: body.note, parts } };
      };
    `,
    'an anonymous caller is null': `
      export const read: ReadToolHandler<null> = ({ principal }) => ({ status: 200, body: { ...saw, name: principal?.name ?? 'you' } });
    `,
    'a promise of a reply': `
      export const remove: RemoveToolHandler<null> = async () => ({ status: 204 });
    `,
    'the dependencies': `
      export const remove: RemoveToolHandler<{ count: () => number }> = (_request, { count }) => (count(), { status: 204 });
    `,
  });
  expect(messages).toEqual(Object.fromEntries(Object.keys(messages).map((name) => [name, []])));
});

const wrong = {
  'an undocumented status': `export const remove: RemoveToolHandler<null> = () => ({ status: 200 });`,
  'an undocumented status with the right body': `export const read: ReadToolHandler<null> = () => ({ status: 202, body: saw });`,
  'a body where none is documented': `export const remove: RemoveToolHandler<null> = () => ({ status: 204, body: saw });`,
  'a missing body': `export const read: ReadToolHandler<null> = () => ({ status: 200 });`,
  "another operation's body": `export const read: ReadToolHandler<null> = () => ({ status: 200, body: { visitor: 'Robin' } });`,
  'a missing property': `export const read: ReadToolHandler<null> = () => ({ status: 200, body: { id: 1, name: 'Saw', note: null } });`,
  'an extra property, where the handler states what it returns': `export const read: ReadToolHandler<null> = (): ReadToolReply => ({ status: 200, body: { id: 1, name: '', note: null, parts: [], secret: 1 } });`,
  'a missing required header': `export const add: AddToolHandler<null> = () => ({ status: 201, body: saw });`,
  'a header that the pipeline fills, likewise': `export const add: AddToolHandler<null> = (): AddToolReply => ({ status: 201, headers: { Location: '/', RateLimit: '1' }, body: saw });`,
  'a header where none is documented': `export const read: ReadToolHandler<null> = () => ({ status: 200, headers: { Location: '/' }, body: saw });`,
  "another operation's problem": `export const remove: RemoveToolHandler<null> = () => noteNotFound({ message: 'No.' });`,
  'a problem that no operation here has': `export const read: ReadToolHandler<null> = () => emailAlreadyRegistered();`,
  'a problem that only the pipeline raises': `export const write: WriteNoteHandler<null> = () => malformedRequest({ message: 'No.' });`,
  'a problem without its members': `export const locked = notesLocked({});`,
  'a list for a stream': `export const watch: WatchVisitsHandler<null> = () => ({ status: 200, body: [{ visitor: 'Robin' }] });`,
  'an undocumented line of a stream': `export const watch: WatchVisitsHandler<null> = () => ({ status: 200, body: (async function* () { yield { guest: 'Robin' }; })() });`,
  'a parameter that there is not': `export const list: ListToolsHandler<null> = ({ query }) => query.colour;`,
  'a body that may be absent': `export const write: WriteNoteHandler<null> = ({ body }) => ({ status: 200, body: body.text });`,
  'a caller who may be anonymous': `export const read: ReadToolHandler<null> = ({ principal }) => ({ status: 200, body: { ...saw, name: principal.name } });`,
  'an operation without handler': `export const handlers: WorkshopHandlers<null> = {} as Omit<WorkshopHandlers<null>, 'addTool'>;`,
  'a security scheme without handler': `export const security: WorkshopSecurity = {};`,
};

test('An undocumented reply does not compile', async () => {
  const messages = await compile(wrong);
  const compiling = Object.entries(messages).filter(([, found]) => found.length === 0);
  expect(compiling).toEqual([]);
  const unknownNames = Object.values(messages)
    .flat()
    .filter((text) => /Cannot find|has no exported member/.test(text));
  expect(unknownNames).toEqual([]);
});
