/** `build`: its flags, and the file that `--print` prints, compared with docker compose. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { mockBackend } from '../../../src/compose/runtime/mock/mock.js';
import type { BuildSpec } from '../../../src/compose/runtime/spec.js';
import { toAsyncIterable } from '../../../src/contract/system/async-iterable.js';
import { objectOf, parseJson } from '../../../src/compose/runtime/json.js';
import { buildx } from '../../support/engines.js';
import { folderWith } from '../model/project-folder.js';
import { virtualClock } from '../orchestrator/virtual-clock.js';
import { commandLine, consoleOn, type Console } from './command-line.js';
import { theirProgram } from './docker-compose-program.js';

const FILE = `
name: shop
services:
  base:
    build: { context: ./base, dockerfile: Other }
  web.one:
    image: example.com/web:1
    platform: linux/amd64
    build:
      context: .
      dockerfile_inline: "FROM scratch\\nCOPY \${a} /"
      args: { WORD: "\${b}" }
      target: last
      platforms: [linux/amd64, linux/arm64]
      tags: [example.com/web:2]
      labels: { some: label }
      secrets: [file, variable]
      ssh: [default=/agent]
      cache_from: ["type=registry,ref=example.com/cache"]
      cache_to: ["type=inline"]
      no_cache: true
      pull: true
      network: none
      shm_size: 64m
      ulimits: { nofile: { soft: 1, hard: 2 } }
      extra_hosts: ["there=10.0.0.1"]
      entitlements: [network.host]
      privileged: true
      provenance: mode=max
      sbom: "true"
      additional_contexts: { other: "service:base", image: "docker-image://busybox" }
  plain: { image: busybox }
secrets:
  file: { file: ./secret }
  variable: { environment: TOKEN }
`.replaceAll('${', () => '$${');

interface Builds extends Console {
  readonly folder: string;
  readonly specs: BuildSpec[];
}

/** Notes what is built. */
async function buildsOf(file: string, result: string[] = []): Promise<Builds> {
  const folder = await folderWith({ 'compose.yaml': file, secret: 'x', '.env': 'TOKEN=hidden' });
  const clock = virtualClock();
  const { backend } = mockBackend({ clock, programs: () => undefined });
  const specs: BuildSpec[] = [];
  const build: typeof backend.images.build = (spec) => {
    specs.push(spec);
    const lines = result.map((line) => ({ type: 'log', line }) as const);
    return Promise.resolve(toAsyncIterable([...lines, { type: 'done', imageId: '' }]));
  };
  return { folder, specs, ...consoleOn({ ...backend, images: { ...backend.images, build } }, { folder, clock }) };
}

const API =
  'services: { api: { build: { context: ., args: { A: file }, ssh: [default], sbom: "false" }, image: example.com/api } }';

