/** Ctrl-C while images are pulled or built. */
import { describe, expect, it } from 'vitest';
import { mockBackend } from '../../../src/compose/runtime/mock/mock.js';
import type { Abortable, Backend } from '../../../src/compose/runtime/runtime.js';
import { folderWith } from '../model/project-folder.js';
import { virtualClock } from '../orchestrator/virtual-clock.js';
import { consoleOn, type Console } from './command-line.js';

interface Slow extends Console {
  readonly backend: Backend;
  /** Settles when the engine is at work on an image. */
  readonly busy: Promise<void>;
}

/** An engine whose pulls and builds last until they are aborted. */
async function slowEngine(file: string): Promise<Slow> {
  const folder = await folderWith({ 'compose.yaml': file, Dockerfile: 'FROM scratch' });
  const clock = virtualClock();
  const { backend } = mockBackend({ clock, programs: () => undefined });
  let begun: () => void = () => undefined;
  const busy = new Promise<void>((resolve) => (begun = resolve));

  async function* endless({ signal }: Abortable = {}): AsyncGenerator<never, void> {
    begun();
    await new Promise<void>((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error); // whatever the caller gave as the reason
      });
    });
  }
  const slow: Backend = {
    ...backend,
    images: {
      ...backend.images,
      pull: (_reference, options) => Promise.resolve(endless(options)),
      build: (_spec, options) => Promise.resolve(endless(options)),
    },
  };
  return { backend, busy, ...consoleOn(slow, { folder, clock }) };
}

const PULLED = 'services: { db: { image: db }, web: { image: web, depends_on: [db] } }';
const BUILT = 'services: { web: { build: . } }';

describe.each([
  ['up', PULLED],
  ['up -d', PULLED],
  ['up --wait', PULLED],
  ['create', PULLED],
  ['run web', PULLED],
  ['pull', PULLED],
  ['up', BUILT],
  ['up -d --build', BUILT],
  ['build', BUILT],
  ['run web', BUILT],
])('%s of %s', (command, file) => {
  it('exits with 130 at Ctrl-C, and creates nothing', async () => {
    const { begin, busy, backend } = await slowEngine(file);
    const running = begin(...command.split(' '));
    await busy;
    running.interrupt();
    const { code, stderr } = await running.ran;
    expect([code, stderr]).toEqual([130, expect.not.stringMatching(/Unexpected|at .*\.[jt]s:\d/)]);
    expect(await backend.containers.list()).toEqual([]);
    expect(await backend.internal.networks.list({ labels: { 'com.docker.compose.project': 'folder' } })).toEqual([]);
  });
});
