import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { nativeBackend } from '../../../src/compose/runtime/native/native.js';
import { durableStopMarks } from '../../../src/compose/runtime/state.js';
import { folderWith } from '../model/project-folder.js';
import { consoleOn, type Console } from './command-line.js';

/** The command line on the native backend, whose program is not Podman. */
async function on(program: string | null, keys = ''): Promise<Console> {
  const folder = await folderWith({ 'compose.yaml': `services: { web: { image: web${keys} } }` });
  const executable = path.join(folder, 'podman');
  if (program !== null) {
    await writeFile(executable, `#!/bin/sh\n${program}\n`);
    await chmod(executable, 0o755);
  }
  const marks = durableStopMarks(path.join(folder, 'stops'));
  const backend = nativeBackend({ executable, marks, clock: systemClock, environment: process.env });
  return consoleOn(backend, { folder, clock: systemClock });
}

it.each([['up', '-d'], ['ps'], ['run', 'web', 'true'], ['logs']])(
  '%s exits with 1 if podman is not installed, and says what to do',
  async (...args) => {
    const { run } = await on(null);
    const says = 'Podman is not installed: no podman on the PATH. Install it, or use the bridge backend.\n';
    expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: expect.stringContaining(says) });
  },
);

it('The error of a failing podman is quoted in one line with its paths, without warnings', async () => {
  const { run } = await on(`echo 'time="now" level=warning msg="odd"' >&2
echo 'Error: the storage in /var/lib/hidden is damaged' >&2
exit 125`);
  const { code, stderr } = await run('up', '-d');
  expect(code).toBe(1);
  expect(stderr).toMatch(/the storage in \/var\/lib\/hidden is damaged\n$/);
  expect(stderr).not.toMatch(/odd|at .*\.ts/);
});

it('a container whose image podman tried to fetch fails with what the registry said', async () => {
  const program = `case "$1" in
image) echo '[{"Id":"sha256:1"}]';;
create) echo 'Error: initializing source docker://web: reading manifest latest: toomanyrequests' >&2; exit 125;;
*) echo '[]';;
esac`;
  const { run } = await on(program, ', network_mode: none');
  const { code, stderr } = await run('up', '-d');
  expect(code).toBe(1);
  expect(stderr).toContain(
    'cannot be pulled. initializing source docker://web: reading manifest latest: toomanyrequests',
  );
});

it('Without catatonit, the error says what to install', async () => {
  const { run } =
    await on(`echo 'Error: container-init binary not found on the host: stat /usr/libexec/podman/catatonit: no such file or directory' >&2
exit 125`);
  expect((await run('up', '-d')).stderr).toContain('(Debian: apt-get install catatonit)');
});

it('distinguishes a podman that cannot be run from a missing one', async () => {
  const { run } = await on('exit 0\n');
  expect(await run('up', '-d')).toMatchObject({ code: 1, stderr: 'Podman returned invalid JSON.\n' });
});
