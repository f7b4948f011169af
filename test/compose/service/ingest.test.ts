import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { DEFAULT_LIMITS } from '../../../src/compose/service/projects/limits.js';
import { openProjectRegistry, type RegistryOptions } from '../../../src/compose/service/projects/registry.js';
import { loadingWorker } from '../../support/loading-worker.js';
import { runService, shop, type RunningService } from './running-service.js';

const registryOptions = (folder: string): RegistryOptions => ({
  folder,
  clock: systemClock,
  allowances: new Set(),
  limits: DEFAULT_LIMITS,
  loadingWorker,
});

let running: RunningService;
beforeAll(async () => {
  running = await runService();
});
afterAll(() => running.stop());

const web = (definition: string): string => `services: { web: { image: app, ${definition} } }`;
const deep = (levels: number, inner: string, open: string, close: string): string =>
  `${open.repeat(levels)}${inner}${close.repeat(levels)}`;

/** What is wrong with a compose file, and what is answered. */
const wrong: readonly (readonly [error: string, failureCase: string, yaml: string, members?: object])[] = [
  ['ComposeError', 'imageNotFound', 'services: { web: {} }', { service: 'web' }],
  ['ComposeError', 'invalidShellTokenization', web(`command: "echo 'x"`), { input: "echo 'x" }],
  ['YamlError', 'malformed', 'services: [', {}],
  ['YamlError', 'limitExceeded', `x-deep: ${deep(70, '', '[', ']')}`, {}],
  ['ExtendsError', 'cyclicExtends', 'services: { a: { extends: b }, b: { extends: a } }', {}],
  ['ExtendsError', 'serviceNotFound', web('extends: { service: base }'), { service: 'web', extended: 'base' }],
  ['ComposeMemoryParseError', 'empty', web('mem_limit: " "'), {}],
  ['ComposeMemoryParseError', 'invalid', web('mem_limit: 12 parsecs'), { input: '12 parsecs' }],
  ['ComposeMemoryParseError', 'negative', web('mem_limit: "-1m"'), { input: '-1m' }],
  ['ComposeMemoryParseError', 'overflow', web('mem_limit: 99999999999t'), { input: '99999999999t' }],
  ['InterpolationError', 'invalidTemplate', web('user: "${"'), { template: '${' }],
  ['InterpolationError', 'requiredVariable', web('user: "${WHO:?say who}"'), { variable: 'WHO', reason: 'say who' }],
  ['InterpolationError', 'nestedTooDeeply', web(`user: "${deep(40, 'x', '${A:-', '}')}"`), {}],
  ['ComposeValidationError', 'unknownKey', web('imgae: x'), { path: ['services', 'web'], key: 'imgae' }],
  ['ComposeValidationError', 'missingKey', web('develop: { watch: [{ path: a }] }'), { key: 'action' }],
  ['ComposeValidationError', 'invalidValue', web('privileged: [1]'), { path: ['services', 'web', 'privileged'] }],
  ['ComposeValidationError', 'cannotMerge', `${web('')}\nx-a: { b: 1 }\n---\nx-a: [1]`, {}],
  ['ComposeValidationError', 'undefinedReference', web('networks: [front]'), { kind: 'network' }],
  [
    'ComposeValidationError',
    'disabledReference',
    'services: { a: { image: app, depends_on: [b] }, b: { image: app, profiles: [p] } }',
    { service: 'b' },
  ],
  ['ComposeValidationError', 'conflict', web('network_mode: none, networks: [default]'), {}],
  [
    'ComposeValidationError',
    'circularDependency',
    'services: { a: { image: app, depends_on: [b] }, b: { image: app, depends_on: [a] } }',
    {},
  ],
  ['ComposeValidationError', 'emptyProject', 'services: {}', {}],
  ['ComposeValidationError', 'notAllowed', `include: [other.yaml]\n${web('')}`, { path: ['include'] }],
];

describe('a compose file that cannot be run here is 400', () => {
  test.each(wrong.map((each) => [`${each[0]}.${each[1]}`, each] as const))('%s', async (_name, each) => {
    const [error, failureCase, yaml, members] = each;
    const path = `/projects/${error}-${failureCase}`.toLowerCase();
    const problem = await running.expect(400, 'POST', path, yaml);
    expect(problem).toMatchObject({ error, case: failureCase, ...members });
    expect(await running.expect(404, 'GET', path)).toMatchObject({ case: 'projectNotFound' });
  });

  test('with the line and column of the error', async () => {
    const problem = await running.expect(400, 'POST', '/projects/wrong', 'services:\n  web:\n    imgae: x\n');
    expect(problem).toMatchObject({ location: { line: 3, column: 5 } });
  });

  test('an invalid name is ComposeError.invalidProjectName', async () => {
    expect(await running.expect(400, 'POST', '/projects/My%20Shop', shop)).toMatchObject({
      error: 'ComposeError',
      case: 'invalidProjectName',
      name: 'My Shop',
    });
  });
});

