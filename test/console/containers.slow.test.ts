import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MockProgram } from '../../src/compose/runtime/mock/process.js';
import { createLogBuffer } from '../../src/console/containers/log-buffer.js';
import { createTranscript } from '../../src/console/containers/transcript.js';
import { builtCommand } from '../cli/built-command.js';
import { runService, type RunningService } from '../compose/service/running-service.js';
import { createCertificates, missingOpenssl } from '../support/certificates.js';
import { addProject, openByLink, walkProject } from './containers-page.js';
import { appearances, lookAt } from './look.js';
import {
  hasBrowser,
  reload,
  newVisitor,
  startBrowser,
  withoutBrowser,
  type VisitorOptions,
  type Visitor,
} from './console.js';

const shop = `
services:
  web:
    image: app
    depends_on: [db]
  db:
    image: app
`;

/** What the shell of a container does with the line that `walkProject` enters. Other lines do not end. */
const shellOfContainer: MockProgram = async ({ command, write, ended }) => {
  if (command.at(-1) !== 'echo out; echo err >&2; exit 3') {
    write('stdout', 'waiting');
    await new Promise((resolve) => {
      ended.addEventListener('abort', resolve);
    });
    return 0;
  }
  write('stdout', 'out\n');
  write('stderr', 'err\n');
  return 3;
};

