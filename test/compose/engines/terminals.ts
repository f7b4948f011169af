/** Commands on a real pseudo-terminal, in front of a real engine. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { CTRL, missingTerminal } from '../../support/terminal.js';
import { skipped } from './builds.js';
import { engineProject, shell } from './engine-project.js';
import type { EnginePart } from './on-engine.js';

const missing = await missingTerminal();

/** The prompt of a shell, which shows that it reads what is typed. */
const PROMPT = ' # ';

export const terminals: EnginePart = (engine) => {
  describe.skipIf(missing !== undefined)(
    `on a terminal${missing === undefined ? '' : ` (skipped: ${missing})`}`,
    () => {
      const web = { services: { web: {} } };

      it('exec ends with its shell, without a further key press', async () => {
        const { run, onTerminal } = await engineProject(engine, web);
        await run('up', '-d');
        const shown = await onTerminal('exec', 'web', 'sh');
        await shown.shows(PROMPT);
        shown.type('exit 7\r');
        expect(await shown.ended).toBe(7);
      });

      it('exec ends at Ctrl-D, and passes Ctrl-C to the process', async () => {
        const { run, onTerminal } = await engineProject(engine, web);
        await run('up', '-d');
        const shown = await onTerminal('exec', 'web', 'sh');
        await shown.shows(PROMPT);
        // The quotes are not in the output. The shell only reads Ctrl-D as an end after it has shown its prompt.
        shown.type('trap "echo cau""ght" INT; echo rea""dy\r');
        await shown.shows(/ready\s.* # /s);
        shown.type(CTRL.c);
        await shown.shows(/caught\s.* # /s);
        shown.type(CTRL.d);
        expect(await shown.ended).toBe(0);
      });

      const noSize =
        engine.name === 'native/podman' ? 'podman finds the size of a terminal itself, and has none' : undefined;
      it.skipIf(noSize)(`exec resizes its terminal${skipped(noSize)}`, async () => {
        const { run, onTerminal } = await engineProject(engine, web);
        await run('up', '-d');
        const shown = await onTerminal('exec', 'web', 'sh');
        await shown.shows(PROMPT);
        const ask = (): string => {
          shown.type('stty size\r');
          return shown.shown();
        };
        const hasSize = async (size: string): Promise<void> => {
          await expect.poll(ask, { timeout: 20_000, interval: 100 }).toContain(size);
        };
        await hasSize('24 80');
        shown.resize(30, 100);
        await hasSize('30 100');
      });

      it('the detach keys leave exec, and its process keeps running', async () => {
        const { run, onTerminal } = await engineProject(engine, web);
        await run('up', '-d');
        const shown = await onTerminal('exec', 'web', 'sh', '-c', 'echo wait""ing; exec sleep 1234');
        await shown.shows('waiting');
        shown.type(CTRL.p);
        shown.type(CTRL.q);
        expect(await shown.ended).toBe(0);
        expect((await run('top', 'web')).stdout).toContain('sleep 1234');
      });

      it('exec without a terminal reads a pipe to its end', async () => {
        const { run, shellOnTerminal } = await engineProject(engine, web);
        await run('up', '-d');
        const shown = await shellOnTerminal(`printf 'one\\ntwo\\n' | compose exec web cat | tr a-z A-Z; echo over`);
        expect(await shown.ended).toBe(0);
        expect(shown.shown()).toBe('ONE\r\nTWO\r\nover\r\n');
      });

      it('exec -T reads lines of a terminal until Ctrl-D, and ends at Ctrl-C with 130', async () => {
        const { run, onTerminal } = await engineProject(engine, web);
        await run('up', '-d');
        const cat = await onTerminal('exec', '-T', 'web', 'sh', '-c', 'echo go; cat; echo end');
        await cat.shows('go');
        cat.type(`line\r${CTRL.d}`);
        await cat.shows('end');
        expect(await cat.ended).toBe(0);
        const waiting = await onTerminal('exec', '-T', 'web', 'sh', '-c', 'echo go; cat');
        await waiting.shows('go');
        waiting.type(CTRL.c);
        expect(await waiting.ended).toBe(130);
      });

      it('run ends with its shell, and --rm removes its container', async () => {
        const { onTerminal, containers } = await engineProject(engine, web);
        const shown = await onTerminal('run', '--rm', 'web', 'sh');
        await shown.shows(PROMPT);
        shown.type('exit 3\r');
        expect(await shown.ended).toBe(3);
        expect(await containers()).toEqual([]);
      });

      it('the detach keys leave run, and its container keeps running', async () => {
        const { onTerminal, containers } = await engineProject(engine, web);
        const shown = await onTerminal('run', 'web', ...shell('echo wait""ing; sleep 1234'));
        await shown.shows('waiting');
        shown.type(CTRL.p + CTRL.q);
        expect(await shown.ended).toBe(0);
        expect(await containers()).toMatchObject([{ status: 'running' }]);
      });

      const WAITING = {
        services: {
          db: { healthcheck: { test: ['CMD', 'false'], interval: '1s', retries: 1000 } },
          web: { depends_on: { db: { condition: 'service_healthy' } } },
        },
      };

      it('up shows output while it starts, and Ctrl-C stops the started containers', async () => {
        const { onTerminal, statuses } = await engineProject(engine, WAITING);
        const shown = await onTerminal('up');
        await shown.shows(/db\s+\|\S* ready/);
        shown.type(CTRL.c);
        await shown.shows('press Ctrl+C again to force');
        expect(await shown.ended).toBe(130);
        // The mark of the stop is in the state of that process, so here it only shows that it has ended.
        expect(await statuses()).toEqual({ db: 'exited', web: 'created' });
      });

      it('up ends cleanly at Ctrl-C, and a second Ctrl-C kills containers that do not stop', async () => {
        const { onTerminal, statuses } = await engineProject(engine, {
          services: { deaf: { command: shell('trap "" TERM; echo de""af; while :; do sleep 0.1; done') } },
        });
        const shown = await onTerminal('up', '--timeout', '600');
        await shown.shows(/deaf\s+\|\S* deaf/);
        shown.type(CTRL.c);
        await shown.shows('Stopping');
        shown.type(CTRL.c);
        expect(await shown.ended).toBe(0);
        expect(Object.values(await statuses())).not.toContain('running');
      });

      it('the menu of up detaches, and leaves the containers running', async () => {
        const { onTerminal, statuses } = await engineProject(engine, web);
        const shown = await onTerminal('up', '--menu');
        await shown.shows(/w\S* Enable Watch {3}\S*d\S* Detach/);
        shown.type('w');
        await shown.shows('No service has a develop.watch section.');
        shown.type('d');
        expect(await shown.ended).toBe(0);
        expect(await statuses()).toEqual({ web: 'running' });
      });

      it('the menu of up watches files, and Ctrl-C stops the containers', async () => {
        const watched = { develop: { watch: [{ path: './page', target: '/page', action: 'sync' }] } };
        const { onTerminal, statuses, folder } = await engineProject(
          engine,
          { services: { web: watched } },
          { page: 'one' },
        );
        const shown = await onTerminal('up', '--menu');
        await shown.shows('Enable Watch');
        shown.type('w');
        await shown.shows('Disable Watch');
        const copied = async (): Promise<string> => {
          await writeFile(path.join(folder, 'page'), 'two');
          return shown.shown();
        };
        await expect.poll(copied, { timeout: 20_000, interval: 300 }).toContain('web: 1 file copied');
        // What does not fit is left out.
        shown.resize(24, 20);
        shown.type('w');
        const lastLine = (): string => shown.shown().split('\u001b[0J').at(-1) ?? '';
        await expect.poll(lastLine, { timeout: 20_000 }).toMatch(/Enable Watch$/);
        shown.type(CTRL.c);
        await shown.shows('press Ctrl+C again to force');
        expect(await shown.ended).toBe(0);
        // The mark of the stop is in the state of that process.
        expect(await statuses()).toEqual({ web: 'exited' });
      });

      const SHELL = { services: { web: { tty: true, stdin_open: true, command: ['sh'] } } };

      it('the detach keys leave attach, and the process keeps running', async () => {
        const { run, onTerminal, statuses } = await engineProject(engine, SHELL);
        await run('up', '-d');
        const shown = await onTerminal('attach', 'web');
        shown.type('echo at""tached\r');
        await shown.shows('attached');
        shown.type(CTRL.p + CTRL.q);
        expect(await shown.ended).toBe(0);
        expect(await statuses()).toEqual({ web: 'running' });
      });

      it('attach --detach-keys detaches at these keys, and passes the usual ones on', async () => {
        const { run, onTerminal, statuses } = await engineProject(engine, SHELL);
        await run('up', '-d');
        const shown = await onTerminal('attach', '--detach-keys', 'ctrl-a,x', 'web');
        shown.type('echo at""tached\r');
        await shown.shows('attached');
        shown.type(CTRL.p + CTRL.q + CTRL.c);
        shown.type('echo still at""tached\r');
        await shown.shows('still attached');
        // Ctrl-A alone is not the whole sequence.
        shown.type(`${CTRL.a}echo of ${CTRL.a}x`);
        expect(await shown.ended).toBe(0);
        expect(await statuses()).toEqual({ web: 'running' });
      });

      const CATCHING = {
        services: { web: { command: shell('trap "echo cau""ght" INT; while :; do echo tick; sleep 0.1; done') } },
      };

      it('attach passes Ctrl-C on to a process without a terminal, and a second one detaches', async () => {
        const { run, onTerminal, statuses } = await engineProject(engine, CATCHING);
        await run('up', '-d');
        const shown = await onTerminal('attach', 'web');
        await shown.shows('tick');
        shown.type(CTRL.c);
        await shown.shows('caught');
        shown.type(CTRL.c);
        expect(await shown.ended).toBe(130);
        expect(await statuses()).toEqual({ web: 'running' });
      });

      it('attach --no-sig-proxy ends at Ctrl-C, and the process does not notice', async () => {
        const { run, onTerminal, statuses } = await engineProject(engine, CATCHING);
        await run('up', '-d');
        const shown = await onTerminal('attach', '--no-sig-proxy', 'web');
        await shown.shows('tick');
        shown.type(CTRL.c);
        expect(await shown.ended).toBe(130);
        expect(await statuses()).toEqual({ web: 'running' });
        expect((await run('logs', 'web')).stdout).not.toContain('caught');
      });

      it('logs --follow ends at Ctrl-C', async () => {
        const { run, onTerminal } = await engineProject(engine, web);
        await run('up', '-d');
        const shown = await onTerminal('logs', '-f');
        await shown.shows('ready');
        shown.type(CTRL.c);
        expect(await shown.ended).toBe(0);
      });
    },
  );
};
