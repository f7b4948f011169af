/** What a later command leaves alone, changes or refuses on a swarm. One engine is enough. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/compose/runtime/clock.js';
import type { Backend } from '../../../src/compose/runtime/runtime.js';
import { selectBackend } from '../../../src/compose/runtime/select.js';
import { startSwarm, swarmIsMissing, SWARM_IMAGE as IMAGE, type TestSwarm } from '../../support/swarm.js';
import { consoleOn, type Console } from '../cli/command-line.js';
import { folderWith } from '../model/project-folder.js';
import { runService } from '../service/running-service.js';

const reason = await swarmIsMissing();
const FOREVER = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'];
const DIGEST = `sha256:${'1'.repeat(64)}`;

describe.skipIf(reason !== undefined)(
  `a project on a swarm${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  { timeout: 120_000 },
  () => {
    let swarm: TestSwarm;
    let backend: Backend;
    beforeAll(async () => {
      swarm = await startSwarm(1);
      backend = await selectBackend({ backend: 'swarm', environment: { DOCKER_HOST: swarm.host(1), HOME: '/none' } });
    }, 120_000);
    afterAll(() => swarm.stop(), 60_000);

    const docker = (...args: string[]): Promise<string> => swarm.docker(1, ...args);
    let count = 0;
    const newName = (): string => `later${(count += 1)}`;
    async function project(
      parts: object,
      {
        name = newName(),
        files = {},
        on = backend,
      }: { name?: string; files?: Record<string, string>; on?: Backend } = {},
    ): Promise<Console & { readonly name: string; write(parts: object): Promise<void> }> {
      const text = (content: object): string => JSON.stringify({ name, ...content });
      const folder = await folderWith({ ...files, 'compose.yaml': text(parts) });
      const console = consoleOn(on, { folder, clock: systemClock, environment: { COMPOSE_BACKEND: 'swarm' } });
      onTestFinished(async () => {
        await console.run('down');
      });
      return { ...console, name, write: (content) => writeFile(path.join(folder, 'compose.yaml'), text(content)) };
    }
    const web = { image: IMAGE, command: FOREVER };
    const taskOf = (name: string): Promise<string> =>
      docker('service', 'ps', '--quiet', '--filter', 'desired-state=running', `${name}_web`);

    it('keeps its containers when variables change places, or the file is in another folder', async () => {
      const { run, name, write } = await project({ services: { web: { ...web, environment: { A: '1', B: '2' } } } });
      expect(await run('up')).toMatchObject({ code: 0 });
      const before = await taskOf(name);
      await write({ services: { web: { ...web, environment: { B: '2', A: '1' } } } });
      expect(await run('up')).toMatchObject({ code: 0, stderr: '' });
      const moved = await project({ services: { web: { ...web, environment: { A: '1', B: '2' } } } }, { name });
      expect(await moved.run('up', '--no-replace')).toMatchObject({ code: 0, stderr: '' });
      expect(await taskOf(name)).toBe(before);
    });

    it('keeps its image when the registry does not answer', async () => {
      let digest: string | undefined = `${IMAGE}@${DIGEST}`;
      const { cluster } = backend;
      if (cluster === undefined) throw new Error('not a swarm');
      const on = { ...backend, cluster: { ...cluster, resolveImage: () => Promise.resolve(digest) } };
      const { run, name } = await project({ services: { web } }, { on });
      const image = (): Promise<string> =>
        docker('service', 'inspect', '--format', '{{.Spec.TaskTemplate.ContainerSpec.Image}}', `${name}_web`);
      expect((await run('up', '-d')).stderr).not.toContain('digest');
      digest = undefined;
      const again = await run('up', '-d');
      expect(again.stderr).toContain(`could not be read from its registry. Service 'web' keeps the image that it has.`);
      expect(again.stderr).not.toContain('Updat');
      expect(await image()).toBe(`${IMAGE}@${DIGEST}`);
    });

    it('says at the first start that nodes may run different images', async () => {
      const { run } = await project({ services: { web } });
      expect((await run('up')).stderr).toContain('so nodes may run different images of this name.');
    });

    it('leaves secrets and volumes that were not made for it', async () => {
      const { run, name } = await project({ services: { web } });
      const added = await docker(
        'config',
        'create',
        '--label',
        `com.docker.stack.namespace=${name}`,
        `${name}-added`,
        '/etc/hostname',
      );
      await docker('volume', 'create', '--label', `com.docker.compose.project=${name}`, `${name}_pg`);
      onTestFinished(async () => {
        await docker('config', 'rm', added);
        await docker('volume', 'rm', `${name}_pg`);
      });
      expect(await run('up')).toMatchObject({ code: 0 });
      expect(await run('down', '-v')).toMatchObject({ code: 0 });
      expect(await docker('config', 'ls', '--quiet')).toBe(added);
      expect(await docker('volume', 'ls', '--quiet')).toBe(`${name}_pg`);
    });

    it('starts again after a rollback, with the file that it was rolled back to', async () => {
      const policy = { deploy: { update_config: { failure_action: 'rollback', monitor: '2s' } } };
      const { run, write } = await project({ services: { web: { ...web, ...policy } } });
      expect(await run('up')).toMatchObject({ code: 0 });
      await write({ services: { web: { ...web, ...policy, command: ['/no-such-program'] } } });
      const failed = await run('up');
      expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('was rolled back') });
      await write({ services: { web: { ...web, ...policy } } });
      const again = await run('up');
      // The container of the file may still be starting.
      expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('rolled back') });
    });

    it('says why an update cannot be placed, and gives up in time', async () => {
      const { run, write, name } = await project({ services: { web } });
      expect(await run('up')).toMatchObject({ code: 0 });
      await write({
        services: { web: { ...web, deploy: { placement: { constraints: ['node.labels.zone==north'] } } } },
      });
      const failed = await run('up', '--wait', '--wait-timeout', '3');
      expect(failed.code).toBe(1);
      expect(failed.stderr).toContain(`${name}_web: no suitable node (scheduling constraints not satisfied`);
      expect(failed.stderr).toContain(`Timed out after 3s waiting for container '${name}_web'`);
    });

    it('refuses another mode of a service, before any change', async () => {
      const { run, write, name } = await project({ services: { web } });
      expect(await run('up')).toMatchObject({ code: 0 });
      await write({ services: { web: { ...web, deploy: { mode: 'global' } }, more: web } });
      const refusal = 'changing deploy.mode of the existing service web (remove it first: down web)';
      expect(await run('up')).toMatchObject({ code: 1, stderr: expect.stringContaining(refusal) });
      expect(await docker('service', 'ls', '--format', '{{.Name}}')).toBe(`${name}_web`);
      expect(await run('down', 'web')).toMatchObject({ code: 0 });
      expect(await run('up')).toMatchObject({ code: 0 });
    });

    it.each([
      ['an empty secret', '', 'secrets.token without content'],
      ['a secret that is too large', 'x'.repeat(512_001), 'secrets.token of more than 512000 bytes'],
    ])('refuses %s, before any change', async (_, content, message) => {
      const parts = { services: { web: { ...web, secrets: ['token'] } }, secrets: { token: { file: './token' } } };
      const { run, name } = await project(parts, { files: { token: content } });
      expect(await run('up')).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
      expect(await docker('network', 'ls', '--quiet', '--filter', `name=${name}`)).toBe('');
    });

    it('shortens long names of secrets, and refuses long names of services', async () => {
      const long = 'a-secret-with-a-name-of-more-than-sixty-four-characters-in-all-of-it';
      const parts = { services: { web: { ...web, secrets: [long] } }, secrets: { [long]: { file: './token' } } };
      const { run, write, name } = await project(parts, { files: { token: 'value' } });
      expect(await run('up')).toMatchObject({ code: 0 });
      expect(
        await docker(
          'exec',
          await docker('ps', '--quiet', '--filter', `name=${name}_web`),
          'cat',
          `/run/secrets/${long}`,
        ),
      ).toBe('value');
      const service = 'w'.repeat(60);
      await write({ services: { [service]: web } });
      expect(await run('up')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`services.${service}, whose name`),
      });
    });

    it('is not taken over by a project that is sent, though it has no containers', async () => {
      const name = newName();
      await docker(
        'service',
        'create',
        '--detach',
        '--quiet',
        '--replicas',
        '0',
        '--name',
        `${name}_api`,
        '--label',
        `com.docker.stack.namespace=${name}`,
        IMAGE,
      );
      onTestFinished(async () => {
        await docker('service', 'rm', `${name}_api`);
      });
      const service = await runService({ wrap: () => backend });
      const sent = `services: {web: {image: "${IMAGE}"}}`;
      expect(await service.expect(400, 'POST', `/projects/${name}`, sent)).toMatchObject({
        allowance: 'other-projects',
        path: ['name'],
      });
    });
  },
);
