import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { commandLine } from './command-line.js';
import { SHOP } from './shop.js';
import { builtCommand } from '../../cli/built-command.js';
import { tokenRegistry } from '../registry/token-registry.js';
import { theirProgram } from './docker-compose-program.js';

/** Every stage of loading has something to do. */
const STAGED = {
  'compose.yaml': `
services:
  web:
    image: "web:\${TAG:-1.2}"
    build: ./web
    environment: [A=1, "B=\${B}"]
    env_file: [./web.env]
    label_file: ./web.labels
    volumes: ["./data:/data", "named:/n"]
    labels: { a: "\${SET:+x}", b: "\${NAMED:-$OTHER}", c: "\${DEFAULT-1}" }
    depends_on: [db]
  db: { image: "\${REQUIRED?}", networks: [back] }
volumes: { named: {} }
networks: { back: {} }
`,
  '.env': 'FROM_FILE=1',
  'web.env': 'E=from file',
  'web.labels': 'l=from file',
};

const { program, missing } = await theirProgram();

describe('config', () => {
  it('prints, lists and writes the project', async () => {
    const { run, folder } = await commandLine(SHOP);
    expect((await run('config', '--services')).stdout).toBe('db\nweb\n');
    expect((await run('config', '--images')).stdout).toBe('db\nweb\n');
    expect((await run('config', '--hash', 'db')).stdout).toMatch(/^db [0-9a-f]{64}\n$/);
    expect(JSON.parse((await run('config', '--format', 'json')).stdout)).toMatchObject({ name: 'folder' });
    await run('config', '-o', 'out.yaml');
    expect(await readFile(path.join(folder, 'out.yaml'), 'utf8')).toBe((await run('config')).stdout);
  });

  it('prints the hash that up compares, which includes the files copied into the container', async () => {
    const file = (content: string): string =>
      `services: { web: { image: web, configs: [c] }, db: { image: db } }\nconfigs: { c: { content: ${content} } }`;
    const { run, backend, folder } = await commandLine(file('one'));
    await run('up', '-d');
    const labelled = (await backend.containers.list()).map(
      ({ labels }) => `${labels['com.docker.compose.service']} ${labels['com.docker.compose.config-hash']}`,
    );
    const printed = (await run('config', '--hash', '*')).stdout;
    expect(printed.trim().split('\n')).toEqual(labelled.sort());
    await writeFile(path.join(folder, 'compose.yaml'), file('two'));
    const [db, web] = printed.trim().split('\n');
    expect((await run('config', '--hash', 'db')).stdout).toBe(`${db}\n`);
    expect((await run('config', '--hash', 'web')).stdout).not.toBe(`${web}\n`);
    expect(await run('config', '--hash', 'nobody')).toMatchObject({ code: 1 });
  });

  it('does not interpolate variables with --no-interpolate', async () => {
    const { run } = await commandLine('services: { web: { image: "web:$TAG" } }', { environment: { TAG: '7' } });
    expect((await run('config', '--images')).stdout).toBe('web:7\n');
    expect((await run('config', '--no-interpolate')).stdout).toContain('web:$TAG');
  });

  it('leaves paths as they are with --no-interpolate and --no-path-resolution', async () => {
    const { run, folder } = await commandLine(STAGED);
    const web = async (...flags: string[]): Promise<unknown> => {
      const { stdout } = await run('config', '--no-interpolate', '--format', 'json', ...flags);
      return (JSON.parse(stdout) as { services: { web: unknown } }).services.web;
    };
    const paths = (base: string): object => ({
      build: { context: `${base}web` },
      env_file: [{ path: `${base}web.env` }],
      label_file: [`${base}web.labels`],
      volumes: [{ source: `${base}data` }, {}],
    });
    expect(await web('--no-path-resolution')).toMatchObject(paths('./'));
    expect(await web()).toMatchObject(paths(`${folder}/`));
  });

  it('prints the variables that can be used, and those of the file', async () => {
    const { run } = await commandLine(STAGED, { environment: { TAG: '7', PATH: '/bin' } });
    expect((await run('config', '--environment')).stdout).toBe(
      'COMPOSE_PROJECT_NAME=folder\nFROM_FILE=1\nPATH=/bin\nTAG=7\n',
    );
    expect((await run('config', '--variables')).stdout).toBe(
      [
        'NAME       REQUIRED   DEFAULT VALUE   ALTERNATE VALUE',
        'B          false',
        'DEFAULT    false      1',
        'NAMED      false      $OTHER',
        'OTHER      false',
        'REQUIRED   true',
        'SET        false                      x',
        'TAG        false      1.2',
        '',
      ].join('\n'),
    );
    expect(JSON.parse((await run('config', '--variables', '--format', 'json')).stdout)).toMatchObject({
      TAG: { Name: 'TAG', DefaultValue: '1.2', PresenceValue: '', Required: false },
    });
  });

  it('leaves out stages', async () => {
    const { run, folder } = await commandLine(STAGED, { environment: { REQUIRED: 'pg', B: 'bee' } });
    const web = async (...flags: string[]): Promise<unknown> => {
      const { stdout } = await run('config', '--format', 'json', ...flags);
      return (JSON.parse(stdout) as { services: { web: unknown } }).services.web;
    };
    expect(await web('--no-path-resolution')).toMatchObject({
      build: { context: './web' },
      environment: { E: 'from file' },
      volumes: [{ source: './data' }, {}],
    });
    // Its labels have been read.
    expect(await web('--no-path-resolution')).not.toHaveProperty('label_file');
    expect(await web('--no-normalize')).not.toHaveProperty('networks');
    expect((await run('config', '--no-normalize')).stdout).toContain('networks:\n  back: {}\n');
    expect(await web('--no-env-resolution')).toMatchObject({
      env_file: [{ path: path.join(folder, 'web.env') }],
      environment: { A: '1', B: 'bee' },
    });
    expect(await web('--no-path-resolution', '--no-env-resolution')).toMatchObject({
      env_file: [{ path: './web.env' }],
      label_file: ['./web.labels'],
    });
    const inconsistent = await commandLine('services: { web: { image: web, networks: [none] } }');
    expect(await inconsistent.run('config')).toMatchObject({ code: 1 });
    expect(await inconsistent.run('config', '--no-consistency')).toMatchObject({ code: 0 });
  });

  describe.skipIf(missing !== undefined)(`beside docker compose${missing ? ` (skipped: ${missing})` : ''}`, () => {
    const environment = { REQUIRED: 'pg', B: 'bee', HOME: '/nonexistent' };

    it.each([
      [],
      ['--no-path-resolution'],
      ['--no-normalize'],
      ['--no-consistency'],
      ['--no-path-resolution', '--no-normalize', '--no-consistency'],
    ])('is equal with %s %s %s', async (...flags) => {
      const { run, folder } = await commandLine(STAGED, { environment });
      const words = ['config', '--format', 'json', ...flags.filter(Boolean)];
      expect(JSON.parse((await run(...words)).stdout)).toEqual(JSON.parse(await theirs(folder, words)));
    });

    it('prints the same variables', async () => {
      const { run, folder } = await commandLine(STAGED, { environment });
      const words = ['config', '--variables', '--format', 'json'];
      expect(JSON.parse((await run(...words)).stdout)).toEqual(JSON.parse(await theirs(folder, words)));
      const lines = (await theirs(folder, ['config', '--environment'])).split('\n');
      // It adds PWD, which a shell sets.
      const expected = lines.filter((line) => !line.startsWith('PWD='));
      expect((await run('config', '--environment')).stdout.split('\n')).toEqual(expected);
    });

    async function theirs(folder: string, words: readonly string[]): Promise<string> {
      return (await promisify(execFile)(program ?? '', [...words], { cwd: folder, env: environment })).stdout;
    }
  });

  it('an error is one line with its place', async () => {
    const { run, folder } = await commandLine('services:\n  web:\n    imagee: x\n');
    const { code, stderr } = await run('config');
    expect(code).toBe(1);
    expect(stderr).toMatch(new RegExp(`^${path.join(folder, 'compose.yaml')}:3:5: .*imagee.*\\n$`));
  });
});

