/** `watch` with a rebuild, on a real engine. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineProject } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

export const watching: EnginePart = (engine) => {
  describe('watch with a rebuild', () => {
    it.each([
      ['removes the image that was replaced', [], []],
      ['keeps it with --no-prune', ['--no-prune'], [expect.objectContaining({ tags: [] })]],
    ])('%s', async (_what, flags, kept) => {
      const files = { Dockerfile: `FROM ${engine.image}\nCOPY page /page\n`, page: 'one' };
      const web = { build: '.', image: undefined, develop: { watch: [{ path: './page', action: 'rebuild' }] } };
      const { run, begin, backend, folder, name } = await engineProject(engine, { services: { web } }, files);
      const page = async (): Promise<string> => (await run('exec', '-T', 'web', 'cat', '/page')).stdout;
      await run('up', '-d');
      expect(await page()).toBe('one');
      const before = await backend.images.inspect(`${name}-web`);
      const watch = begin('watch', ...flags);
      // A change before the start of the watch would be missed.
      const changed = async (): Promise<string> => {
        await writeFile(path.join(folder, 'page'), 'two');
        return page();
      };
      await expect.poll(changed, { timeout: 60_000, interval: 1000 }).toBe('two');
      await watch.printed('web: rebuilt');
      watch.interrupt();
      expect((await watch.ran).code).toBe(0);
      const images = await backend.images.list({ labels: { 'com.docker.compose.project': name } });
      expect(images.filter(({ id }) => id === before.id)).toEqual(kept);
    });
  });
};
