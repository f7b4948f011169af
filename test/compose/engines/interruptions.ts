/** A command that dies is finished by the next one, wherever it was. */
import { describe, expect, it } from 'vitest';
import type { EnginePart } from './on-engine.js';
import { engineProject, ONLY_RUNNING } from './engine-project.js';

export const interruptions: EnginePart = (engine) => {
  describe('after SIGKILL', () => {
    it('the next up completes a killed one, and repeats no finished step', async () => {
      const { spawn, run, name, statuses, container } = await engineProject(engine, {
        services: {
          a: { volumes: ['data:/data'] },
          b: { depends_on: ['a'] },
          c: { depends_on: ['b'] },
          d: { depends_on: ['c'] },
        },
        volumes: { data: {} },
      });
      const killed = await spawn('up', '-d');
      await killed.says(`Container ${name}-b Started`);
      killed.kill('SIGKILL');
      expect(await killed.ended).toBe('SIGKILL');
      const { id } = await container('a');
      expect((await run('up', '-d')).code).toBe(0);
      expect(await statuses()).toEqual({ a: 'running', b: 'running', c: 'running', d: 'running' });
      expect((await container('a')).id).toBe(id);
      expect(await run('up', '-d')).toEqual({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(ONLY_RUNNING) as string,
      });
    });

    it.each(['Stopped', 'Creating', 'Created', 'Removed'])(
      'a replacement killed at %s keeps the data of an anonymous volume',
      async (moment) => {
        const { spawn, run, write, name, statuses, containers } = await engineProject(engine, {
          services: { db: { volumes: ['/data'] } },
        });
        await run('up', '-d');
        await run('exec', '-T', 'db', 'sh', '-c', 'echo precious > /data/file');
        await write({ services: { db: { volumes: ['/data'], environment: { NEW: '1' } } } });
        const killed = await spawn('up', '-d');
        await killed.says(`Container ${name}-db ${moment}`);
        killed.kill('SIGKILL');
        await killed.ended;
        const next = await run('up', '-d');
        expect(next.code, next.stderr).toBe(0);
        expect(await statuses()).toEqual({ db: 'running' });
        expect((await containers()).map((one) => one.name)).toEqual([`${name}-db`]);
        expect((await run('exec', '-T', 'db', 'cat', '/data/file')).stdout).toBe('precious\n');
      },
    );

    it('the next down completes a killed one', async () => {
      const { spawn, run, name, containers, backend } = await engineProject(engine, {
        services: { a: {}, b: { depends_on: ['a'] }, c: { depends_on: ['b'] } },
      });
      await run('up', '-d');
      const killed = await spawn('down');
      await killed.says(`Container ${name}-c Removed`);
      killed.kill('SIGKILL');
      await killed.ended;
      expect((await run('down')).code).toBe(0);
      expect(await containers()).toEqual([]);
      const labels = { 'com.docker.compose.project': name };
      expect(await backend.internal.networks.list({ labels })).toEqual([]);
    });
  });
};
