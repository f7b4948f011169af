/** What `publish` writes, refuses and asks. With docker compose and a registry: that they understand each other. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { objectOf, objectsOf, textOf, type Json } from '../../../src/compose/runtime/json.js';
import { registryIsMissing, startRegistry, type TestRegistry } from '../../support/registry.js';
import { tokenRegistry } from '../registry/token-registry.js';
import { commandLine, type CommandLine } from './command-line.js';
import { theirProgram } from './docker-compose-program.js';

const SHOP = {
  'compose.yaml': `# The shop
services:
  web:
    extends:
      file: parts/base.yaml
      service: base
  db: { image: "db:\${TAG:-1}", env_file: [db.env, { path: missing.env, required: false }] }
`,
  'compose.override.yaml': 'services:\n  web:\n    labels: { a: b }\n',
  'parts/base.yaml': 'services:\n  base:\n    image: web\n    env_file: base.env\n',
  'parts/base.env': 'BASE=1\n',
  'db.env': 'COLOUR=green\n',
};

interface Layer {
  readonly type: string;
  readonly annotations: Json;
  readonly text: string;
}

/** Reads a layout by the specification: every blob must have the digest by which it is found. */
async function layersOf(folder: string, tag: string): Promise<{ manifest: Json; layers: readonly Layer[] }> {
  const blob = async (digest: string): Promise<Buffer> => {
    const bytes = await readFile(path.join(folder, 'blobs', ...digest.split(':')));
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
    return bytes;
  };
  expect(await readFile(path.join(folder, 'oci-layout'), 'utf8')).toBe('{"imageLayoutVersion":"1.0.0"}');
  const index = objectOf(JSON.parse(await readFile(path.join(folder, 'index.json'), 'utf8')));
  const entry = objectsOf(index['manifests']).find(
    ({ annotations }) => objectOf(annotations)['org.opencontainers.image.ref.name'] === tag,
  );
  const manifest = objectOf(JSON.parse((await blob(textOf(entry?.['digest']))).toString()));
  const layers = await Promise.all(
    objectsOf(manifest['layers']).map(async ({ mediaType, annotations, digest }) => ({
      type: textOf(mediaType),
      annotations: objectOf(annotations),
      text: (await blob(textOf(digest))).toString(),
    })),
  );
  return { manifest, layers };
}

function hashOf(file: string): string {
  return createHash('sha256').update(file).digest('hex');
}

async function published(line: CommandLine, ...flags: string[]): ReturnType<typeof layersOf> {
  const ran = await line.run('publish', '--oci-layout', 'out', ...flags, 'shop:1.0');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toMatch(/^docker\.io\/library\/shop:1\.0@sha256:[0-9a-f]{64}\n$/);
  return layersOf(path.join(line.folder, 'out'), '1.0');
}

