/** Where a name is already in use. */
import { describe, expect, it } from 'vitest';
import type { EnginePart } from './on-engine.js';
import { engineProject, ONLY_RUNNING } from './engine-project.js';

export const conflicts: EnginePart = (engine) => {
  const { backend, labels, image } = engine;

  describe('alreadyExists', () => {
    it('with --no-replace for a changed container, which is not touched', async () => {
      const { run, write, container, name } = await engineProject(engine, { services: { web: {} } });
      await run('up', '-d');
      const before = await container('web');
      expect(await run('up', '-d', '--no-replace')).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(ONLY_RUNNING) as string,
      });
      await write({ services: { web: { environment: { NEW: '1' } } } });
      expect(await run('up', '-d', '--no-replace')).toMatchObject({
        code: 1,
        stderr: `'${name}-web' already exists.\n`,
      });
      expect(await container('web')).toEqual(before);
    });

    it('for a container name in use outside of any project', async () => {
      const { run, name, statuses } = await engineProject(engine, { services: { web: {} } });
      const foreign = await backend.containers.create({ name: `${name}-web`, image, labels, command: ['true'] });
      const { code, stderr } = await run('up', '-d');
      expect(code).toBe(1);
      expect(stderr).toContain(`'${name}-web' already exists.`);
      expect(await statuses()).toEqual({});
      await backend.containers.remove(foreign.id, { force: true });
      expect((await run('up', '-d')).code).toBe(0);
    });

    it('for a volume name in use outside of the project', async () => {
      const { run, name, containers } = await engineProject(engine, {
        services: { db: { volumes: ['data:/data'] } },
        volumes: { data: {} },
      });
      await backend.volumes.create({ name: `${name}_data`, labels });
      expect(await run('up', '-d')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`'${name}_data' already exists.`),
      });
      expect(await containers()).toEqual([]);
      await backend.volumes.remove(`${name}_data`);
    });

    it('for a network name in use outside of the project', async () => {
      const { run, name, containers } = await engineProject(engine, { services: { web: {} } });
      const { id } = await backend.internal.networks.create({ name: `${name}_default`, labels });
      expect(await run('up', '-d')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`'${name}_default' already exists.`),
      });
      expect(await containers()).toEqual([]);
      await backend.internal.networks.remove(id);
    });
  });

  it('the error of a port in use names the port and its container, and reports no other service as failed', async () => {
    const holder = await engineProject(engine, { services: { web: { ports: ['127.0.0.1::80'] } } });
    await holder.run('up', '-d');
    const port = (await holder.container('web')).ports[0]?.hostPort;
    const { run, name } = await engineProject(engine, {
      services: { web: { ports: [`127.0.0.1:${port}:80`] }, other: {} },
    });
    const { code, stderr } = await run('up', '-d');
    expect(code).toBe(1);
    expect(stderr).toContain(`The container ${holder.name}-web publishes port ${port}: stop it`);
    expect(stderr.match(/\S+ Failed/g)).toEqual([`${name}-web Failed`]);
  });

  it('a missing external volume fails up before anything is created', async () => {
    const { run, name, containers } = await engineProject(engine, {
      services: { db: { volumes: ['data:/data'] } },
      volumes: { data: { external: true, name: 'plt-nobody-made-this' } },
    });
    expect(await run('up', '-d')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "External volume 'plt-nobody-made-this' was not found. Create it with 'container volume create plt-nobody-made-this' before running compose.",
      ),
    });
    expect(await containers()).toEqual([]);
    const networks = await backend.internal.networks.list({ labels: { 'com.docker.compose.project': name } });
    expect(networks).toEqual([]);
  });
};
