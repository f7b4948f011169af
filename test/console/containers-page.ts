/** The page of `compose serve --ui` in a browser, and what a person does on it with a project. */
import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import type { RunningService } from '../compose/service/running-service.js';
import { despiteCuts, type Visitor } from './console.js';

/** Opens the page by a new link, and waits for the projects. Returns the link. */
export async function openByLink({ open, page }: Visitor, { access, url }: RunningService): Promise<string> {
  let link = '';
  await despiteCuts(page, async () => {
    link = access.createLink().url.replace(url, '');
    await open(link);
    const projects = page.getByRole('heading', { name: 'Projects', exact: true });
    const failed = page.getByRole('heading', { name: /^(?:Open this page by its link|Containers)$/ });
    await projects.or(failed).waitFor();
    expect(await page.getByRole('heading').allTextContents()).toContain('Projects');
  });
  return link;
}

/** Sends a compose file with the dialog. */
export async function addProject(page: Page, name: string, file: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a project' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Compose file').fill(file);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
}

const serviceOf = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** Clicks a button of the project or of a service, and waits for the announcement that it was done. */
async function act(page: Page, button: string, announcement: string): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('status').getByText(announcement).waitFor();
}

/**
 * Brings up a project of the services `web` and `db`, follows what they print, restarts, scales and stops it, and takes
 * it down. The page is at the project.
 *
 * @param output what each service prints, and the page shows
 */
export async function walkProject(
  page: Page,
  { output }: { output: Readonly<Record<'web' | 'db', string>> },
  afterUp: () => void = () => undefined,
): Promise<void> {
  await act(page, 'Up', 'The project is up.');
  await serviceOf(page, 'web').getByText('running', { exact: true }).waitFor();
  afterUp();
  const log = page.getByRole('log', { name: 'Output', exact: true });
  for (const text of Object.values(output)) await log.getByText(text).first().waitFor();
  await page.getByRole('checkbox', { name: 'db' }).uncheck();
  await log.getByText(output.db).first().waitFor({ state: 'detached' });
  await log.getByText(output.web).first().waitFor();
  await page.getByRole('checkbox', { name: 'db' }).check();

  await act(page, 'Restart web', 'web has restarted.');
  await page.getByLabel('Replicas of web').fill('2');
  await act(page, 'Scale web', 'web has 2 containers.');
  await serviceOf(page, 'web').getByText('2 running').waitFor();
  await page.getByText('Processor and memory').click();
  await page.getByRole('img', { name: /^Memory of .*web-2: \d/ }).waitFor();

  await page.getByText('Run a command', { exact: true }).click();
  await page.getByLabel('Container', { exact: true }).selectOption({ index: 1 });
  const line = 'echo out; echo err >&2; exit 3';
  await page.getByLabel('Command', { exact: true }).fill(line);
  await page.keyboard.press('Enter');
  const printed = page.getByRole('log', { name: 'Output of commands' });
  await printed.getByText('exit code 3').waitFor();
  const parts = (await printed.locator('> div').allTextContents()).map((text) => text.trim().split(' $ ').at(-1));
  // Which of the two streams comes first is up to the engine.
  expect(parts.sort()).toEqual([line, 'error output: err', 'exit code 3', 'out']);

  await act(page, 'Stop db', 'db has stopped.');
  await serviceOf(page, 'db').getByText('stopped', { exact: true }).waitFor();
  await act(page, 'Stop', 'The project has stopped.');
  await serviceOf(page, 'web').getByText('2 stopped').waitFor();
  await page.getByRole('button', { name: 'Down', exact: true }).click();
  await act(page, 'Take down', 'The project is down.');
  await serviceOf(page, 'web').getByText('not created').waitFor();
  await expect.poll(() => page.getByRole('list', { name: 'Events' }).textContent()).toContain('was removed');
}