describe('a published project', () => {
  it('has its files, those that they extend, and with --with-env their variables', async () => {
    const line = await commandLine(SHOP);
    const base = path.join(line.folder, 'parts/base.yaml');
    const [dbEnv, missingEnv, baseEnv] = ['db.env', 'missing.env', 'parts/base.env'].map(
      (file) => `${hashOf(path.join(line.folder, file))}.env`,
    );
    const { manifest, layers } = await published(line, '--with-env', '--yes');
    expect(manifest).toMatchObject({ artifactType: 'application/vnd.docker.compose.project' });
    expect(layers.map(({ annotations }) => annotations)).toEqual([
      { 'com.docker.compose.file': 'compose.yaml' },
      { 'com.docker.compose.file': 'compose.override.yaml' },
      { 'com.docker.compose.extends': 'true', 'com.docker.compose.file': `${hashOf(base)}.yaml` },
      { 'com.docker.compose.envfile': dbEnv },
      { 'com.docker.compose.envfile': baseEnv },
    ]);
    // Nothing but the names of files is different.
    expect(layers[0]?.text).toBe(
      SHOP['compose.yaml']
        .replace('parts/base.yaml', `${hashOf(base)}.yaml`)
        .replace('db.env', dbEnv ?? '')
        .replace('missing.env', missingEnv ?? ''),
    );
    expect(layers[2]?.text).toBe(SHOP['parts/base.yaml'].replace('base.env', baseEnv ?? ''));
    expect(layers[3]?.text).toBe(SHOP['db.env']);
  });

  it('of version 1.0 says what it is in its configuration', async () => {
    const { manifest } = await published(await commandLine('services: { a: { image: a } }'), '--oci-version', '1.0');
    expect(manifest['artifactType']).toBeUndefined();
    expect(manifest['config']).toMatchObject({
      mediaType: 'application/vnd.docker.compose.config.empty.v1+json',
      digest: `sha256:${hashOf('{}')}`,
    });
  });

  it('needs the variables of all names of files, also of a service that nothing extends', async () => {
    const line = await commandLine({
      'compose.yaml': 'services: { web: { extends: { file: base.yaml, service: web } } }',
      'base.yaml': 'services:\n  web: { image: a }\n  other:\n    env_file: "${X:?is needed}"\n',
    });
    const ran = await line.run('publish', '--oci-layout', 'out', '--with-env', 'shop:1.0');
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('base.yaml:4:15: ');
    expect(ran.stderr).toContain('is needed');
  });

  it('names files behind aliases, merge keys and blocks', async () => {
    const line = await commandLine({
      'compose.yaml': `
x-env: &env { env_file: a.env }
services:
  a: { image: a, <<: *env }
  b: { image: b, env_file: &file b.env } # kept
  c: { image: c, env_file: *file }
  d:
    image: d
    env_file:
      - >-
        d.env
`,
      'a.env': '',
      'b.env': '',
      'd.env': '',
    });
    const { layers } = await published(line, '--with-env', '--yes');
    const name = (file: string): string => `${hashOf(path.join(line.folder, file))}.env`;
    expect(parse(layers[0]?.text ?? '', { merge: true })).toMatchObject({
      services: {
        a: { env_file: name('a.env') },
        b: { env_file: name('b.env') },
        c: { env_file: name('b.env') },
        d: { env_file: [name('d.env')] },
      },
    });
    expect(layers[0]?.text).toContain('# kept');
    expect(layers.length).toBe(4);
  });

  it('replaces the one of its tag in a layout, and leaves the others', async () => {
    const line = await commandLine('services: { a: { image: a } }');
    await published(line);
    await line.run('publish', '--oci-layout', 'out', 'shop:2.0');
    await published(line);
    const index = objectOf(JSON.parse(await readFile(path.join(line.folder, 'out/index.json'), 'utf8')));
    expect(objectsOf(index['manifests']).length).toBe(2);
  });

  it('leaves the other members of an index in a layout, and no temporary file', async () => {
    const line = await commandLine('services: { a: { image: a } }');
    await published(line);
    const index = path.join(line.folder, 'out/index.json');
    const members = { annotations: { owner: 'team' }, artifactType: 'text/plain' };
    await writeFile(index, JSON.stringify({ ...objectOf(JSON.parse(await readFile(index, 'utf8'))), ...members }));
    await published(line);
    expect(JSON.parse(await readFile(index, 'utf8'))).toMatchObject({ schemaVersion: 2, ...members });
    expect((await readdir(path.dirname(index))).sort()).toEqual(['blobs', 'index.json', 'oci-layout']);
  });

  it.each(['', '{"schemaVersion":2,"manifests":[{"dig', '[]', '{"schemaVersion":1}', '{"schemaVersion":2}'])(
    'is not written into a layout with the index %j',
    async (index) => {
      const line = await commandLine({ 'compose.yaml': 'services: { a: { image: a } }', 'out/index.json': index });
      const file = path.join(line.folder, 'out/index.json');
      expect(await line.run('publish', '--oci-layout', 'out', 'shop')).toEqual({
        code: 1,
        stdout: '',
        stderr: `${file} is not the index of an OCI image layout. Repair or remove it, or name another directory.\n`,
      });
      expect(await readFile(file, 'utf8')).toBe(index);
    },
  );

  it('is not written into a layout whose index cannot be read', async () => {
    const line = await commandLine({ 'compose.yaml': 'services: { a: { image: a } }', 'out/index.json/file': '' });
    const { code, stderr } = await line.run('publish', '--oci-layout', 'out', 'shop');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `${path.join(line.folder, 'out/index.json')} cannot be read (EISDIR).\n`,
    });
  });

  it('has the digests of its images if asked', async () => {
    const registry = await tokenRegistry({ access: 'everybody' });
    const image = `${registry.name}/team/app:1`;
    const line = await commandLine(`services: { a: { image: "${image}" } }`);
    const { layers } = await published(line, '--resolve-image-digests');
    expect(parse(layers[1]?.text ?? '')).toEqual({ services: { a: { image: `${image}@${registry.digest}` } } });
    expect(layers[1]?.annotations).toEqual({ 'com.docker.compose.file': 'image-digests.yaml' });
  });

  it('is not written by a dry run', async () => {
    const line = await commandLine('services: { a: { image: a } }');
    const { code, stdout, stderr } = await line.run('--dry-run', 'publish', '--oci-layout', 'out', 'shop');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('would publish compose.yaml as docker.io/library/shop:latest');
    await expect(readFile(path.join(line.folder, 'out/index.json'))).rejects.toThrow('ENOENT');
  });
});