describe.skipIf(!hasBrowser)(`The page of compose serve${withoutBrowser}`, () => {
  let browser: Browser;
  let running: RunningService;
  const visit = (options?: VisitorOptions): Promise<Visitor> => newVisitor(browser, running.url, options);
  beforeAll(async () => {
    await builtCommand();
    browser = await startBrowser();
    running = await runService({
      page: true,
      programs: ({ kind }) => (kind === 'exec' ? shellOfContainer : undefined),
    });
  });
  afterAll(async () => {
    await browser.close();
    await running.stop();
  });

  test('manages a project: up, output, restart, scale, usage, stop, down', async () => {
    const visitor = await visit();
    const { page, complaints } = visitor;
    await openByLink(visitor, running);
    await addProject(page, 'shop', shop);
    await page.getByRole('heading', { name: 'shop' }).waitFor();
    const output = { web: 'listening on 80', db: 'ready to serve' };
    await walkProject(page, { output }, () => {
      running.control.log('shop-web', 'stdout', output.web);
      running.control.log('shop-db', 'stderr', output.db);
    });
    expect(complaints).toEqual([]);
    await visitor.context.close();
  });

  test('shows a refusal of the server with its entry of the error catalogue', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await openByLink(visitor, running);
    await addProject(page, 'odd', 'services: { web: { image: nowhere/none, privileged: true } }');
    await page.getByText('ComposeValidationError.notAllowed').waitFor();
    await page.getByLabel('Compose file').fill('services: { web: { image: nowhere/none, pull_policy: never } }');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('button', { name: 'Up', exact: true }).click();
    await page.getByText('RuntimeError.imageNotFound').waitFor();
    await visitor.context.close();
  });

  test('stops following a command that does not end, and says why one could not be run', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await openByLink(visitor, running);
    await addProject(page, 'tools', 'services: { web: { image: app } }');
    await page.getByRole('button', { name: 'Up', exact: true }).click();
    await page.getByText('The project is up.').waitFor();
    await page.getByText('Run a command', { exact: true }).click();
    const command = page.getByLabel('Command', { exact: true });
    await command.fill('tail -f /log');
    await page.keyboard.press('Enter');
    const printed = page.getByRole('log', { name: 'Output of commands' });
    await printed.getByText('waiting').waitFor();
    await page.getByRole('button', { name: 'Stop following' }).click();
    await printed.getByText('no longer followed').waitFor();

    await page.route('**/exec', async (route) => {
      await running.backend.containers.stop('tools-web');
      await route.continue();
    });
    visitor.provoke(/^409 .*\/exec$/);
    await command.fill('ls');
    await page.keyboard.press('Enter');
    await page.getByText('RuntimeError.invalidState').waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  test('shows usage as charts and as a table, without an error for containers that end or are removed', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await openByLink(visitor, running);
    await addProject(page, 'used', 'services: { web: { image: app }, db: { image: app }, job: { image: app } }');
    await page.getByRole('button', { name: 'Up', exact: true }).click();
    await page.getByText('The project is up.').waitFor();
    const { containers } = running.backend;
    const ends = [() => containers.stop('used-db'), () => containers.remove('used-job', { force: true })];
    await page.route('**/stats?*', async (route) => {
      await ends.shift()?.();
      await route.continue();
    });
    await page.getByText('Processor and memory').click();
    await page.getByRole('img', { name: /^Processor of used-web: .*%, at most .*%$/ }).waitFor();
    await page.getByRole('button', { name: 'As a table' }).click();
    const table = page.getByRole('region', { name: 'Processor and memory, as a table' });
    expect(await table.getByRole('row').count()).toBeGreaterThan(2);
    const cells = (await table.getByRole('row').nth(1).getByRole('cell').allTextContents()).slice(1);
    expect(cells).toEqual(['used-web', expect.stringMatching(/%$/), expect.stringMatching(/byte|B$/)]);
    expect(await table.getByText('used-db').count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  test('shows the health of containers, and their events', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await openByLink(visitor, running);
    const healthcheck = '{ test: [CMD, "true"], interval: 1h, start_interval: 1h }';
    await addProject(page, 'checked', `services: { web: { image: app, healthcheck: ${healthcheck} } }`);
    await page.getByRole('button', { name: 'Up', exact: true }).click();
    await page.getByText('The project is up.').waitFor();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'web', exact: true }) });
    for (const health of ['healthy', 'unhealthy'] as const) {
      running.control.setHealth('checked-web', health);
      await row.getByText(health, { exact: true }).waitFor();
      await page.getByRole('list', { name: 'Events' }).getByText(`is ${health}`, { exact: false }).first().waitFor();
    }
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  test('stops a service whose container is removed meanwhile, without an error', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await openByLink(visitor, running);
    await addProject(page, 'halted', shop);
    await page.getByRole('button', { name: 'Up', exact: true }).click();
    await page.getByText('The project is up.').waitFor();
    await page.route('**/stop', async (route) => {
      await running.backend.containers.remove('halted-web', { force: true });
      await route.continue();
    });
    await page.getByRole('button', { name: 'Stop web' }).click();
    await page.getByText('web has stopped.').waitFor();
    await page.getByText('not created').waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  test('says that a project is gone whose last container was removed, without an error', async () => {
    const other = await runService({ wrap: () => running.backend });
    await other.up('foreign', shop);
    await other.stop();
    const visitor = await visit();
    const { page } = visitor;
    await openByLink(visitor, running);
    await page.getByRole('link', { name: 'foreign' }).click();
    await page.getByText('Processor and memory').click();
    await page.getByRole('img', { name: /^Processor of foreign-web: \d/ }).waitFor();
    await page.getByRole('button', { name: 'Down', exact: true }).click();
    await page.getByRole('button', { name: 'Take down' }).click();
    await page.getByText('There is no such project any more').waitFor();
    expect(await page.getByRole('button', { name: 'Up', exact: true }).count()).toBe(0);
    await reload(page);
    await page.getByText('There is no such project any more').waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.context.close();
  });

  const missing = missingOpenssl();
  test.skipIf(missing !== null)(
    `opens over TLS, with a cookie that no other host or scheme gets${missing === null ? '' : ` (${missing})`}`,
    async () => {
      const certificates = await createCertificates();
      const { certFile: cert, keyFile: key } = certificates.issue(certificates.authority('Ours'), 'server');
      const secure = await runService({
        page: true,
        listen: { address: { scheme: 'tls', host: '127.0.0.1', port: 0 }, cert, key },
      });
      await certificates.remove();
      const visitor = await newVisitor(browser, secure.url);
      const { page } = visitor;
      await openByLink(visitor, secure);
      await addProject(page, 'shop', shop);
      await page.getByRole('button', { name: 'Up', exact: true }).click();
      await page.getByText('The project is up.').waitFor();
      await reload(page);
      await page.getByRole('heading', { name: 'Services' }).waitFor();
      expect(await visitor.context.cookies()).toMatchObject([
        {
          name: `__Host-plumbline-compose-${new URL(secure.url).port}`,
          secure: true,
          httpOnly: true,
          sameSite: 'Strict',
          path: '/',
        },
      ]);
      expect(visitor.complaints).toEqual([]);
      await visitor.context.close();
      await secure.stop();
    },
  );

  test('opens by a link once, keeps the session after a reload, and ends it', async () => {
    const [first, second] = [await visit(), await visit()];
    const link = await openByLink(first, running);
    expect(first.page.url()).toBe(`${running.url}/ui/`);
    await second.open(link);
    await second.page.getByText('This link was used').waitFor();
    await reload(first.page);
    await first.page.getByRole('button', { name: 'End session' }).click();
    await first.page.getByRole('heading', { name: 'Open this page by its link' }).waitFor();
    await reload(first.page);
    await first.page.getByRole('heading', { name: 'Open this page by its link' }).waitFor();
    expect(await first.context.cookies()).toEqual([]);
    for (const { context } of [first, second]) await context.close();
  });

  test('retries a link whose request did not reach the server', async () => {
    const visitor = await visit();
    const { page, context } = visitor;
    const address = '**/ui/session';
    await context.route(address, (route) => route.abort());
    await visitor.open(running.access.createLink().url);
    await page.getByText('The server cannot be reached').waitFor();
    await context.unroute(address);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Projects', exact: true }).waitFor();
    expect(page.url()).toBe(`${running.url}/ui/`);
    await context.close();
  });

  test('keeps its content when the server stops, and asks for a link when another one starts', async () => {
    const leaving = await runService({ page: true });
    const visitor = await newVisitor(browser, leaving.url);
    const { page } = visitor;
    await openByLink(visitor, leaving);
    await addProject(page, 'shop', shop);
    await page.getByRole('heading', { name: 'Services' }).waitFor();
    await leaving.stop();
    await page.getByText('The server cannot be reached').waitFor({ timeout: 30_000 });
    await page.getByRole('heading', { name: 'web', exact: true }).waitFor();
    const port = Number(new URL(leaving.url).port);
    const next = await runService({ page: true, listen: { address: { scheme: 'tcp', host: '127.0.0.1', port } } });
    await page.getByRole('heading', { name: 'Open this page by its link' }).waitFor({ timeout: 30_000 });
    await visitor.context.close();
    await next.stop();
  });

  describe.each(appearances)('in the $theme theme, $width pixels wide', ({ theme, width }) => {
    test('shows the states loading, empty and server unavailable', { timeout: 120_000 }, async () => {
      const empty = await runService({ page: true });
      const visitor = await newVisitor(browser, empty.url, { theme, width });
      const { page } = visitor;
      const look = (name: string): Promise<void> => lookAt(visitor, `containers-${name}`, { theme, width });
      let network: 'answers' | 'is silent' | 'fails' = 'is silent';
      await page.route(/\/projects/, (route) => {
        if (network === 'answers') return route.continue();
        return network === 'fails' ? route.abort() : undefined;
      });
      visitor.provoke(/^net::ERR_FAILED .*\/projects/);
      await openByLink(visitor, empty);
      await page.locator('.skeleton').waitFor();
      await look('loading');
      network = 'answers';
      await reload(page);
      await page.getByText('There are no projects').waitFor();
      await look('empty');
      network = 'fails';
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`); // back in the tab
      await page.getByText('as of').waitFor();
      await look('stale');
      await reload(page);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      await look('problem');
      await visitor.context.close();
      await empty.stop();
    });

    test('is accessible, without policy violations, errors or horizontal scrolling', async () => {
      const visitor = await visit({ theme, width });
      const { page, open } = visitor;
      const look = (name: string): Promise<void> => lookAt(visitor, `containers-${name}`, { theme, width });
      await open('/ui/');
      await page.getByRole('heading', { name: 'Open this page by its link' }).waitFor();
      await look('no-session');
      const project = `seen-${theme}-${width}`;
      await openByLink(visitor, running);
      await page.getByRole('button', { name: 'Add a project' }).click();
      await look('add');
      await page.keyboard.press('Escape');
      const ports = `ports: ['127.0.0.1:${width}${theme.length}:80']`;
      await addProject(
        page,
        project,
        `${shop}    ${ports}\n  later: { image: app, profiles: [x] }\n  job: { image: app }\n`,
      );
      await page.getByRole('button', { name: 'Up', exact: true }).click();
      await page.getByText('The project is up.').waitFor();
      running.control.log(`${project}-web`, 'stdout', 'listening on 80');
      running.control.log(`${project}-db`, 'stderr', `a line that is long: ${'word '.repeat(60)}`);
      running.control.exit(`${project}-job`, 3);
      await page.getByText('exited (3)').waitFor();
      await page.getByText('a line that is long').waitFor();
      await page.getByText('Processor and memory').click();
      await page.getByRole('img', { name: /^Processor of .*web: \d/ }).waitFor();
      await page.getByText('Run a command', { exact: true }).click();
      await page.getByLabel('Command', { exact: true }).fill('echo out; echo err >&2; exit 3');
      await page.keyboard.press('Enter');
      await page.getByText('exit code 3').waitFor();
      await look('project');
      await page.getByRole('button', { name: 'As a table' }).click();
      await look('project-usage-table');
      await page.getByRole('button', { name: 'Down', exact: true }).click();
      await look('down');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('link', { name: 'All projects' }).click();
      await page.getByText(project).waitFor();
      await look('projects');
      await visitor.context.close();
    });
  });
});

test('The output of a verbose service does not displace that of the others', () => {
  const buffer = createLogBuffer<{ service: string; line: number }>(3);
  buffer.push({ service: 'db', line: 0 });
  for (let line = 1; line <= 10; line++) buffer.push({ service: 'web', line });
  expect(buffer.lines().map(({ line }) => line)).toEqual([0, 8, 9, 10]);
  buffer.clear();
  expect(buffer.lines()).toEqual([]);
});

test('The transcript of commands keeps the newest text, with the pieces of a stream in one part', () => {
  const transcript = createTranscript(8);
  transcript.add({ kind: 'command', text: '$ ab' });
  for (const text of ['12', '34']) transcript.add({ kind: 'stdout', text });
  transcript.add({ kind: 'stderr', text: 'x' });
  expect(transcript.parts()).toEqual([
    { kind: 'command', text: ' ab' },
    { kind: 'stdout', text: '1234' },
    { kind: 'stderr', text: 'x' },
  ]);
  transcript.add({ kind: 'stdout', text: '123456789' });
  expect(transcript.parts()).toEqual([{ kind: 'stdout', text: '23456789' }]);
});
