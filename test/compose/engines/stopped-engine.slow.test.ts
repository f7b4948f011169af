/** The engine goes away in the middle of an `up`. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { dockerEngineAt, type TestEngine } from '../../support/engines.js';
import { dockerdIsMissing, privateDockerd, type PrivateDockerd } from '../../support/private-dockerd.js';
import { engineProject } from './engine-project.js';

const reason = await dockerdIsMissing();

describe.skipIf(reason !== undefined)(
  `an engine that is stopped${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    let dockerd: PrivateDockerd;
    let engine: TestEngine;

    beforeAll(async () => {
      dockerd = await privateDockerd();
      await dockerd.start();
      engine = await dockerEngineAt(dockerd.host);
    });
    // The clean-up of a test needs it, however the test has ended.
    afterEach(() => dockerd.start());
    afterAll(async () => {
      await engine.clean();
      await dockerd.remove();
    });

    it('during an up fails it with one line, and the next up completes the project', async () => {
      // So many, one after the other, that the engine has ended before the last is started.
      const names = Array.from('abcdefghijklmnopqrst');
      const services = Object.fromEntries(
        names.map((name, index) => [name, { depends_on: names.slice(Math.max(0, index - 1), index) }]),
      );
      const { spawn, run, name, statuses, container } = await engineProject(engine, { services });
      const cut = await spawn('up', '-d');
      await cut.says(`Container ${name}-b Started`);
      await dockerd.stop();
      expect(await cut.ended).toBe(1);
      expect(cut.printed()).toMatch(/\nThe container engine .*\n$/);
      expect(cut.printed()).not.toContain('Unexpected failure');
      expect(await run('ps')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^The container engine does not respond \(\w+\)\. Is it running\?\n$/),
      });

      await dockerd.start();
      const { id } = await container('a');
      expect(await run('up', '-d')).toMatchObject({ code: 0 });
      expect(await statuses()).toEqual(Object.fromEntries(names.map((each) => [each, 'running'])));
      expect((await container('a')).id).toBe(id);
    });

    it('during an attached up ends it', async () => {
      const { spawn } = await engineProject(engine, { services: { web: {} } });
      const attached = await spawn('up');
      await attached.says('ready');
      await dockerd.stop();
      expect([0, 1]).toContain(await attached.ended);
    });
  },
);