describe('publish refuses', () => {
  it.each([
    ['include', { 'compose.yaml': 'include: [b.yaml]', 'b.yaml': 'services: { a: { image: a } }' }, 'include'],
    ['services that are only built', { 'compose.yaml': 'services: { a: { build: . } }' }, 'Only built'],
    [
      'values of variables, also with --yes',
      { 'compose.yaml': 'services: { a: { image: a, environment: { A: b } } }' },
      'service "a" has environment.\nUse --with-env',
    ],
    [
      'files of variables',
      { 'compose.yaml': 'services: { a: { image: a, env_file: a.env, profiles: [p] } }', 'a.env': 'A=b' },
      'service "a" has env_file.',
    ],
  ])('%s', async (_, files, words) => {
    const { run } = await commandLine(files);
    const { code, stderr } = await run('publish', '--yes', '--oci-layout', 'out', 'shop');
    expect(code).toBe(2);
    expect(stderr).toContain(words);
  });

  const common = (admin: string): Record<string, string> => ({
    'compose.yaml': 'services:\n  web:\n    extends: { file: parts/common.yaml, service: base }\n',
    'parts/common.yaml': `services:\n  base: { image: web }\n${admin}`,
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'of a service that nothing extends, in an extended file',
      common('  admin: { image: admin, environment: { ADMIN_PIN: "4711-0815" } }'),
      'parts/common.yaml: service "admin" has environment.',
    ],
    [
      'files of such a service',
      common('  admin: { image: admin, env_file: admin.env }'),
      'parts/common.yaml: service "admin" has env_file.',
    ],
    [
      'that a later file resets',
      {
        'compose.yaml': 'services: { a: { image: a, environment: [ADMIN_PIN=4711-0815] } }',
        'compose.override.yaml': 'services: { a: { environment: !reset null } }',
      },
      'compose.yaml: service "a" has environment.',
    ],
    [
      'behind an alias, and in an extension',
      {
        'compose.yaml': `
x-base: &base { image: a, environment: { ADMIN_PIN: "4711-0815" } }
services: { a: { <<: *base, environment: {} } }
`,
      },
      'compose.yaml: x-base has environment.',
    ],
    [
      'of hooks',
      {
        'compose.yaml':
          'services: { a: { image: a, post_start: [{ command: "true", environment: { ADMIN_PIN: "4711" } }] } }',
      },
      'compose.yaml: service "a" has environment.',
    ],
    [
      'from which a config takes its content',
      {
        'compose.yaml':
          'services: { a: { image: a } }\nx-page: &page { environment: PAGE }\nconfigs: { c: { <<: *page } }',
      },
      'compose.yaml: config "c" takes its content from a variable.',
    ],
  ])('values of variables %s', async (_, files, words) => {
    const options = { environment: { PAGE: 'hello' } };
    const { run, folder } = await commandLine({ ...files, 'parts/admin.env': 'A=b' }, options);
    const { code, stdout, stderr } = await run('publish', '--yes', '--oci-layout', 'out', 'shop');
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `${words}\nUse --with-env to publish the values of variables.\n`,
    });
    await expect(readFile(path.join(folder, 'out/index.json'))).rejects.toThrow('ENOENT');
  });

  it('no names that look like variables', async () => {
    await published(
      await commandLine(`
services:
  environment: { image: a, environment: {}, labels: { environment: test, content: text } }
  env_file: { image: b, volumes: [data:/data], environment: !reset null }
volumes: { data: {}, content: {} }
`),
    );
  });

  it.each(['UPPER', `shop@sha256:${'0'.repeat(64)}`, 'https://registry.example/shop'])('the name %s', async (name) => {
    const { run } = await commandLine('services: { a: { image: a } }');
    expect((await run('publish', name)).code).not.toBe(0);
  });
});

