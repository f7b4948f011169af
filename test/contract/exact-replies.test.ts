import { ESLint } from 'eslint';
import { expect, test, vi } from 'vitest';

// The first text loads the types of the whole project.
vi.setConfig({ testTimeout: 180_000 });

const eslint = new ESLint();

/** Lints a text in the place of a file of the Platform API; only what this rule says. */
async function complaints(text: string): Promise<readonly string[]> {
  const file = 'src/platform/accounts/account-sweep.ts'; // Any file of the project: the rule needs its types.
  const [result] = await eslint.lintText(`${IMPORTS}${text}`, { filePath: file });
  const fatal = result?.messages.filter((message) => message.fatal) ?? [];
  expect(fatal).toEqual([]);
  return (result?.messages ?? [])
    .filter(({ ruleId }) => ruleId === 'plumbline/exact-replies')
    .map(({ message }) => message);
}

const IMPORTS = `
import type { Schemas, StartBrowserSessionHandler, DisownAccountHandler, ListSessionsHandler, WatchSyncRunHandler } from '../../../generated/platform/operations.js';
import { validationFailed } from '../../../generated/problems.js';
import type { PlatformDependencies } from '../dependencies.js';
declare const session: Schemas['Session'];
declare const done: Schemas['DisownResponse'];
type Disown = DisownAccountHandler<PlatformDependencies>;
type Sessions = ListSessionsHandler<PlatformDependencies>;
type Watch = WatchSyncRunHandler<PlatformDependencies>;
`;

const documents = (path: string): string[] => [`The contract does not document ${path} in this reply.`];

test('Documented replies pass: literals, helpers, conditions, problems', async () => {
  const handlers = `
    const helper = (): { readonly status: 200; readonly body: Schemas['DisownResponse'] } => ({ status: 200, body: done });
    export const a: Disown = () => ({ status: 200, body: done });
    export const b: Disown = async () => { await Promise.resolve(); return helper(); };
    export const c: Disown = ({ body }) => body.token === '' ? validationFailed({ message: '', violations: [] }) : helper();
    export const d: Sessions = () => ({ status: 200, body: { items: [session], next_cursor: null } });`;
  expect(await complaints(handlers)).toEqual([]);
});

test.each([
  ['a property of the body', '() => ({ status: 200, body: { ...done, secret: 1 } })', 'body.secret'],
  [
    'the same from an async handler',
    'async () => ({ status: 200, body: { ...(await Promise.resolve(done)), secret: 1 } })',
    'body.secret',
  ],
  [
    'one of two returned objects',
    "({ body }) => { if (body.token === '') return { status: 200, body: { ...done, secret: 1 } }; return { status: 200, body: done }; }",
    'body.secret',
  ],
  [
    'one side of a condition',
    "({ body }) => (body.token === '' ? { status: 200, body: { ...done, secret: 1 } } : { status: 200, body: done })",
    'body.secret',
  ],
  [
    'a variable that has more',
    '() => { const body = { ...done, secret: 1 }; return { status: 200, body }; }',
    'body.secret',
  ],
  [
    'a helper that has more',
    '() => { const helper = () => ({ status: 200 as const, body: { ...done, secret: 1 } }); return helper(); }',
    'body.secret',
  ],
  ['a member of a problem', "() => ({ ...validationFailed({ message: '', violations: [] }), extra: 1 })", 'extra'],
  [
    'a member of the body of a problem',
    "() => { const problem = validationFailed({ message: '', violations: [] }); return { ...problem, body: { ...problem.body, extra: 1 } }; }",
    'body.extra',
  ],
])('An undocumented property is reported: %s', async (_, handler, path) => {
  expect(await complaints(`export const disown: Disown = ${handler};`)).toEqual(documents(path));
});

