/** What a server lists and measures, beside what the same commands print on its machine. */
import { describe, expect, it } from 'vitest';
import { remoteLine, type RemoteLine } from './remote-line.js';

const SHOP = `
services:
  db: { image: db, volumes: ["data:/data"] }
  web: { image: web, scale: 2, volumes: ["logs:/logs"] }
volumes: { data: {}, logs: {} }
`;

async function running(): Promise<RemoteLine> {
  const remote = await remoteLine(SHOP);
  expect(await remote.run('up', '-d')).toMatchObject({ code: 0 });
  return remote;
}

describe('a server prints the same as its machine:', () => {
  it.each<string[]>([
    // The list of images that a server has is without platforms.
    ['images', '--format', '{{.ContainerName}} {{.Repository}}:{{.Tag}} {{.ID}} {{.Size}} {{.LastTagTime}}'],
    ['images', '-q', 'web'],
    ['volumes'],
    ['volumes', '-q', 'db'],
    ['volumes', '--format', '{{.Name}} {{.Driver}}'],
    ['stats', '--no-stream', '--format', '{{.Name}} {{.PIDs}}', 'web'],
  ])('%s %s', async (...args) => {
    const remote = await running();
    const here = await remote.local.run(...args);
    expect(here).toMatchObject({ code: 0, stdout: expect.stringContaining('\n') as string });
    expect(await remote.run(...args)).toEqual(here);
  });

  it.each(['images', 'volumes', 'stats'])('%s refuses a service that does not exist', async (command) => {
    const remote = await running();
    const refused = await remote.run(command, 'nobody');
    expect(refused).toMatchObject({ stdout: '', stderr: expect.stringContaining('nobody') as string });
    expect(refused).toEqual(await remote.local.run(command, 'nobody'));
  });
});

describe('pause and unpause --remote', () => {
  it('suspend and resume the containers of the services', async () => {
    const remote = await running();
    const conditions = async (): Promise<unknown[]> =>
      (await remote.local.backend.containers.list()).map(({ name, condition }) => [name, condition]).sort();
    expect(await remote.run('pause', 'web')).toEqual({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/Container folder-web(-2)? Paused\n/) as string,
    });
    const paused = [
      ['folder-db', undefined],
      ['folder-web', 'paused'],
      ['folder-web-2', 'paused'],
    ];
    expect(await conditions()).toEqual(paused);
    expect(await remote.run('pause', 'web')).toMatchObject({ code: 0 });
    expect(await conditions()).toEqual(paused);
    expect(await remote.run('unpause')).toMatchObject({ code: 0 });
    expect(await conditions()).toEqual(paused.map(([name]) => [name, undefined]));
  });

  it('leave a project without running containers as it is', async () => {
    const remote = await running();
    await remote.run('stop');
    expect(await remote.run('pause')).toMatchObject({ code: 0 });
    expect(await remote.run('unpause')).toMatchObject({ code: 0 });
  });
});