describe('publish asks', () => {
  const files = {
    'compose.yaml': `
services:
  a:
    image: a
    volumes: [".:/data", "named:/named"]
    environment:
      PGPASSWORD: "correct horse"
      TOKEN: "\${TOKEN}"
      KEY_FILE: /run/secrets/key
      URL: postgres://me:hidden@db/x
    env_file: a.env
volumes: { named: {} }
`,
    'a.env': 'GH=ghp_1234567890abcdefghijklmnopqrstuvwxyz\nCOLOUR=green\n',
  };
  const publish = ['publish', '--with-env', '--oci-layout', 'out', 'shop'] as const;

  it('about mounts, secrets and variables, and shows no value', async () => {
    const { run, folder } = await commandLine(files, { stdin: 'y\nyes\ny\n' });
    const { code, stdout, stderr } = await run(...publish);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('@sha256:') as string });
    expect(stderr.split('\n').filter((line) => line.startsWith('  '))).toEqual([
      `  compose.yaml: service "a": ${folder} on /data`,
      '  compose.yaml:7: variable with the name of a secret',
      '  compose.yaml:10: password in a URL',
      '  a.env:1: GitHub token',
      '  compose.yaml: service "a": PGPASSWORD, TOKEN, KEY_FILE, URL',
      '  a.env',
    ]);
    for (const secret of ['horse', 'hidden', 'ghp_']) expect(stderr).not.toContain(secret);
  });

  it.each<[string, Record<string, string>, string[]]>([
    [
      'values and files of each file, with its path',
      {
        'compose.yaml': `
services:
  web: { extends: { file: parts/common.yaml, service: base }, environment: [A=b] }
  old: { image: old, volumes: ["\${DATA:-/srv}/old:/old"] }
configs: { page: { content: hello } }
`,
        'compose.override.yaml': 'services: { old: { volumes: !reset [] } }',
        'parts/common.yaml': `
x-page: { content: hello }
services:
  base: { image: web }
  admin:
    image: admin
    env_file: [admin.env, { path: missing.env, required: false }]
    volumes: [{ type: bind, source: ./here, target: /there }, named:/named]
`,
        'parts/admin.env': 'ADMIN_PIN=4711-0815',
      },
      [
        'compose.yaml: service "old": /srv/old on /old',
        'parts/common.yaml: service "admin": FOLDER/parts/here on /there',
        'compose.yaml: config "page"',
        'parts/common.yaml: x-page',
        'compose.yaml: service "web": A',
        'parts/admin.env',
      ],
    ],
    [
      'a file of variables alone',
      { 'compose.yaml': 'services: { a: { image: a, env_file: .env } }', '.env': 'A=b' },
      ['.env'],
    ],
    [
      'names behind merge keys',
      {
        'compose.yaml': `
x-one: &one { A: 1 }
x-two: &two { <<: *one, B: 2 }
services: { a: { image: a, environment: { <<: [*two], C: 3 } } }
`,
      },
      ['compose.yaml: service "a": A, B, C'],
    ],
  ])('about %s', async (_, files, lines) => {
    const { run, folder } = await commandLine(files, { stdin: 'y\ny\ny\ny\n' });
    const { code, stderr } = await run(...publish);
    const asked = stderr.split('\n').filter((line) => line.startsWith('  '));
    expect(asked).toEqual(lines.map((line) => `  ${line.replace('FOLDER', folder)}`));
    expect(code).toBe(0);
  });

  it.each(['', 'n\n', 'y\nno\n', '\n'])('and does not publish after %j', async (stdin) => {
    const { run, folder } = await commandLine(files, { stdin });
    const { code, stdout, stderr } = await run(...publish);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('Not published.');
    await expect(readFile(path.join(folder, 'out/index.json'))).rejects.toThrow('ENOENT');
  });
});