describe('usage', () => {
  it.each([
    ['an unknown command', ['ups']],
    ['an unknown option', ['up', '--nope']],
    ['options that exclude each other', ['up', '--force-recreate', '--no-recreate']],
    ['a signal that is none', ['kill', '-s', 'NOPE']],
    ['a missing argument', ['exec', 'web']],
  ])('exits with 2 for %s', async (_, args) => {
    const { run } = await commandLine(SHOP);
    const { code, stderr } = await run(...args);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
  });

  it('help names every command, and exits with 0', async () => {
    const { run } = await commandLine(SHOP);
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    const commands =
      'up down start stop restart kill rm ps ls logs top port events config build pull run exec create wait watch version';
    for (const command of commands.split(' ')) expect(stdout).toMatch(new RegExp(`^  ${command}[ |]`, 'm'));
  });

  it.each([
    ['oci://registry.example/shop:1.0', 'oci://'],
    ['https://me:hidden@git.example/shop.git', 'https://'],
    ['git@git.example:shop.git', 'git@'],
  ])('refuses the address %s in place of a file', async (file, shown) => {
    const { run } = await commandLine('services: { a: { image: a } }');
    expect(await run('-f', file, 'config')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        `-f ${shown}... is not supported: only files of this machine are read. ` +
        "Fetch them first ('docker compose -f oci://... config', 'git clone'), then name them with -f.\n",
    });
  });

  it('options of compose are accepted before and after the command', async () => {
    const files = { 'other.yml': 'services: { web: { image: web } }' };
    const { run } = await commandLine(files);
    expect((await run('-f', 'other.yml', 'config', '--services')).stdout).toBe('web\n');
    expect((await run('config', '--file', 'other.yml', '--project-name', 'x', '--services')).stdout).toBe('web\n');
    expect(await run('config')).toMatchObject({ code: 1, stderr: expect.stringContaining('No compose file') });
  });

  it('version', async () => {
    const { run } = await commandLine(SHOP);
    expect((await run('version', '--short')).stdout).toBe('1.2.3\n');
  });
});

