/** The disk for the state of stops is full: what cannot be recorded does not happen, and says so. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { durableStopMarks } from '../../../src/compose/runtime/state.js';
import { testEngine, type TestEngine } from '../../support/engines.js';
import { engineProject } from './engine-project.js';

const engine = await firstEngine();

describe('a full disk', () => {
  const reason =
    engine === undefined ? 'no container engine' : process.getuid?.() === 0 ? undefined : 'mounting needs root';
  it.skipIf(reason !== undefined)(
    `refuses the stop as a persistenceFailure, and the container keeps running${reason === undefined ? '' : ` (skipped: ${reason})`}`,
    async () => {
      if (engine === undefined) return;
      const { folder, free } = await fullDisk();
      const withState = { ...engine, backend: engine.open(durableStopMarks(folder)) };
      const { run, statuses } = await engineProject(withState, { services: { web: {} } });
      await run('up', '-d');
      expect(await run('stop')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('The state of a stop could not be written (ENOSPC).'),
      });
      expect(await statuses()).toEqual({ web: 'running' });
      await free();
      expect((await run('stop')).code).toBe(0);
      expect(await statuses()).toEqual({ web: 'stopped' });
    },
  );
  afterAll(() => engine?.clean());
});

async function firstEngine(): Promise<TestEngine | undefined> {
  for (const name of ['bridge/docker', 'bridge/podman', 'native/podman'] as const) {
    const found = await testEngine(name);
    if ('backend' in found) return found;
  }
  return undefined;
}

/** A separate file system, without a free block. */
async function fullDisk(): Promise<{ folder: string; free(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'plt-full-'));
  await promisify(execFile)('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
  onTestFinished(async () => {
    await promisify(execFile)('umount', ['-l', folder]);
    await rm(folder, { recursive: true });
  });
  const filler = path.join(folder, 'filler');
  await expect(writeFile(filler, Buffer.alloc(1_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
  return { folder, free: () => rm(filler) };
}
