/** The progress of commands on a real pseudo-terminal, as a terminal shows it. */
import { describe, expect, it } from 'vitest';
import { screen } from '../../support/screen.js';
import { missingTerminal } from '../../support/terminal.js';
import { engineProject, shell, type ComposeParts } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

const missing = await missingTerminal();

const WAITING: ComposeParts = {
  services: {
    db: {
      command: shell('trap "exit 0" TERM; while :; do sleep 0.1; done'),
      healthcheck: { test: ['CMD', 'test', '-f', '/tmp/ready'], interval: '200ms', retries: 1000 },
    },
    web: { depends_on: { db: { condition: 'service_healthy' } } },
  },
};

const TIME = String.raw`\d+\.\ds`;

/** The rows of that project when it is up. */
function finished(container: string): unknown[] {
  const row = (text: string): unknown => expect.stringMatching(new RegExp(`^${text} +${TIME}$`)) as unknown;
  return [
    row(String.raw`\[\+\] 3/3 done`),
    row(' ✔ Network .*default +Created'),
    row(` ✔ ${container}.*-db +Healthy`),
    row(` ✔ ${container}.*-web +Started`),
  ];
}

export const progressViews: EnginePart = (engine) => {
  describe.skipIf(missing !== undefined)(`progress${missing === undefined ? '' : ` (skipped: ${missing})`}`, () => {
    it.each([80, 120, 40])(
      'has a header, and a row for each resource with its time, at %d columns',
      async (columns) => {
        const { shellOnTerminal, name, run } = await engineProject(engine, WAITING);
        const view = screen(24, columns);
        const shown = await shellOnTerminal(`stty cols ${columns}; compose up -d`);
        await shown.shows('Waiting');
        view.show(shown.shown());
        expect((await view.lines())[0]).toMatch(new RegExp(String.raw`^\[\+\] \d/3 done  ${TIME}$`));
        await run('exec', '-T', 'db', 'touch', '/tmp/ready');
        expect(await shown.ended).toBe(0);
        view.show(shown.shown());
        const lines = await view.lines();
        expect(lines).toEqual(finished(columns < 60 ? 'Container ' : `Container ${name}`));
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(columns);
      },
    );

    it('is drawn for 80 columns on a terminal without a size', async () => {
      const { shellOnTerminal, name } = await engineProject(engine, { services: { web: {} } });
      const view = screen(24, 80);
      const shown = await shellOnTerminal('stty cols 0 rows 0; compose up -d');
      expect(await shown.ended).toBe(0);
      view.show(shown.shown());
      const lines = await view.lines();
      expect(lines[0]).toMatch(/^\[\+\] 2\/2 done /);
      expect(lines.at(-1)).toMatch(new RegExp(`^ ✔ Container ${name}-web +Started +${TIME}$`));
      expect(lines).toHaveLength(3);
    });

    it('stays in place when the terminal is resized', async () => {
      const { onTerminal, name, run } = await engineProject(engine, WAITING);
      const view = screen(24, 80);
      const shown = await onTerminal('up', '-d');
      await shown.shows('Waiting');
      for (const columns of [120, 60]) {
        view.show(shown.shown());
        await view.resize(24, columns);
        shown.resize(24, columns);
        const drawn = shown.shown().length;
        await expect.poll(() => shown.shown().length, { timeout: 20_000 }).toBeGreaterThan(drawn);
      }
      await run('exec', '-T', 'db', 'touch', '/tmp/ready');
      expect(await shown.ended).toBe(0);
      view.show(shown.shown());
      expect(await view.lines()).toEqual(finished(`Container ${name}`));
    });

    it('has no colours with NO_COLOR, and no rows with --progress plain', async () => {
      const { shellOnTerminal, name } = await engineProject(engine, { services: { web: {} } });
      const shown = await shellOnTerminal(
        'NO_COLOR=1 compose --progress plain up -d && NO_COLOR=1 compose stop && NO_COLOR=1 compose logs',
      );
      expect(await shown.ended).toBe(0);
      expect(shown.shown()).not.toMatch(/\u001b\[\d*m/);
      expect(shown.shown()).toContain(`Container ${name}-web Created\r\nContainer ${name}-web Starting\r\n`);
      expect(shown.shown()).toContain('web  | ready\r\n');
    });
  });
};
