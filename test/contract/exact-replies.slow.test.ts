import { ESLint } from 'eslint';
import { expect, test, vi } from 'vitest';

// The first text loads the types of the whole project.
vi.setConfig({ testTimeout: 180_000 });

const eslint = new ESLint();

/** Lints a text in the place of a file of the Platform API; only what this rule says. */
async function complaints(text: string): Promise<readonly string[]> {
  const file = 'src/platform/identity/accounts/account-sweep.ts'; // Any file of the project: the rule needs its types.
  const [result] = await eslint.lintText(`${IMPORTS}${text}`, { filePath: file });
  const fatal = result?.messages.filter((message) => message.fatal) ?? [];
  expect(fatal).toEqual([]);
  return (result?.messages ?? [])
    .filter(({ ruleId }) => ruleId === 'plumbline/exact-replies')
    .map(({ message }) => message);
}

const IMPORTS = `
import type { Schemas, StartBrowserSessionHandler, DisownAccountHandler, DisownAccountReply, ListSessionsHandler, WatchSyncRunHandler } from '../../../../generated/platform/operations.js';
import { validationFailed } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
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

const flag = 'declare const flag: boolean; const more = { ...done, secret: 1 };';

test.each([
  [
    'a variable in a nested callback with a written type',
    'declare const begin: <T>(work: () => Promise<T>) => Promise<T>; export const disown: Disown = () => begin(async (): Promise<DisownAccountReply> => { const body = await Promise.resolve(more); return { status: 200, body }; });',
  ],
  [
    'a nested callback whose type a type argument gives',
    'declare const begin: <T>(work: () => Promise<T>) => Promise<T>; export const disown: Disown = () => begin<DisownAccountReply>(async () => ({ status: 200, body: await Promise.resolve(more) }));',
  ],
  [
    'a callback that no handler uses',
    'export const work = (): DisownAccountReply => { const reply = { status: 200 as const, body: more }; return reply; };',
  ],
  ['a declared function', 'export function work(): DisownAccountReply { return { status: 200, body: more }; }'],
  [
    'a helper with a written type that returns a variable',
    'const helper = (): { readonly status: 200; readonly body: typeof done } => { const body = more; return { status: 200, body }; }; export const disown: Disown = () => helper();',
  ],
  [
    'a helper whose parameter is typed',
    'const helper = (body: typeof done): DisownAccountReply => ({ status: 200, body }); export const disown: Disown = () => helper(more);',
  ],
  [
    'a helper whose destructured parameter is typed',
    'const helper = ({ body }: { body: typeof done }): DisownAccountReply => ({ status: 200, body }); export const disown: Disown = () => helper({ body: more });',
  ],
  [
    'a condition in Promise.then',
    'export const disown: Disown = async () => ({ status: 200, body: await Promise.resolve().then(() => (flag ? more : done)) });',
  ],
  [
    'a promise before its catch',
    'export const disown: Disown = async () => ({ status: 200, body: await Promise.resolve(more).catch(() => done) });',
  ],
  [
    'one of two returns in the callback of a generic function',
    'const run = async <T>(work: () => Promise<T>): Promise<T> => { return await work(); }; export const disown: Disown = () => run(async () => { await Promise.resolve(); if (flag) return { status: 200 as const, body: more }; return { status: 200 as const, body: done }; });',
  ],
  [
    'the same, where only the type of the generic function is known',
    'declare const run: { begin<T>(work: (name: string) => T | Promise<T>): Promise<T extends unknown[] ? never : T> }; export const disown: Disown = () => run.begin(async () => { await Promise.resolve(); if (flag) return { status: 200 as const, body: more }; return { status: 200 as const, body: done }; });',
  ],
  [
    'a condition in a generic wrapper',
    'const ok = <Body>(body: Body) => ({ status: 200 as const, body }); export const disown: Disown = () => ok(flag ? more : done);',
  ],
  [
    'a condition in a generic wrapper with a written type',
    'const ok = <Body>(body: Body): { status: 200; body: Body } => ({ status: 200, body: body }); export const disown: Disown = () => ok(flag ? more : done);',
  ],
  [
    'a condition in a generic wrapper of which only the type is known',
    'declare const same: <T>(value: T) => T; export const disown: Disown = () => ({ status: 200, body: same(flag ? more : done) });',
  ],
  [
    'a variable that is assigned again',
    'export const disown: Disown = () => { let body = done; if (flag) body = more; return { status: 200, body }; };',
  ],
  [
    'a variable that is assigned later',
    'export const disown: Disown = () => { let reply: DisownAccountReply; if (flag) reply = { status: 200, body: done }; else { const other = { status: 200 as const, body: more }; reply = other; } return reply; };',
  ],
  [
    'a constant with a written type',
    'export const disown: Disown = () => { const body: typeof done = more; return { status: 200, body }; };',
  ],
  [
    'a destructured condition',
    'export const disown: Disown = () => { const { body } = flag ? { body: more } : { body: done }; return { status: 200, body }; };',
  ],
  [
    'a property of a condition',
    'export const disown: Disown = () => { const both = flag ? { body: more } : { body: done }; return { status: 200, body: both.body }; };',
  ],
  [
    'a conditional spread',
    'export const disown: Disown = () => ({ status: 200, ...(flag ? { body: more } : { body: done }) });',
  ],
  [
    'a conditional spread in the body',
    'export const disown: Disown = () => ({ status: 200, body: { ...(flag ? more : done) } });',
  ],
  [
    'a list that is destructured',
    'export const disown: Disown = () => { const all: (typeof done)[] = [more]; const [body = done] = all; return { status: 200, body }; };',
  ],
  [
    'an index',
    "export const disown: Disown = () => { const both = flag ? { body: more } : { body: done }; return { status: 200, body: both['body'] }; };",
  ],
  ['a getter', 'export const disown: Disown = () => ({ status: 200, get body() { return flag ? more : done; } });'],
  [
    'a frozen condition',
    'export const disown: Disown = () => ({ status: 200, body: Object.freeze(flag ? more : done) });',
  ],
  [
    'a reply or nothing',
    'export const work = async (): Promise<DisownAccountReply | null> => { await Promise.resolve(); const reply = { status: 200 as const, body: more }; return flag ? reply : null; };',
  ],
])('An undocumented property is reported however it is hidden: %s', async (_, text) => {
  expect(await complaints(`${flag} ${text}`)).toEqual(documents('body.secret'));
});

test.each([
  [
    'a spread whose property is replaced',
    'const both = { body: more }; export const disown: Disown = () => ({ status: 200, ...(flag ? both : { body: done }), body: done });',
  ],
  [
    'a condition that has excluded the other values',
    'const find = (): { row: string } | DisownAccountReply => (flag ? { row: "" } : { status: 200, body: done }); export const disown: Disown = () => { const found = find(); if ("row" in found) return { status: 200, body: done }; return found; };',
  ],
  [
    'a helper that takes the documented properties out',
    'const view = ({ message }: typeof more): typeof done => ({ message }); export const disown: Disown = () => ({ status: 200, body: view(more) });',
  ],
  [
    'a call that returns another value than its argument',
    'declare const without: <T extends object>(value: T) => Omit<T, "secret">; export const disown: Disown = () => ({ status: 200, body: without(more) });',
  ],
  [
    'one of several values of a tuple',
    'export const disown: Disown = async () => { const [first, second] = await Promise.all([Promise.resolve(more), Promise.resolve(done)]); return { status: 200, body: first.secret > 1 ? second : [more, done][1] ?? second }; };',
  ],
  [
    'one of several values of a tuple that a function returns',
    'const both = () => [more, done] as const; export const disown: Disown = () => { const [, body] = both(); return { status: 200, body }; };',
  ],
  [
    'a property of one alternative, which a condition has found',
    "const find = () => (flag ? { kind: 'a' as const, value: more } : { kind: 'b' as const, value: done }); export const disown: Disown = () => { const found = find(); return { status: 200, body: found.kind === 'a' ? done : found.value }; };",
  ],
  [
    'a function that calls itself',
    'const again = (times: number): DisownAccountReply => (times > 0 ? again(times - 1) : { status: 200, body: done }); export const disown: Disown = () => again(1);',
  ],
])('A documented reply passes: %s', async (_, text) => {
  expect(await complaints(`${flag} ${text}`)).toEqual([]);
});

test('Several functions that return the same value have one report', async () => {
  const text = 'const helper = (): DisownAccountReply => { const body = more; return { status: 200, body }; };';
  const handlers = 'export const a: Disown = () => helper(); export const b: Disown = () => helper();';
  expect(await complaints(`${flag} ${text} ${handlers}`)).toEqual(documents('body.secret'));
});

test('What only a written type describes is not seen', async () => {
  const text = `
    export const a: Sessions = () => {
      const items: (typeof session)[] = [];
      items.push({ ...session, ...{ secret: 1 } });
      return { status: 200, body: { items, next_cursor: null } };
    };
    export const b: Disown = () => {
      const body: typeof done = { ...done };
      Object.assign(body, { secret: 1 });
      return { status: 200, body };
    };`;
  expect(await complaints(text)).toEqual([]);
});

test('A property of an item is reported wherever the item comes from', async () => {
  const list = (items: string): string => `
    declare const flag: boolean; const more = { ...session, secret: 1 };
    export const list: Sessions = async () => ({ status: 200, body: { items: ${items}, next_cursor: null } });`;
  for (const items of [
    '[flag ? more : session]',
    '[1, 2].map(() => (flag ? more : session))',
    '[session].map((each): typeof session => { const view = { ...each, secret: 1 }; return view; }).filter(Boolean)',
    'await Promise.all([1, 2].map(async () => (flag ? more : session)))',
  ])
    expect(await complaints(list(items)), items).toEqual(documents('body.items.[].secret'));
});
