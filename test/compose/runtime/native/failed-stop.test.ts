import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/compose/runtime/clock.js';
import { nativeBackend } from '../../../../src/compose/runtime/native/native.js';
import { durableStopMarks } from '../../../../src/compose/runtime/state.js';
import { folderWith } from '../../model/project-folder.js';

it('a container whose stop the engine refuses is running, not stopping', async () => {
  const running = { Id: 'abc', Name: 'web', State: { Status: 'running', StartedAt: '2026-01-01T00:00:00Z' } };
  const folder = await folderWith({ 'inspect.json': JSON.stringify([running]) });
  const executable = path.join(folder, 'podman');
  await writeFile(
    executable,
    `#!/bin/sh
case "$*" in
*inspect*) cat '${path.join(folder, 'inspect.json')}';;
stop*) echo 'Error: timed out waiting for file' >&2; exit 125;;
*) echo '[]';;
esac
`,
  );
  await chmod(executable, 0o755);
  const marks = durableStopMarks(path.join(folder, 'stops'));
  const { containers } = nativeBackend({ executable, marks, clock: systemClock, environment: process.env });
  await expect(containers.stop('abc')).rejects.toThrow('timed out waiting for file');
  expect((await containers.inspect('abc')).status).toBe('running');
});
