/** Builds on Docker, with BuildKit and with the classic builder. */
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bridgeBackend } from '../../../src/compose/runtime/bridge/bridge.js';
import { engineAddress } from '../../../src/compose/runtime/bridge/address.js';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { chooseEngine } from '../../../src/compose/runtime/select.js';
import type { BuildSpec } from '../../../src/compose/runtime/spec.js';
import { transientStopMarks } from '../../../src/compose/runtime/state.js';
import { buildx, type TestEngine } from '../../support/engines.js';
import { builds, logOf, MOUNTED, pushedBuilds, SECRET, specOf, withBuildx } from './builds.js';
import { engineProject } from './engine-project.js';
import { onEngine } from './on-engine.js';

function chosenEngine(engine: TestEngine): void {
  const host = engine.environment['DOCKER_HOST'] ?? '';
  const PATH = [dirname(buildx ?? ''), process.env['PATH']].join(':');

  describe('the plug-in buildx', () => {
    it('uses the engine of the backend, whatever the variables of Docker say', async () => {
      const environment = {
        PATH,
        HOME: '/nonexistent',
        DOCKER_HOST: 'tcp://127.0.0.1:1',
        DOCKER_CONTEXT: 'none',
        DOCKER_TLS_VERIFY: '1',
        DOCKER_CLI_PLUGIN_ORIGINAL_CLI_COMMAND: 'docker',
        S: 'another value',
      };
      const address = await engineAddress(host, {});
      const parts = { address, marks: transientStopMarks(), clock: systemClock, environment };
      expect(await logOf(bridgeBackend({ ...parts, mayRunBuildx: true }), specOf(engine, MOUNTED, SECRET))).toContain(
        'opened',
      );
    });

    it('builds for the commands of its user, and not for a server', async () => {
      const chosen = await chooseEngine({ environment: { ...process.env, DOCKER_HOST: host, PATH } });
      const spec = specOf(engine, MOUNTED, SECRET);
      const [own, served] = [await chosen.openForCommand?.(), await chosen.open()];
      expect(own && (await logOf(own, spec))).toContain('opened');
      await expect(logOf(served, spec)).rejects.toMatchObject({ failure: { operation: 'build.secrets' } });
      await expect(logOf(served, specOf(engine, MOUNTED))).rejects.toThrow(
        "The Dockerfile has RUN --mount, which needs BuildKit. 'compose serve' builds without BuildKit.",
      );
    });

    it('of an old engine refuses what that does not have, with advice', async () => {
      const parts = (more: object): Parameters<typeof engineProject>[1] => ({
        services: {
          web: { build: { dockerfile_inline: `FROM ${engine.image}\nRUN true`, labels: engine.labels, ...more } },
        },
      });
      const contexts = await engineProject(engine, parts({ additional_contexts: { other: '.' } }));
      const refused = await contexts.run('build');
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain("The bridge backend does not support 'build.additional_contexts'.");
      expect(refused.stderr).toContain('Docker before 23 has an old BuildKit that lacks a part.');
      const here = parts({ dockerfile_inline: `FROM ${engine.image}\nRUN <<EOF\necho here\nEOF` });
      expect((await (await engineProject(engine, here)).run('build')).stderr).toContain(
        'The Dockerfile has a here-document, which needs the BuildKit of Docker 23 or newer.',
      );
      const several = parts({ platforms: ['linux/amd64', 'linux/arm64'] });
      expect((await (await engineProject(engine, several)).run('build')).stderr).toMatch(
        /Multi-platform build is not supported .* turn on the containerd image store/,
      );
    });
  });
}

/** Without buildx, whether it is installed or not. */
function classic(engine: TestEngine): void {
  describe('the classic builder', () => {
    const backend = async (): Promise<Backend> =>
      bridgeBackend({
        address: await engineAddress(engine.environment['DOCKER_HOST'] ?? '', {}),
        marks: transientStopMarks(),
        clock: systemClock,
        environment: { PATH: '/nonexistent', HOME: '/nonexistent' },
        mayRunBuildx: true,
      });

    it.each([
      ['RUN --mount', ['RUN --mount=type=cache,target=/c true']],
      ['a here-document', ['RUN <<EOF', 'echo here', 'EOF']],
    ])('names %s when it fails, and what to install', async (name, lines) => {
      await expect(logOf(await backend(), specOf(engine, lines))).rejects.toThrow(
        `The Dockerfile has ${name}, which needs BuildKit. Install the plug-in buildx of the Docker CLI (docker-buildx).`,
      );
    });

    it.each<[string, Partial<BuildSpec>]>([
      ['build.secrets', SECRET],
      ['build.ssh', { ssh: ['default'] }],
      ['build.additional_contexts', { additionalContexts: { other: '/tmp' } }],
      ['build.platforms', { platforms: ['linux/amd64', 'linux/arm64'] }],
      ['build.privileged', { privileged: true }],
      ['build.entitlements', { entitlements: ['network.host'] }],
      ['build --builder', { builder: 'other' }],
      ['build --check', { check: true }],
    ])('refuses %s', async (operation, more) => {
      await expect(logOf(await backend(), specOf(engine, [], more))).rejects.toMatchObject({
        failure: { case: 'notSupported', operation, conformer: 'bridge' },
      });
    });

    it('applies limits, and says what has no effect', async () => {
      const more = {
        ulimits: { nofile: { soft: 99, hard: 100 } },
        memoryBytes: 64 * 1024 * 1024,
        cacheTo: ['type=inline'],
      };
      const log = await logOf(await backend(), specOf(engine, ['RUN echo "limit $(ulimit -n)"'], more));
      expect(log).toContain('limit 99');
      expect(log).toContain("warning: 'build.cache_to' has no effect without BuildKit.");
    });
  });
}

await onEngine('bridge/docker', [withBuildx(builds), withBuildx(pushedBuilds), withBuildx(chosenEngine), classic]);
