import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChangeClass } from '../../../src/contract-tools/diff/change.js';
import { isDeclared, requiredVersion } from '../../../src/contract-tools/diff/versions.js';

test.each([
  ['1.2.3', 'breaking', '2.0.0'],
  ['1.2.3', 'additive', '1.3.0'],
  ['1.2.3', 'neutral', '1.2.3'],
  ['0.2.3', 'breaking', '0.3.0'],
  ['0.2.3', 'additive', '0.2.4'],
] as const)('after %s, a change that is %s needs version %s', (before, kind: ChangeClass, least) => {
  expect(requiredVersion(before, kind)).toBe(least);
  const changes = [{ class: kind, side: 'reply', place: '', what: '' }] as const;
  expect(isDeclared({ name: 'x', before, after: least, changes })).toBe(true);
  expect(isDeclared({ name: 'x', before, after: '1.2.2', changes })).toBe(before === '0.2.3');
});

describe('npm run diff', () => {
  let root: string;
  const program = resolve('src/contract-tools/diff/main.ts');
  const tsx = resolve('node_modules/tsx/dist/cli.mjs');

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'contracts-'));
    for (const path of ['generated/platform', 'generated/compose']) mkdirSync(join(root, path), { recursive: true });
    for (const name of ['platform', 'compose']) writeContract(name, () => undefined);
    cpSync('graphql', join(root, 'graphql'), { recursive: true });
    writeFileSync(join(root, 'CHANGELOG.md'), '# Changelog\n');
    git('init', '--quiet');
    commit();
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  test('passes without a change, and says what it compared with', () => {
    git('tag', 'v1.0.0');
    const { status, stdout } = diff();
    expect(stdout).toContain('compared with tag v1.0.0');
    expect(stdout).toContain('platform: version');
    expect(status).toBe(0);
  });

  test('fails on a breaking change until the version declares it', () => {
    git('tag', 'v1.0.0');
    const withoutLogin = (document: Contract): void => {
      Reflect.deleteProperty(document.paths, '/api/v1/auth/login');
    };
    writeContract('platform', withoutLogin);
    const failed = diff();
    expect(failed.stdout).toContain('breaking POST /api/v1/auth/login: the operation is gone');
    expect(failed.stdout).toMatch(/The version must be at least \d+\.0\.0/);
    expect(failed.status).toBe(1);
    writeContract('platform', (document) => {
      withoutLogin(document);
      document.info.version = '9.0.0';
    });
    expect(diff().status).toBe(0);
    expect(diff('--brief').stdout).not.toContain('the operation is gone');
  });

  test('reads the commit of the last release from the changelog where no tag exists', () => {
    const id = git('rev-parse', 'HEAD').trim();
    writeFileSync(join(root, 'CHANGELOG.md'), `# Changelog\n\n## 0.1.0\n\nRelease commit: ${id}\n`);
    expect(diff()).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`release 0.1.0, commit ${id.slice(0, 7)}`),
    });
  });

  test('in a shallow clone nothing can be compared with the last release: CI fails, people are warned', () => {
    const id = git('rev-parse', 'HEAD').trim();
    writeFileSync(join(root, 'CHANGELOG.md'), `# Changelog\n\n## 0.1.0\n\nRelease commit: ${id}\n`);
    commit();
    const clone = join(root, 'clone');
    git('clone', '--quiet', '--depth', '1', `file://${root}`, clone);
    expect(diffIn(clone)).toMatchObject({ status: 0, stdout: expect.stringContaining('git fetch --unshallow') });
    expect(spawnDiff(clone, { CI: 'true' })).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /were not compared with release 0\.1\.0.* \(git fetch --unshallow\)\. CI needs them/,
      ),
    });
    expect(diffIn(clone, id)).toMatchObject({ status: 2 });
  });

  test('a full clone without tags is compared in CI', () => {
    const id = git('rev-parse', 'HEAD').trim();
    writeFileSync(join(root, 'CHANGELOG.md'), `# Changelog\n\n## 0.1.0\n\nRelease commit: ${id}\n`);
    commit();
    const clone = join(root, 'clone');
    git('clone', '--quiet', `file://${root}`, clone);
    expect(spawnDiff(clone, { CI: 'true' })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`compared with release 0.1.0, commit ${id.slice(0, 7)}`),
    });
  });

  test('a folder that is not a git checkout cannot be compared: CI fails, people are warned', () => {
    rmSync(join(root, '.git'), { recursive: true });
    expect(diff()).toMatchObject({ status: 0, stdout: expect.stringContaining('this is not a git checkout') });
    expect(spawnDiff(root, { CI: 'true' })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('this is not a git checkout'),
    });
  });

  test('says in one line why nothing can be compared, and exits with 2', () => {
    expect(diff()).toMatchObject({ status: 2, stderr: expect.stringContaining('no tag vX.Y.Z') });
    expect(diff('nowhere')).toMatchObject({ status: 2, stderr: expect.stringContaining('git fetch') });
    expect(diff('--wrong')).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: npm run diff') });
  });

  test('prints the changes as JSON', () => {
    const { stdout } = diff('HEAD', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      base: { revision: 'HEAD' },
      contracts: [{ name: 'platform', changes: [] }, {}, {}],
    });
  });

  interface Contract {
    info: { version: string };
    paths: Record<string, unknown>;
  }

  function writeContract(name: string, change: (document: Contract) => void): void {
    const document = JSON.parse(readFileSync(`generated/${name}/openapi.json`, 'utf8')) as Contract; // a contract of ours
    change(document);
    writeFileSync(join(root, `generated/${name}/openapi.json`), JSON.stringify(document));
  }

  function diff(...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return diffIn(root, ...args);
  }

  function diffIn(cwd: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
    return spawnDiff(cwd, { CI: '' }, ...args);
  }

  function spawnDiff(
    cwd: string,
    environment: Readonly<Record<string, string>>,
    ...args: string[]
  ): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, ...environment };
    return spawnSync(process.execPath, [tsx, program, ...args], { cwd, env, encoding: 'utf8' });
  }

  function git(...args: string[]): string {
    return execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: root,
      encoding: 'utf8',
    });
  }

  function commit(): void {
    git('add', '.');
    git('commit', '--quiet', '--message', 'Add contracts');
  }
});
