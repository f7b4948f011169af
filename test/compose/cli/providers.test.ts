import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../model/project-folder.js';
import { commandLine, type CommandLine } from './command-line.js';

const FILE = `
services:
  db: { provider: { type: cloud, options: { size: 10, tag: [a, b] } } }
  web: { image: web, depends_on: [db], environment: { MODE: plain } }
  other: { image: other }
`;

const UP = String.raw`
  echo '{"type":"debug","message":"not shown"}'
  echo '{"type":"info","message":"making a database"}'
  echo '{"type":"setenv","message":"URL=pg://db?a=b"}'
  echo '{"type":"rawsetenv","message":"MODE=cloud"}'`;

interface ProviderLine extends CommandLine {
  /** Its HOME. */
  readonly home: string;
  /** How the program was called, without questions for its metadata. */
  calls(): Promise<string[]>;
}

/** @param scripts shell code for `up` and other commands, `metadata` among them */
async function withProvider(
  scripts: Readonly<Record<string, string>>,
  file = FILE,
  name = 'docker-cloud',
): Promise<ProviderLine> {
  const folder = await folderWith({});
  const program = path.join(folder, name);
  const cases = Object.entries(scripts).map(([command, code]) => `${command})\n${code}\n;;`);
  const script = `#!/bin/sh
case "$2" in --project-name=*) command=$3; echo "$*" >>'${folder}/calls' ;; *) command=$2 ;; esac
case "$command" in
${cases.join('\n')}
metadata) exit 1 ;;
esac
`;
  await writeFile(program, script);
  await chmod(program, 0o755);
  const environment = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder };
  const line = await commandLine(file, { environment });
  const calls = async (): Promise<string[]> => {
    const text = await readFile(path.join(folder, 'calls'), 'utf8').catch(() => '');
    return text.split('\n').filter((each) => each !== '');
  };
  return { ...line, home: folder, calls };
}

describe('a service with a provider', () => {
  it.each(['docker-cloud', 'cloud'])('is started and stopped by the program %s', async (name) => {
    const line = await withProvider({ up: UP, down: '' }, FILE, name);
    const up = await line.run('up', '-d');
    expect(up).toMatchObject({ code: 0 });
    expect(up.stderr).toContain('db: making a database\n');
    expect(up.stderr).not.toContain('not shown');
    expect((await line.backend.containers.list()).map((each) => each.name).sort()).toEqual([
      'folder-other',
      'folder-web',
    ]);
    expect(await line.run('down')).toMatchObject({ code: 0 });
    expect(await line.calls()).toEqual([
      'compose --project-name=folder up --size=10 --tag=a --tag=b db',
      'compose --project-name=folder down --size=10 --tag=a --tag=b db',
    ]);
  });

  it('passes its variables to the services that depend on it', async () => {
    const line = await withProvider({ up: UP });
    const { stderr } = await line.run('up', '-d');
    expect(stderr).toContain("The provider of 'db' replaces the variable MODE of 'web'.");
    const made = new Map(
      await Promise.all(
        ['web', 'other'].map(
          async (name) => [name, (await line.backend.containers.inspect(`folder-${name}`)).environment] as const,
        ),
      ),
    );
    expect(made.get('web')).toEqual({ DB_URL: 'pg://db?a=b', MODE: 'cloud' });
    expect(made.get('other')).toEqual({});
  });

  it('replaces containers only when its variables change', async () => {
    const line = await withProvider({ up: `echo '{"type":"setenv","message":"URL='$(cat "$HOME/url")'"}'` });
    const url = async (text: string): Promise<void> => writeFile(path.join(line.home, 'url'), text);
    await url('one');
    await line.run('up', '-d');
    const first = await line.backend.containers.inspect('folder-web');
    await line.run('up', '-d');
    expect((await line.backend.containers.inspect('folder-web')).id).toBe(first.id);
    await url('two');
    await line.run('up', '-d');
    expect((await line.backend.containers.inspect('folder-web')).environment).toMatchObject({ DB_URL: 'two' });
  });

  it('is stopped by a provider whose metadata includes stop', async () => {
    const metadata = `echo '{"up":{"parameters":[{"name":"size","required":true}]},"down":{},"stop":{}}'`;
    const line = await withProvider({ up: UP, stop: '', metadata });
    await line.run('up', '-d');
    expect(await line.run('stop')).toMatchObject({ code: 0 });
    expect(await line.calls()).toEqual([
      'compose --project-name=folder up --size=10 db',
      'compose --project-name=folder stop db',
    ]);
  });

  it('receives its definition when it asks', async () => {
    const asks = `echo '{"type":"get-service-config"}'; read -r answer; echo "$answer" >"$HOME/answer"`;
    const line = await withProvider({ up: asks });
    await line.run('up', '-d');
    const answer: unknown = JSON.parse(await readFile(path.join(line.home, 'answer'), 'utf8'));
    expect(answer).toMatchObject({ provider: { type: 'cloud' } });
  });

  it.each([
    ['reports an error', `echo '{"type":"error","message":"no quota."}'; exec sleep 60`, 'no quota.'],
    ['ends with another code than 0', 'echo broken >&2; exit 3', 'it exited with code 3 (broken).'],
    ['prints something else', 'echo hello', 'it printed an invalid provider protocol message.'],
    [
      'sets a variable without a value',
      `echo '{"type":"setenv","message":"URL"}'`,
      'its setenv message is not NAME=value.',
    ],
  ])('fails before any container is created when its provider %s', async (_what, act, reason) => {
    const line = await withProvider({ up: act });
    const { code, stderr } = await line.run('up', '-d');
    expect(code).toBe(1);
    expect(stderr).toContain(`The provider 'cloud' failed to bring up 'db': ${reason}\n`);
    expect(await line.backend.containers.list()).toEqual([]);
  });

  it('fails with the program to install if it is missing', async () => {
    const line = await withProvider({}, FILE.replace('type: cloud', 'type: nowhere'));
    const { code, stderr } = await line.run('up', '-d');
    expect(code).toBe(1);
    expect(stderr).toContain(
      "The provider 'nowhere' of 'db' was not found: install the program docker-nowhere or nowhere",
    );
  });

  it('requires the options that its metadata name as required', async () => {
    const metadata = `echo '{"up":{"parameters":[{"name":"region","required":true}]},"down":{}}'`;
    const line = await withProvider({ up: UP, metadata });
    expect(await line.run('up', '-d')).toMatchObject({ code: 1 });
    expect((await line.run('up', '-d')).stderr).toContain("needs the option 'region'");
  });

  it('has no container for run, and no image to pull', async () => {
    const line = await withProvider({ up: UP });
    expect((await line.run('run', 'db')).stderr).toContain("'db' is run by the provider 'cloud'");
    expect((await line.run('pull')).stderr).not.toContain('folder-db');
    expect((await line.run('config', '--images')).stdout).toBe('other\nweb\n');
  });
});
