/** The packages of the design, which are listed with their roles in `src/DEPENDENCIES.md`, are used in these roles. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import Router from '@koa/router';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { createRouters as createComposeRouters } from '../../generated/compose/router.js';
import composeContract from '../../generated/compose/openapi.json' with { type: 'json' };
import { createRouters as createPlatformRouters } from '../../generated/platform/router.js';
import platformContract from '../../generated/platform/openapi.json' with { type: 'json' };
import { record } from '../../src/contract-tools/documents.js';

interface CardItem {
  readonly name: string;
  /** The files that use the package in its role. */
  readonly places: readonly string[];
  /** The tests that would fail without it. */
  readonly tests: readonly string[];
}

const [, table = ''] = (await readFile('src/DEPENDENCIES.md', 'utf8')).split(/<!-- \/?card -->/);
const items = table.split('\n').flatMap((row): CardItem[] => {
  const [name, , places, tests] = row.split('|').slice(1, -1).map(codeIn);
  return name?.[0] === undefined ? [] : [{ name: name[0], places: places ?? [], tests: tests ?? [] }];
});

/** The texts in backquotes. */
function codeIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** The manifests of the product and of the packages in the workspace. */
async function manifestsOfWorkspace(): Promise<string[]> {
  const { workspaces } = record(JSON.parse(await readFile('package.json', 'utf8')));
  const folders = Array.isArray(workspaces) ? workspaces.map(String) : [];
  return ['package.json', ...folders.map((folder) => `${folder}/package.json`)];
}

/** The packages whose role is not a call from a module. */
const withoutCalls: ReadonlySet<string> = new Set([
  '@graphql-codegen/typescript-resolvers',
  '@redocly/cli',
  'openapi-fetch',
  'vitest',
]);

test('The list has every package of the design, and each is installed', async () => {
  const names = items.map(({ name }) => name);
  expect(names).toEqual([
    '@redocly/cli',
    'openapi-typescript',
    'openapi-fetch',
    '@graphql-codegen/cli',
    '@graphql-codegen/typescript-resolvers',
    'koa',
    '@koa/router',
    'koa-body',
    'ajv',
    'graphql-helix',
    'postgres',
    'jose',
    'vitest',
  ]);
  const installed = new Set<string>();
  for (const file of await manifestsOfWorkspace()) {
    const manifest = record(JSON.parse(await readFile(file, 'utf8')));
    for (const kind of ['dependencies', 'devDependencies'])
      for (const name of Object.keys(record(manifest[kind] ?? {}))) installed.add(name);
  }
  expect(names.filter((name) => !installed.has(name))).toEqual([]);
});

test.each(items)('$name has its places and its tests', ({ places, tests }) => {
  expect(places).not.toEqual([]);
  expect(tests).not.toEqual([]);
  expect([...places, ...tests].filter((file) => !existsSync(file))).toEqual([]);
});

test.each(items.filter(({ name }) => !withoutCalls.has(name)))(
  '$name is called in its places',
  async ({ name, places }) => {
    const calls = await Promise.all(
      places.map(async (place) => [place, callsOf(name, place, await readFile(place, 'utf8'))] as const),
    );
    expect(calls.filter(([, count]) => count === 0)).toEqual([]);
  },
);

test('An import of a type, or without a call, does not count', () => {
  const used = `import Koa, { type Context } from 'koa';\nnew Koa();`;
  expect(callsOf('koa', 'a.ts', used)).toBe(1);
  expect(callsOf('koa', 'a.ts', `import Koa from 'koa';`)).toBe(0);
  expect(callsOf('koa', 'a.ts', `import type Koa from 'koa';\nKoa();`)).toBe(0);
  expect(callsOf('koa-body', 'a.ts', used)).toBe(0);
});

test.each([
  ['platform', createPlatformRouters(() => () => undefined), platformContract],
  ['compose', createComposeRouters(() => () => undefined), composeContract],
] as const)('@koa/router routes every operation of the API %s', (_api, routers, { paths }) => {
  const routed = routers.flatMap((router) => {
    expect(router).toBeInstanceOf(Router);
    return router.stack.map(({ name }) => name);
  });
  const documented = Object.values(paths).flatMap((item) =>
    Object.values(item).map((operation) => String(record(operation)['operationId'])),
  );
  expect(routed.sort()).toEqual(documented.sort());
});

