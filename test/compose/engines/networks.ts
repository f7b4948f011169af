/** Networks of projects that change, and that two commands create at once, on a real engine. */
import { describe, expect, it } from 'vitest';
import { engineProject, ONLY_RUNNING } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

export const projectNetworks: EnginePart = (engine) => {
  describe('the network of a project', () => {
    it('is replaced with its containers when it changes', async () => {
      const services = { db: {}, web: { depends_on: ['db'] } };
      const { run, write, backend, name, statuses, containers } = await engineProject(engine, { services });
      expect((await run('up', '-d')).code).toBe(0);
      await write({ services, networks: { default: { internal: true } } });
      expect((await run('up', '-d')).code).toBe(0);
      expect(await backend.internal.networks.inspect(`${name}_default`)).toMatchObject({ internal: true });
      expect(await statuses()).toEqual({ db: 'running', web: 'running' });
      const before = await containers();
      expect(await run('up', '-d')).toMatchObject({ code: 0, stderr: expect.stringMatching(ONLY_RUNNING) as string });
      expect((await containers()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    });

    it('exists once after two commands have created it at the same time', async () => {
      for (let attempt = 0; attempt < 3; attempt++) {
        const { run, backend, name, statuses } = await engineProject(engine, { services: { a: {}, b: {} } });
        await Promise.all([run('up', '-d'), run('up', '-d')]);
        const labels = { 'com.docker.compose.project': name };
        expect(await backend.internal.networks.list({ labels })).toHaveLength(1);
        expect((await run('up', '-d')).code).toBe(0);
        expect(await statuses()).toEqual({ a: 'running', b: 'running' });
      }
    });
  });
};