const { program, missing: noProgram } = await theirProgram();
const missing = registryIsMissing ?? noProgram;

describe.skipIf(missing !== undefined)(`with docker compose${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let registry: TestRegistry;
  beforeAll(async () => {
    registry = await startRegistry();
  });
  afterAll(() => registry.stop());

  const theirs = (folder: string, ...args: string[]): Promise<{ stdout: string }> =>
    promisify(execFile)(program ?? '', args, {
      cwd: folder,
      env: { ...process.env, XDG_CACHE_HOME: folder, __TEST__INSECURE__REGISTRY__: 'true' },
    });
  const digests = async (tag: string): Promise<unknown[]> =>
    objectsOf(objectOf((await registry.manifest('shop', tag)).manifest)['layers']).map(({ digest }) => digest);

  it('has the layers that docker compose publishes', async () => {
    const { run, folder } = await commandLine({
      'compose.yaml':
        'services:\n  web:\n    extends:\n      file: base.yaml\n      service: base\n    env_file: w.env\n',
      'base.yaml': 'services:\n  base:\n    image: web\n',
      'w.env': 'A=b\n',
    });
    await theirs(folder, 'publish', '--with-env', '--yes', `${registry.name}/shop:theirs`);
    const ours = await run('publish', '--with-env', '--yes', `${registry.name}/shop:ours`);
    const { digest } = await registry.manifest('shop', 'ours');
    expect(ours).toEqual({ code: 0, stdout: `${registry.name}/shop:ours@${digest}\n`, stderr: '' });
    expect(await digests('ours')).toEqual(await digests('theirs'));
    expect((await digests('ours')).length).toBe(3);
  });

  it('is read by docker compose, in both versions', async () => {
    const line = await commandLine({ ...SHOP, 'parts/base.yaml': 'services: { base: { image: web } }' });
    for (const version of ['1.0', '1.1']) {
      const target = `${registry.name}/shop:read-${version}`;
      expect(await line.run('publish', '-y', '--with-env', '--oci-version', version, target)).toMatchObject({
        code: 0,
      });
      const { stdout } = await theirs(line.folder, '-f', `oci://${target}`, 'config', '--format', 'json');
      const project = objectOf(JSON.parse(stdout));
      expect(project['services']).toMatchObject({
        web: { image: 'web', labels: { a: 'b' } },
        db: { image: 'db:1', environment: { COLOUR: 'green' } },
      });
    }
  });
});
