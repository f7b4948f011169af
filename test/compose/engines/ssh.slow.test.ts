/** Commands on an engine behind ssh: a real OpenSSH server in front of Docker. */
import { afterAll, describe, expect, it } from 'vitest';
import { engineAddress } from '../../../src/compose/runtime/bridge/address.js';
import { bridgeBackend } from '../../../src/compose/runtime/bridge/bridge.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import { chooseEngine } from '../../../src/compose/runtime/select.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { transientStopMarks } from '../../../src/compose/runtime/state.js';
import { testEngine, type TestEngine } from '../../support/engines.js';
import { sshdIsMissing, sshServer } from '../../support/sshd.js';
import { logOf, missingBuildx, MOUNTED, SECRET, skipped, specOf, withPlugin } from './builds.js';
import { containerCommands } from './containers.js';
import { engineProject } from './engine-project.js';
import { terminals } from './terminals.js';

const local = await testEngine('bridge/docker');
const missing = 'reason' in local ? local.reason : await sshdIsMissing();

if ('reason' in local || missing !== undefined) {
  describe('an engine behind ssh', () => {
    it.skip(`skipped: ${missing ?? ''}`);
  });
} else {
  const server = await sshServer();
  const socket = /^unix:\/\/(.+)$/.exec(local.environment['DOCKER_HOST'] ?? '')?.[1] ?? '';
  const host = `${server.address}${socket}`;
  const backendAt = async (text: string, path: string): Promise<Backend> =>
    bridgeBackend({
      address: await engineAddress(text, {}),
      marks: transientStopMarks(),
      clock: systemClock,
      environment: { ...process.env, PATH: path },
    });
  const remote: TestEngine = {
    ...local,
    environment: { COMPOSE_BACKEND: 'bridge', DOCKER_HOST: host, PATH: server.path },
    backend: await backendAt(host, server.path),
  };
  afterAll(async () => {
    await local.clean();
    await server.stop();
  });

  describe('an engine behind ssh', { timeout: 120_000 }, () => {
    containerCommands(remote);
    terminals(remote);

    it.skipIf(missingBuildx !== undefined)(`builds with BuildKit${skipped(missingBuildx)}`, async () => {
      const environment = { DOCKER_HOST: host, HOME: process.env['HOME'] ?? '', PATH: withPlugin(server.path) };
      const backend = await (await chooseEngine({ environment })).openForCommand?.();
      expect(backend && (await logOf(backend, specOf(remote, MOUNTED, SECRET)))).toContain('opened');
    });

    it('serves a process that ends, and names it', async () => {
      const { spawn } = await engineProject(remote, { services: { web: {} } });
      expect(await (await spawn('up', '-d')).ended).toBe(0);
      const version = await spawn('version');
      expect(await version.ended).toBe(0);
      expect(version.printed()).toContain(`Engine: ${host} (bridge), DOCKER_HOST`);
      const events = await spawn('events', '--since', '1h');
      await events.says('container start');
      events.kill('SIGINT');
      expect(await events.ended).toBe(0);
    });

    it.each([
      [
        'a key that the server refuses',
        host,
        server.strangersPath,
        /ssh to '127\.0\.0\.1' failed: .*Permission denied/,
      ],
      ['a port where nothing listens', 'ssh://127.0.0.1:1', server.path, /ssh to '127\.0\.0\.1' failed: .*refused/],
      ['a socket that is missing', `${server.address}/none.sock`, server.path, /ssh to .* failed: .*none\.sock/],
      ['a machine without ssh', host, '/nonexistent', /^The program ssh cannot be started/],
    ])('fails with what ssh says for %s', async (_what, text, path, message) => {
      const backend = await backendAt(text, path);
      await expect(backend.system.ping()).rejects.toMatchObject({
        failure: { case: 'backendFailure', message: expect.stringMatching(message) as string },
      });
    });
  });
}