describe('config with digests', () => {
  it('pins images, in the project or in an override file', async () => {
    const registry = await tokenRegistry({ access: 'everybody' });
    const image = `${registry.name}/team/app:1`;
    const file = `services: { web: { image: "${image}", command: [a] }, built: { build: . } }`;
    const { run, folder } = await commandLine(file);
    const pinned = `${image}@${registry.digest}`;
    expect((await run('config', '--resolve-image-digests')).stdout).toContain(`image: ${pinned}\n`);
    const lock = `services:\n  web:\n    image: ${pinned}\n  built: {}\n`;
    expect((await run('config', '--lock-image-digests')).stdout).toBe(lock);
    expect((await run('config', '--lock-image-digests', '--no-interpolate')).stdout).toBe(lock);
    expect((await run('config', '--resolve-image-digests', '--no-interpolate')).stdout).toContain(pinned);

    await writeFile(path.join(folder, 'lock.yaml'), lock);
    const both = await run('-f', 'compose.yaml', '-f', 'lock.yaml', 'config', '--format', 'json');
    expect(JSON.parse(both.stdout)).toMatchObject({ services: { web: { image: pinned, command: ['a'] } } });
  });

  it('pins images in the built command, too', async () => {
    const registry = await tokenRegistry({ access: 'everybody' });
    const { folder } = await commandLine(`services: { web: { image: "${registry.name}/team/app:1" } }`);
    const args = [await builtCommand(), 'compose', 'config', '--lock-image-digests'];
    const environment = { HOME: folder, PATH: process.env['PATH'] ?? '' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder, env: environment });
    expect(stdout).toContain(`team/app:1@${registry.digest}\n`);
  });

  it('says which registry could not be asked', async () => {
    const { run } = await commandLine('services: { web: { image: registry.invalid/app } }');
    const { code, stdout, stderr } = await run('config', '--lock-image-digests');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^registry\.invalid cannot be reached: .*\n$/);
  });

  it.skipIf(missing !== undefined)(
    `prints the lock that docker compose prints${missing ? ` (skipped: ${missing})` : ''}`,
    async () => {
      const digest = `sha256:${'ab'.repeat(32)}`;
      const images = [`alpine@${digest}`, `quay.io/x/y:3@${digest}`, `index.docker.io/library/z@${digest}`];
      const services = images.map((image, index) => `s${index}: { image: "${image}", command: [a] }`).join(', ');
      const { run, folder } = await commandLine(`services: { ${services} }`);
      for (const flag of ['--lock-image-digests', '--resolve-image-digests']) {
        const theirs = await promisify(execFile)(program ?? '', ['config', flag], { cwd: folder });
        expect(parse((await run('config', flag)).stdout)).toEqual(parse(theirs.stdout));
      }
    },
  );
});
