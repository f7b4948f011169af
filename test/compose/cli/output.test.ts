import { describe, expect, it } from 'vitest';
import { commandLine } from './command-line.js';
import { SHOP, statuses } from './shop.js';

describe('logs', () => {
  const talks = 'services: { a: { image: a }, bb: { image: b } }';
  const programs =
    ({ container }: { container: string }) =>
    ({ write }: { write: (stream: 'stdout' | 'stderr', text: string) => void }) => {
      write('stdout', `${container} one\n`);
      write('stderr', `${container} two\n`);
      return 0;
    };

  it('are written to the stream they came from, after the name of the container', async () => {
    const { run } = await commandLine(talks, { programs });
    await run('up', '-d');
    const { stdout, stderr } = await run('logs');
    expect(stdout.split('\n').sort()).toEqual(['', 'a   | folder-a one', 'bb  | folder-bb one']);
    expect(stderr).toContain('bb  | folder-bb two\n');
    expect((await run('logs', '--tail', '0', 'a')).stdout).toBe('');
    expect((await run('logs', '--no-log-prefix', 'a')).stdout).toBe('folder-a one\n');
  });

  it('are JSON objects with --json', async () => {
    const { run } = await commandLine(talks, { programs });
    await run('up', '-d');
    const [first = ''] = (await run('logs', '--format', 'json', 'a')).stdout.split('\n');
    expect(JSON.parse(first)).toMatchObject({
      service: 'a',
      container: 'folder-a',
      stream: 'stdout',
      line: 'folder-a one',
    });
  });

  it('are followed until Ctrl-C, also across a restart', async () => {
    const { run, begin, control } = await commandLine('services: { a: { image: a } }');
    await run('up', '-d');
    const following = begin('logs', '-f');
    control.log('folder-a', 'stdout', 'before');
    await following.printed('before');
    control.log('folder-a', 'stdout', 'after');
    await following.printed('after');
    following.interrupt();
    expect((await following.ran).code).toBe(0);
  });
});

describe('run and exec', () => {
  it('return the exit code of the command', async () => {
    const { run } = await commandLine(SHOP, {
      programs: ({ command }) => (command[0] === 'fails' ? ({ write }) => (write('stderr', 'no\n'), 9) : undefined),
    });
    const ran = await run('run', '--rm', 'web', 'fails', '--with', '-p', '1');
    expect(ran).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining('no\n') });
    expect(await statuses(run)).toEqual({ 'folder-db': 'running' });
    expect(await run('exec', 'db', 'fails')).toMatchObject({ code: 9, stderr: 'no\n' });
    expect(await run('exec', 'web', 'x')).toMatchObject({ code: 1 });
  });

  it('run --no-deps starts no other service', async () => {
    const { run } = await commandLine(SHOP, { programs: ({ command }) => (command[0] === 'x' ? () => 0 : undefined) });
    expect((await run('run', '--no-deps', 'web', 'x')).code).toBe(0);
    const [name = '', ...others] = Object.keys(await statuses(run));
    expect(others).toEqual([]);
    expect(name).toMatch(/^folder-web-run-[0-9a-f]{12}$/);
  });

  it('run passes standard input to the process', async () => {
    const { run } = await commandLine(SHOP, {
      stdin: 'hello',
      programs: ({ command }) =>
        command[0] === 'cat'
          ? async ({ stdin, write }) => {
              for await (const data of stdin) write('stdout', Buffer.from(data).toString());
              return 0;
            }
          : undefined,
    });
    expect(await run('run', '--no-deps', 'web', 'cat')).toMatchObject({ code: 0, stdout: 'hello' });
  });

  it('wait returns the exit code of the container', async () => {
    const { run } = await commandLine('services: { job: { image: j } }', { programs: () => () => 4 });
    await run('up', '-d');
    expect((await run('wait', 'job')).code).toBe(4);
  });
});

describe('the warning of an engine', () => {
  const engineWarning = 'The certificate of the engine is not verified.';

  it('is written to standard error once, whatever the command', async () => {
    const { run } = await commandLine(SHOP, { engineWarning });
    for (const words of [['up', '-d'], ['ps', '-q'], ['down']]) {
      const { code, stdout, stderr } = await run(...words);
      expect(code).toBe(0);
      expect(stderr.split(engineWarning)).toHaveLength(2);
      expect(stdout).not.toContain(engineWarning);
    }
  });
});