test('koa carries every request: the application adds middleware and replaces none of its methods', async () => {
  const text = await readFile('src/contract/application.ts', 'utf8');
  expect(text).toMatch(/\.use\(/);
  expect(text).not.toMatch(/extends Koa|\.callback = /);
});

test('openapi-typescript writes the types of each API once', async () => {
  const files = ['generated', 'sdk/src', 'src'].map(async (folder) => {
    const names = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
    const texts = await Promise.all(names.map((file) => readFile(`${folder}/${file}`, 'utf8')));
    return names
      .filter((_, index) => /^export interface paths \{/m.test(texts[index] ?? ''))
      .map((file) => `${folder}/${file}`);
  });
  expect((await Promise.all(files)).flat().sort()).toEqual([
    'sdk/src/generated/compose/openapi.ts',
    'sdk/src/generated/platform/openapi.ts',
  ]);
});

test('openapi-fetch sends every call of the SDK, and infers the calls by path', async () => {
  expect(callsOf('openapi-fetch', 'client.ts', await readFile('sdk/src/client.ts', 'utf8'))).toBeGreaterThan(0);
  const methods = await readFile('sdk/src/path-methods.ts', 'utf8');
  for (const type of ['ClientPathsWithMethod', 'ParamsOption', 'RequestBodyOption', 'FetchResponse'])
    expect(methods).toMatch(new RegExp(`${type}<`));
});

test('codegen.yml is what @graphql-codegen/cli runs, with the plugin of the resolvers that the server implements', async () => {
  expect(await readFile('src/codegen/graphql/emit-types.ts', 'utf8')).toContain(`loadContext('codegen.yml')`);
  const outputs = record(record(parse(await readFile('codegen.yml', 'utf8')))['generates']);
  expect(record(outputs['generated/graphql/resolvers.ts'])['plugins']).toContain('typescript-resolvers');
  expect(await readFile('src/analytics/graphql/resolvers.ts', 'utf8')).toMatch(/generated\/graphql\/resolvers\.js/);
});

test('@redocly/cli lints, runs the workflows and builds the references; the bundler is of the same major', async () => {
  const manifest = record(JSON.parse(await readFile('package.json', 'utf8')));
  expect(record(manifest['scripts'])['check:contracts']).toBe('redocly lint');
  expect(await readFile('src/codegen/build/build-reference.ts', 'utf8')).toContain(`'build-docs'`);
  expect(await readFile('test/journeys/journey.ts', 'utf8')).toContain(`'respect'`);
  const majors = ['@redocly/cli', '@redocly/openapi-core'].map(
    (name) => /\d+/.exec(String(record(manifest['devDependencies'])[name]))?.[0],
  );
  expect(majors[0]).toBe(majors[1]);
});

test('vitest runs the tests', async () => {
  const manifest = record(JSON.parse(await readFile('package.json', 'utf8')));
  for (const script of ['test', 'test:all']) expect(record(manifest['scripts'])[script]).toMatch(/\bvitest run\b/);
});

/** How often a module calls what it imports of a package as a value. */
function callsOf(name: string, file: string, text: string): number {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  const bindings = new Set<string>();
  for (const statement of source.statements) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue;
    const { text: from } = statement.moduleSpecifier;
    const clause = statement.importClause;
    if ((from !== name && !from.startsWith(`${name}/`)) || clause === undefined) continue;
    if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) continue;
    if (clause.name !== undefined) bindings.add(clause.name.text);
    if (clause.namedBindings !== undefined && ts.isNamedImports(clause.namedBindings))
      for (const element of clause.namedBindings.elements) if (!element.isTypeOnly) bindings.add(element.name.text);
  }
  let calls = 0;
  const visit = (node: ts.Node): void => {
    if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && bindings.has(rootOf(node.expression))) calls += 1;
    ts.forEachChild(node, visit);
  };
  visit(source);
  return calls;
}

/** The first name of `name.member.member`. */
function rootOf(expression: ts.Expression): string {
  if (ts.isPropertyAccessExpression(expression)) return rootOf(expression.expression);
  return ts.isIdentifier(expression) ? expression.text : '';
}
