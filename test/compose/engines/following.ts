/** Output that is followed while containers are replaced, on a real engine. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineProject, shell, type EngineProject } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

/** Ends at SIGTERM, and prints lines with the number of the version. */
const counting = (version: number): string[] =>
  shell(`trap "exit 0" TERM; n=0; while :; do n=$$((n + 1)); echo "version ${version} line $$n"; sleep 0.1; done`);

const lines = (version: number): string => `version ${version} line 12`;

async function replaceBy(version: number, { write, run }: EngineProject): Promise<void> {
  await write({ services: { web: { command: counting(version) } } });
  expect((await run('up', '-d')).code).toBe(0);
}

export const following: EnginePart = (engine) => {
  describe('a command whose reader has ended, as head -1 does', () => {
    it.each([
      ['logs --follow', 'version 1 line'],
      ['up', 'version 1 line'],
      ['exec -T web sh -c "while :; do echo more; sleep 0.1; done"', 'more'],
      ['events', 'container'],
    ])('%s ends with 141, and the containers run on', async (command, line) => {
      const project = await engineProject(engine, { services: { web: { command: counting(1) } } });
      expect((await project.run('up', '-d')).code).toBe(0);
      const words = [...command.matchAll(/"([^"]+)"|(\S+)/g)].map(([word, quoted]) => quoted ?? word);
      const process = await project.spawn(...words);
      let isOver = false;
      const ended = process.ended.finally(() => (isOver = true));
      /** Makes events where they are the output. */
      const change = async (until: () => boolean): Promise<void> => {
        while (command === 'events' && !until()) await project.run('up', '-d', '--force-recreate');
      };
      await Promise.all([process.says(line), change(() => process.printed().includes(line))]);
      process.stopReading();
      await change(() => isOver);
      expect(await ended).toBe(141);
      expect(await project.statuses()).toEqual({ web: 'running' });
    });
  });

  describe('output of a container that is replaced', () => {
    it('continues in an attached up of one service, from the first line', async () => {
      const project = await engineProject(engine, { services: { web: { command: counting(1) } } });
      const up = project.begin('up');
      await up.printed(lines(1));
      await replaceBy(2, project);
      await up.printed(lines(2));
      up.interrupt();
      expect((await up.ran).stdout).toMatch(/is replaced\n(?:web {2}\| version 2 line \d+\n)*/);
      expect((await up.ran).stdout).toContain('version 2 line 1\n');
      expect(await project.statuses()).toEqual({ web: 'stopped' });
    });

    it('continues in logs --follow of its service, each line once', async () => {
      const project = await engineProject(engine, { services: { web: { command: counting(1) } } });
      await project.run('up', '-d');
      const logs = project.begin('logs', '--follow', '--no-log-prefix', 'web');
      await logs.printed(lines(1));
      await replaceBy(2, project);
      await logs.printed(lines(2));
      await project.run('stop');
      const printed = (await logs.ran).stdout.trimEnd().split('\n');
      expect(printed).toEqual([...new Set(printed)]);
      expect(printed).toContain('version 2 line 1');
    });

    it('continues in up --watch of one service after a rebuild', async () => {
      const files = {
        Dockerfile: `FROM ${engine.image}\nCOPY page /page\n`,
        page: 'one',
      };
      const command = shell(
        'trap "exit 0" TERM; while :; do echo "page $(cat /page)"; sleep 0.1; done'.replaceAll('$', '$$'),
      );
      const web = {
        build: '.',
        image: undefined,
        command,
        develop: { watch: [{ path: './page', action: 'rebuild' }] },
      };
      const { begin, folder, statuses } = await engineProject(engine, { services: { web } }, files);
      const up = begin('up', '--watch');
      await up.printed('page one');
      for (const text of ['two', 'three']) {
        let isShown = false;
        void up.printed(`page ${text}`).then(() => (isShown = true));
        const changed = async (): Promise<boolean> => {
          // A change before the start of the watch would be missed.
          if (!isShown) await writeFile(path.join(folder, 'page'), text);
          return isShown;
        };
        await expect.poll(changed, { timeout: 60_000, interval: 2000 }).toBe(true);
      }
      expect(await statuses()).toEqual({ web: 'running' });
      up.interrupt();
      expect((await up.ran).code).toBe(0);
    });
  });
};
