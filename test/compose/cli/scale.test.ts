import { describe, expect, it } from 'vitest';
import { commandLine, type Console } from './command-line.js';
import { remoteLine } from './remote-line.js';

const FILE = 'services: { db: { image: db }, web: { image: web, depends_on: [db] }, other: { image: other } }';

async function names(line: Console): Promise<string[]> {
  const { stdout } = await line.run('ps', '-a', '--format', '{{.Name}}');
  return stdout.split('\n').filter(Boolean);
}

describe('scale', () => {
  it('sets the number of containers of a service, and starts only its dependencies', async () => {
    const line = await commandLine(FILE);
    expect(await line.run('scale', 'web=2')).toMatchObject({ code: 0 });
    expect(await names(line)).toEqual(['folder-db', 'folder-web', 'folder-web-2']);
    expect(await line.run('scale', 'web=1', 'other=2')).toMatchObject({ code: 0 });
    expect(await names(line)).toEqual(['folder-db', 'folder-other', 'folder-other-2', 'folder-web']);
    expect(await line.run('scale', 'web=0')).toMatchObject({ code: 0 });
    expect(await names(line)).not.toContain('folder-web');
  });

  it.each([
    ['scale', 'web=2'],
    ['up', '-d', '--scale', 'web=2', 'web'],
    ['create', '--scale', 'web=2', 'web'],
  ])('%s %s is refused before it creates a container of a name that another service has', async (...words) => {
    const line = await commandLine('services: { web: { image: web }, web-2: { image: web } }');
    await line.run('up', '-d');
    expect(await line.run(...words)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^services\.web: one of its containers has the name 'folder-web-2', which the container of service web-2 has\.\n$/,
      ),
    });
    await line.run('rm', '-sf', 'web-2');
    expect(await line.run(...words)).toMatchObject({ code: 0 });
    expect(await line.run('up', '-d', 'web-2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("'folder-web-2'"),
    });
  });

  it('does not start dependencies with --no-deps', async () => {
    const line = await commandLine(FILE);
    expect(await line.run('scale', '--no-deps', 'web=2')).toMatchObject({ code: 0 });
    expect(await names(line)).toEqual(['folder-web', 'folder-web-2']);
  });

  it('works the same with --remote', async () => {
    const remote = await remoteLine(FILE);
    expect(await remote.run('scale', 'web=2')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('folder-web-2'),
    });
    expect(await names(remote.local)).toEqual(['folder-db', 'folder-web', 'folder-web-2']);
  });

  it.each([
    [['web'], 2, "'web' is not <service>=<number>."],
    [['web=x'], 2, "'web=x' is not <service>=<number>."],
    [['web=-1'], 1, '-1 is not a number of replicas'],
    [['none=1'], 1, 'none'],
  ])('refuses %j with exit code %i', async (words, code, text) => {
    const { run } = await commandLine(FILE);
    const ran = await run('scale', ...words);
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(text)]);
  });
});
