import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { plumbline } from '../../cli/plumbline.js';
import { remoteLine } from './remote-line.js';

/** The built command takes the SDK as its users do, from the package as it is built. */
beforeAll(async () => {
  const built = await changeOf('sdk/dist/esm/compose.js');
  const sources = await readdir('sdk/src', { recursive: true });
  const changes = await Promise.all(sources.map((file) => changeOf(join('sdk/src', file))));
  if (Math.max(...changes) > built) await promisify(execFile)(process.execPath, ['sdk/build.js']);
}, 120_000);

async function changeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.mtimeMs ?? 0;
}

it(
  'The built command works with a server, and closes its connections before it exits',
  { timeout: 120_000 },
  async () => {
    const remote = await remoteLine('services: { web: { image: web } }', {
      programs: ({ kind }) => (kind === 'exec' ? () => 0 : undefined),
    });
    const args = [
      'compose',
      '--project-directory',
      remote.local.folder,
      '-f',
      join(remote.local.folder, 'compose.yaml'),
    ];
    const named = (...more: string[]): string[] => [...args, '-p', 'shop', ...more];
    const environment = { COMPOSE_REMOTE: remote.address };
    expect(await plumbline(named('up', '-d'), { environment })).toEqual({
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: 'Container shop-web Running\n',
    });
    expect(await plumbline(named('ps', '--services'), { environment })).toMatchObject({ exitCode: 0, stdout: 'web\n' });
    expect(await plumbline(named('ps', '-a', '--status', 'exited', '-q'), { environment })).toMatchObject({
      stdout: '',
    });
    expect(await plumbline(named('exec', 'web', 'true'), { environment })).toEqual({
      exitCode: 0,
      signal: null,
      stdout: '',
      stderr: '',
    });
    expect(await plumbline(named('watch'), { environment })).toMatchObject({
      exitCode: 1,
      stderr: "The remote backend does not support 'watch'.\n",
    });
  },
);
