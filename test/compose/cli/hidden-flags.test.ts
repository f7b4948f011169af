/** Flags that docker compose accepts and does not list in its help. */
import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP } from './shop.js';

const program = {
  programs: ({ command }: { command: readonly string[] }) => (command[0] === 'tool' ? () => 0 : undefined),
};

describe('flags that docker compose accepts without listing them', () => {
  it.each(
    [['-it'], ['-ti'], ['-i'], ['-t'], ['-T'], ['--tty', '--interactive'], ['--no-TTY'], ['-i=false']].map((flags) => ({
      flags,
    })),
  )('exec and run accept $flags', async ({ flags }) => {
    const { run } = await commandLine({ 'compose.yaml': SHOP }, program);
    await run('up', '-d');
    expect(await run('exec', ...flags, 'db', 'tool')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('run', '--rm', '--quiet', ...flags, 'db', 'tool')).toMatchObject({ code: 0 });
  });

  it.each([
    ['--verbose', 'ps'],
    ['--no-ansi', 'ps'],
    ['--workdir', '.', 'ps'],
    ['-D', '-l', 'debug', 'ps'],
    ['--debug', '--log-level=error', '--config', '.', '--tlsverify', 'ps'],
    ['-c', 'other', 'ps'],
    ['-H', 'unix:///other.sock', 'ps'],
    ['build', '--compress', '--force-rm', '--no-rm', '--parallel', '--progress', 'plain'],
    ['pull', '--parallel'],
    ['pull', '--parallel', 'db'],
    ['pull', '--no-parallel=true', 'db'],
    ['rm', '-f', '-a'],
    ['up', '-d', '--y'],
    ['create', '--y'],
    ['logs', '--tail', '-1'],
    ['logs', '--tail=-1'],
  ])('%s %s', async (...words) => {
    const { run } = await commandLine({ 'compose.yaml': SHOP });
    await run('up', '-d');
    expect(await run(...words)).toMatchObject({ code: 0 });
  });

  it('an engine is named once, by --host or by --context', async () => {
    const { run } = await commandLine(SHOP);
    expect(await run('-H', 'unix:///other.sock', '-c', 'other', 'ps')).toMatchObject({
      code: 2,
      stderr: 'Name the engine by --host or by --context, not by both.\n',
    });
  });

  it.each(['-v', '--version'])('compose %s prints the version', async (flag) => {
    const { run } = await commandLine({ 'compose.yaml': SHOP });
    expect(await run(flag)).toMatchObject({ code: 0, stdout: 'Plumbline Compose version 1.2.3\n' });
  });

  it('run takes --labels and --volumes for --label and --volume', async () => {
    const { run, backend } = await commandLine({ 'compose.yaml': SHOP });
    const flags = ['--labels', 'a=1', '--label', 'b=2', '--volumes', 'data:/data', '--volume', 'more:/more'];
    expect(await run('run', '-d', '--name', 'once', ...flags, 'db')).toMatchObject({ code: 0 });
    expect(await backend.containers.inspect('once')).toMatchObject({
      labels: { a: '1', b: '2' },
      mounts: [{ target: '/data' }, { target: '/more' }],
    });
  });

  it('down takes --volume for --volumes', async () => {
    const { run, backend } = await commandLine({
      'compose.yaml': 'services: { db: { image: db, volumes: ["data:/data"] } }\nvolumes: { data: {} }',
    });
    await run('up', '-d');
    expect(await backend.volumes.list()).toHaveLength(1);
    expect(await run('down', '--volume')).toMatchObject({ code: 0 });
    expect(await backend.volumes.list()).toEqual([]);
  });

  it('keeps the workers of --parallel before a command', async () => {
    const { run } = await commandLine({ 'compose.yaml': SHOP });
    expect(await run('--parallel', '2', 'pull', '--parallel', 'db')).toMatchObject({ code: 0 });
  });
});
