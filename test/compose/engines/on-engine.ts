/** Runs parts of the suite on one engine; skipped, with the reason, where it is missing. */
import { afterAll, describe, it } from 'vitest';
import { testEngine, type TestEngine } from '../../support/engines.js';

export type EnginePart = (engine: TestEngine) => void;

export async function onEngine(name: TestEngine['name'], parts: readonly EnginePart[]): Promise<void> {
  const engine = await testEngine(name);
  if ('reason' in engine) {
    describe(name, () => {
      it.skip(`skipped: ${engine.reason}`);
    });
    return;
  }
  describe(name, { timeout: 120_000 }, () => {
    for (const part of parts) part(engine);
  });
  // Also when a test has failed, and also what it has made and lost sight of.
  afterAll(() => engine.clean(), 120_000);
}

/** The same for what wants to stand in front of the engine's unix socket. */
export async function onSocket(
  name: 'bridge/docker' | 'bridge/podman',
  part: (engine: TestEngine, socket: string) => void,
): Promise<void> {
  await onEngine(name, [
    (engine) => {
      const socket = /^unix:\/\/(.+)$/.exec(engine.environment['DOCKER_HOST'] ?? '')?.[1];
      if (socket === undefined) it.skip('skipped: the engine does not listen on a unix socket');
      else part(engine, socket);
    },
  ]);
}