test.each([
  ['a method', 'export const handlers: { disown: Disown } = { disown() { return { status: 200, body: more }; } };'],
  [
    'a method of a class',
    'export class Handlers implements Record<"disown", Disown> { disown() { return { status: 200 as const, body: more }; } }',
  ],
  [
    'a declared function',
    'function written() { return { status: 200 as const, body: more }; } export const disown: Disown = written;',
  ],
  [
    'a function by its shorthand name',
    'const disown = () => ({ status: 200 as const, body: more }); export const handlers: { disown: Disown } = { disown };',
  ],
  [
    'a function of a namespace, as an argument',
    'const all = { disown: async () => ({ status: 200 as const, body: await Promise.resolve(more) }) }; declare const use: (handler: Disown) => void; use(all.disown);',
  ],
  [
    'a function from another function',
    'const create = () => () => ({ status: 200 as const, body: more }); export const disown: Disown = create();',
  ],
  [
    'an object of handlers',
    'const part = { disown: () => ({ status: 200 as const, body: more }) }; export const handlers: { disown: Disown } = part;',
  ],
  [
    'an object of handlers that another one takes in',
    'const part = { disown: async () => ({ status: 200 as const, body: await Promise.resolve(more) }) }; export const handlers: { disown: Disown } = { ...part };',
  ],
  [
    'one side of a condition in a helper',
    "const helper = (token: string) => token === '' ? { status: 200 as const, body: more } : { status: 200 as const, body: done }; export const disown: Disown = ({ body }) => helper(body.token);",
  ],
  [
    'one side of a condition in the body',
    "export const disown: Disown = ({ body }) => ({ status: 200, body: body.token === '' ? more : done });",
  ],
  [
    'one side of a condition in a constant',
    "export const disown: Disown = ({ body }) => { const reply = body.token === '' ? { status: 200 as const, body: more } : { status: 200 as const, body: done }; return reply; };",
  ],
  [
    'an assertion',
    'export const disown: Disown = () => ({ status: 200, body: more } as { status: 200; body: typeof done });',
  ],
])('An undocumented property is reported wherever the handler is written: %s', async (_, text) => {
  expect(await complaints(`const more = { ...done, secret: 1 }; ${text}`)).toEqual(documents('body.secret'));
});

test('A function that returns itself or its caller is read once', async () => {
  const text = `
    const again = ({ body }: { body: { token: string } }): any => body.token === '' ? again({ body }) : { status: 200, body: done };
    const turn = (token: string) => token === '' ? back(token) : { status: 200 as const, body: done };
    function back(token: string): ReturnType<typeof turn> { return turn(token); }
    export const a: Disown = again;
    export const b: Disown = ({ body }) => turn(body.token);`;
  expect(await complaints(text)).toEqual([]);
});

test('A property of an item of a stream is reported', async () => {
  const handler = (item: string): string => `
    declare const run: Schemas['SyncRun'];
    async function* events() { await Promise.resolve(); yield { id: '1', data: ${item} }; }
    export const watch: Watch = () => ({ status: 200, body: events() });`;
  expect(await complaints(handler('run'))).toEqual([]);
  expect(await complaints(handler('{ ...run, secret: 1 }'))).toEqual(documents('body.[].data.secret'));
});

test('A property of an item of a list is reported', async () => {
  const handler =
    'export const list: Sessions = () => ({ status: 200, body: { items: [{ ...session, secret: 1 }], next_cursor: null } });';
  expect(await complaints(handler)).toEqual(documents('body.items.[].secret'));
});

test('An undocumented header is reported beside a documented one', async () => {
  const reply = (headers: string): string => `
    declare const tokens: Schemas['BrowserSessionResponse'];
    export const start: StartBrowserSessionHandler<PlatformDependencies> = () =>
      ({ status: 200, body: tokens, headers: { ${headers} } });`;
  expect(await complaints(reply("'Set-Cookie': 'a=b'"))).toEqual([]);
  expect(await complaints(reply("'Set-Cookie': 'a=b', 'X-Other': '1'"))).toEqual(documents('headers.X-Other'));
  // The contract documents this header, and only the pipeline sets it.
  expect(await complaints(reply("'Set-Cookie': 'a=b', 'X-Request-Id': '1'"))).toEqual(
    documents('headers.X-Request-Id'),
  );
});