describe('build', () => {
  it.each<[string[], Partial<BuildSpec>]>([
    [['--builder', 'other'], { builder: 'other' }],
    [['-m', '64m'], { memoryBytes: 64 * 1024 * 1024 }],
    [['--no-cache'], { noCache: true }],
    [['--provenance', 'mode=max'], { provenance: 'mode=max' }],
    [['--sbom', 'true'], { sbom: 'true' }],
    [['--pull', '--push'], { pull: true, push: true }],
    [['--ssh', 'key=/k'], { ssh: ['default', 'key=/k'] }],
    [['--ssh', 'default'], { ssh: ['default'] }],
    [['--build-arg', 'A=command'], { buildArguments: { A: 'command' } }],
  ])('%j overrides the file', async (flags, expected) => {
    const { run, specs } = await buildsOf(API);
    expect(await run('build', ...flags)).toMatchObject({ code: 0 });
    expect(specs).toMatchObject([expected]);
  });

  it('--quiet prints nothing', async () => {
    const { run, specs } = await buildsOf(API, ['a line']);
    expect(await run('build', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(specs).toHaveLength(1);
  });

  it('--push leaves out services without an image name', async () => {
    const { run, specs } = await buildsOf('services: { api: { build: . } }');
    expect(await run('build', '--push')).toMatchObject({ code: 0 });
    expect(specs[0]?.push).toBeUndefined();
  });

  it('--check prints the results', async () => {
    const { run, specs } = await buildsOf(API, ['Check complete, no warnings found.']);
    expect(await run('build', '--check')).toEqual({
      code: 0,
      stdout: 'api\nCheck complete, no warnings found.\n',
      stderr: '',
    });
    expect(specs).toMatchObject([{ check: true }]);
  });

  it.each([
    [['--ssh', 'key'], 'It must be default or <id>=<path>.'],
    [['--memory', 'much'], 'It must be a quantity such as 512m or 1gb.'],
  ])('refuses %j', async (flags, message) => {
    const { code, stderr } = await (await buildsOf(API)).run('build', ...flags);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as string });
  });

  it('builds all platforms; up builds the one that the service runs on', async () => {
    const file = (more: string): string =>
      `services: { api: { build: { context: ., platforms: [linux/amd64, linux/arm64] }, image: a ${more} } }`;
    const { run, specs } = await buildsOf(file(''));
    await run('build');
    await run('up', '-d', '--build');
    const other = await buildsOf(file(', platform: linux/arm64'));
    await other.run('up', '-d', '--build');
    expect([...specs, ...other.specs].map(({ platforms }) => platforms)).toEqual([
      ['linux/amd64', 'linux/arm64'],
      undefined,
      ['linux/arm64'],
    ]);
  });

  it.each([
    ['FROM shop-base', '', ['base', 'app']],
    ['FROM --platform=linux/amd64 shop-base:latest AS one', '', ['base', 'app']],
    ['FROM busybox\\nFROM example.com/base:2', ', image: "example.com/base:2"', ['base', 'app']],
    ['ARG BASE\\nFROM $${BASE}', '', ['base', 'app']],
    ['FROM docker.io/library/shop-base', '', ['base', 'app']],
    ['FROM busybox\\nCOPY --from=shop-base /a /a', '', ['base', 'app']],
    ['FROM busybox\\nRUN --mount=type=bind,from=shop-base,target=/b cat /b', '', ['base', 'app']],
    ['FROM busybox', '', ['app', 'base']],
    ['FROM shop-base:2', '', ['app', 'base']],
  ])('%j waits for the services of depends_on that it is built on', async (dockerfile, more, expected) => {
    const file = `
      name: shop
      services:
        app: { build: { context: ., dockerfile_inline: "${dockerfile}" }, depends_on: [base] }
        base: { build: { context: ., dockerfile_inline: "FROM scratch" } ${more} }`;
    for (const command of [['build'], ['up', '-d', '--build']]) {
      const { run, specs } = await buildsOf(file);
      await run(...command);
      expect(specs.map(({ labels }) => labels?.['com.docker.compose.service'])).toEqual(expected);
    }
  });

  it('does not wait for a service whose build waits for it, whatever a variable may stand for', async () => {
    const { run, specs } = await buildsOf(`
      name: shop
      services:
        app: { build: { context: ., dockerfile_inline: "FROM node:$\${V}" }, depends_on: [assets] }
        assets: { build: { context: ., additional_contexts: { app: "service:app" } } }`);
    expect(await run('build')).toMatchObject({ code: 0 });
    expect(specs.map(({ tags }) => tags[0])).toEqual(['shop-app', 'shop-assets']);
  });

  it('reads a Dockerfile of many empty lines, without starting over at each', async () => {
    const { run, specs, folder } = await buildsOf(`
      name: shop
      services:
        app: { build: { context: ., dockerfile: Long }, depends_on: [base] }
        base: { build: { context: . } }`);
    await writeFile(join(folder, 'Long'), `FROM shop-base${'\n'.repeat(900_000)}#`);
    expect(await run('build')).toMatchObject({ code: 0 });
    expect(specs.map(({ tags }) => tags[0])).toEqual(['shop-base', 'shop-app']);
  });

  it('reads a Dockerfile to know what it is built on', async () => {
    const { run, specs, folder } = await buildsOf(`
      name: shop
      services:
        app: { build: { context: ., dockerfile: App }, depends_on: [base] }
        base: { build: { context: . } }`);
    await writeFile(join(folder, 'App'), 'from shop-base\n');
    expect(await run('build')).toMatchObject({ code: 0 });
    expect(specs.map(({ tags }) => tags[0])).toEqual(['shop-base', 'shop-app']);
  });

  it('of a service builds the services whose images it uses', async () => {
    const { run, specs } = await buildsOf(FILE);
    expect(await run('build', 'web.one')).toMatchObject({ code: 0 });
    expect(specs.map(({ tags }) => tags[0])).toEqual(['shop-base', 'example.com/web:1']);
    expect(specs[1]).toMatchObject({
      additionalContexts: { other: 'docker-image://shop-base' },
      secrets: [{ id: 'file' }, { id: 'variable', value: 'hidden', variable: 'TOKEN' }],
    });
  });
});

const { program, missing } = await theirProgram();

describe('build --print', () => {
  it('prints a target for each service, and needs no engine', async () => {
    const { run } = await commandLine({ 'compose.yaml': FILE, secret: 'x', '.env': 'TOKEN=hidden' });
    const { code, stdout, stderr } = await run('build', '--print', 'web.one');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('hidden');
    expect(parseJson(stdout)).toMatchObject({
      group: { default: { targets: ['base', 'web_one'] } },
      target: {
        base: { tags: ['shop-base'], output: ['type=docker'] },
        web_one: {
          contexts: { other: 'target:base', image: 'docker-image://busybox' },
          args: { WORD: '$${b}' },
          secret: [expect.stringMatching(/^id=file,type=file,src=.*secret$/), 'id=variable,type=env,env=TOKEN'],
          output: ['type=image,push=false'],
        },
      },
    });
  });

  const reason = missing ?? (buildx === undefined ? 'TEST_BUILDX is not set' : undefined);
  it.skipIf(program === undefined || buildx === undefined)(
    `prints what docker compose does${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    async () => {
      const folder = await folderWith({ 'compose.yaml': FILE, secret: 'x', '.env': 'TOKEN=hidden' });
      const plugins = join(folder, '.docker', 'cli-plugins');
      await mkdir(plugins, { recursive: true });
      await copyFile(buildx ?? '', join(plugins, 'docker-buildx'));
      const env = { ...process.env, HOME: folder, DOCKER_HOST: 'unix:///nonexistent' };
      const theirs = await promisify(execFile)(program ?? '', ['build', '--print'], { cwd: folder, env });
      const { backend } = mockBackend({ clock: virtualClock(), programs: () => undefined });
      const ours = await consoleOn(backend, { folder, clock: virtualClock() }).run('build', '--print');
      expect(comparable(ours.stdout)).toEqual(comparable(theirs.stdout));
    },
  );
});

/** Without the version in the labels, and with lists in order. */
function comparable(text: string): unknown {
  const strip = (value: unknown): unknown => {
    if (Array.isArray(value)) return [...(value as unknown[])].map(strip).sort();
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(objectOf(value))
        .filter(([key]) => key !== 'com.docker.compose.version')
        .map(([key, each]) => [key, strip(each)]),
    );
  };
  return strip(parseJson(text));
}