describe('a character that cannot be stored is also 422 as an escape sequence:', () => {
  test.each([
    ['a lone surrogate', 'user: "\\uD800"', '/body/services/web/user'],
    ['a lone surrogate in a list', 'command: [a, "\\U0000DFFF"]', '/body/services/web/command/1'],
    ['U+0000 in a key', 'labels: { "a/\\0": b }', '/body/services/web/labels'],
    ['U+0000 below a key with a slash', 'labels: { a/b: "\\x00" }', '/body/services/web/labels/a~1b'],
  ])('%s', async (what, definition, path) => {
    const name = what.toLowerCase().replaceAll(/[^a-z]+/g, '-');
    const problem = await running.expect(422, 'POST', `/projects/${name}`, web(definition));
    expect(problem).toMatchObject({ violations: [{ path, rule: 'characters' }] });
    await running.expect(404, 'GET', `/projects/${name}`);
  });

  test('other escape sequences are accepted', async () => {
    const yaml = web('user: "\\u0041\\x42"');
    await running.expect(201, 'POST', '/projects/escaped', yaml);
    await running.expect(204, 'DELETE', '/projects/escaped');
  });
});

describe('a project that was sent cannot read from the server', () => {
  test.each([
    ['a million containers', web('deploy: { replicas: 1000001 }')],
    ['a thousand and one containers', web('scale: 1001')],
  ])('%s is refused', async (what, yaml) => {
    const name = what.toLowerCase().replaceAll(/[^a-z]+/g, '-');
    await running.expect(400, 'POST', `/projects/${name}`, yaml);
    await running.expect(404, 'GET', `/projects/${name}`);
  });

  test('its variables do not come from the environment of the server', async () => {
    const yaml = web('environment: { PATH_OF: "[${PATH}]", HOME_OF: "[${HOME}]" }');
    const { warnings } = (await running.expect(201, 'POST', '/projects/hostile', yaml)) as { warnings: string[] };
    expect(warnings.join()).toContain('The variable PATH is not set');
    await running.expect(200, 'POST', '/projects/hostile/up');
    expect(await running.expect(200, 'GET', '/containers/hostile-web')).toMatchObject({
      environment: { PATH_OF: '[]', HOME_OF: '[]' },
    });
    await running.expect(204, 'DELETE', '/projects/hostile');
  });

  test('a file of 1 MiB is accepted, and a longer one refused', async () => {
    const comment = `${web('')}\n#`;
    await running.expect(201, 'POST', '/projects/long', comment.padEnd(1_048_576, 'x'));
    await running.expect(413, 'POST', '/projects/long', comment.padEnd(1_048_577, 'x'));
    await running.expect(204, 'DELETE', '/projects/long');
  });
});

test('Sending the same file again changes nothing; another file needs replace', async () => {
  expect(await running.expect(201, 'POST', '/projects/twice', shop)).toMatchObject({
    name: 'twice',
    outcome: 'created',
    service_count: 2,
    services: ['db', 'web'],
  });
  expect(await running.expect(200, 'POST', '/projects/twice', shop)).toMatchObject({ outcome: 'unchanged' });
  expect(await running.expect(409, 'POST', '/projects/twice', web(''))).toMatchObject({
    error: 'RuntimeError',
    case: 'alreadyExists',
    id: 'twice',
  });
  expect(await running.expect(200, 'POST', '/projects/twice?replace=true', web(''))).toMatchObject({
    outcome: 'replaced',
    services: ['web'],
  });
});

describe('with a projects folder', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'plumbline-registry-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('projects survive a restart of the server', async () => {
    const first = await runService({ projectsFolder: folder });
    await first.expect(201, 'POST', '/projects/kept', shop);
    await first.stop();
    const second = await runService({ projectsFolder: folder });
    expect(await second.expect(200, 'GET', '/projects/kept')).toMatchObject({
      source: 'ingested',
      services: ['db', 'web'],
    });
    await second.expect(204, 'DELETE', '/projects/kept');
    await second.stop();
    const registry = await openProjectRegistry(registryOptions(folder));
    expect(registry.list()).toEqual([]);
  });

  test('a failed write is 500 persistenceFailure, and the project does not exist', async () => {
    const inner = join(folder, 'inner');
    const server = await runService({ projectsFolder: inner });
    await rm(inner, { recursive: true });
    await writeFile(inner, 'a file where the folder was');
    expect(await server.expect(500, 'POST', '/projects/lost', shop)).toMatchObject({
      error: 'RuntimeError',
      case: 'persistenceFailure',
      message: 'The received compose files could not be written (ENOTDIR).',
    });
    await server.expect(404, 'GET', '/projects/lost');
    expect(await readFile(inner, 'utf8')).toBe('a file where the folder was');
    await server.stop();
    await rm(inner);
  });

  test('an unreadable project fails the start with its name', async () => {
    await writeFile(join(folder, 'broken.json'), '{}');
    await expect(openProjectRegistry(registryOptions(folder))).rejects.toMatchObject({
      failure: { case: 'persistenceFailure' },
      cause: { message: 'broken.json does not contain a project' },
    });
  });
});
