import { randomBytes } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { builtCommand } from '../cli/built-command.js';
import { onEngine } from '../compose/engines/on-engine.js';
import { composeFile, removeAll, shell } from '../compose/engines/engine-project.js';
import { runService } from '../compose/service/running-service.js';
import type { TestEngine } from '../support/engines.js';
import { addProject, openByLink, walkProject } from './containers-page.js';
import { hasBrowser, newVisitor, startBrowser, withoutBrowser } from './console.js';

const prints = (text: string): string[] => shell(`trap "exit 0" TERM; while :; do echo "${text}"; sleep 0.2; done`);

const containersPage = (engine: TestEngine): void => {
  describe.skipIf(!hasBrowser)(`the page of compose serve${withoutBrowser}`, () => {
    test('manages a project from its compose file to its removal', async () => {
      await builtCommand();
      const name = `plt${randomBytes(5).toString('hex')}`;
      onTestFinished(() => removeAll(engine.backend, { 'com.docker.compose.project': name }));
      const running = await runService({ page: true, wrap: () => engine.backend });
      onTestFinished(() => running.stop());
      const browser = await startBrowser();
      onTestFinished(() => browser.close());
      const visitor = await newVisitor(browser, running.url);
      await openByLink(visitor, running);
      const services = { web: { command: prints('hello of web') }, db: { command: prints('hello of db') } };
      await addProject(visitor.page, name, composeFile(engine, name, { services }));
      await walkProject(visitor.page, { output: { web: 'hello of web', db: 'hello of db' } });
      expect(visitor.complaints).toEqual([]);
    });
  });
};

await onEngine('bridge/docker', [containersPage]);
