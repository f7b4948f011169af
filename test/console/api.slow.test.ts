import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';

describe.skipIf(!hasBrowser)(`On the API page${withoutBrowser}`, () => {
  let running: RunningConsole;
  beforeAll(async () => {
    running = await startConsole();
  });
  afterAll(() => running.stop());

  async function insider(): Promise<Visitor> {
    const visitor = await running.visitor();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.open('/console/api');
    await visitor.logIn(await running.platform.signUp());
    return visitor;
  }

  test('GraphiQL opens with the organization, and sends queries with the token of the console', async () => {
    const { page, complaints } = await insider();
    const [graphiql] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Open GraphiQL' }).click(),
    ]);
    await page.getByRole('link', { name: 'Account' }).click(); // the console answers from every page
    await page.getByText('Last used').waitFor();
    const reply = graphiql.waitForResponse((each) => each.request().method() === 'POST');
    await graphiql.getByRole('button', { name: 'Execute query' }).click();
    expect(await (await reply).json()).toEqual({ data: { catalog: { values: [] } } });
    expect(new URL(graphiql.url()).search).toBe('');
    expect(complaints).toEqual([]);
  });

  test('windows that the console did not open get no token', async () => {
    const { page } = await insider();
    const [graphiql] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Open GraphiQL' }).click(),
    ]);
    await graphiql.getByRole('button', { name: 'Execute query' }).waitFor();
    // The page asks itself: the right origin, and the wrong window. Messages are handled in order, so that an answer
    // of the window that was opened shows that the first question has been looked at.
    const ask = `new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data);
      globalThis.asked = resolve;
      TARGET.postMessage({ kind: 'plumbline.access' }, location.origin, [port2]);
    })`;
    const unanswered = page.evaluate(ask.replace('TARGET', 'window'));
    const answered = await graphiql.evaluate(ask.replace('TARGET', 'window.opener'));
    expect(answered).toMatchObject({ token: expect.any(String) });
    await page.evaluate("globalThis.asked('no answer')");
    expect(await unanswered).toBe('no answer');
  });

  test('every command for a persisted query works with the copied access token', async () => {
    const { page, complaints } = await insider();
    await page.getByRole('button', { name: 'Copy the access token' }).click();
    await page.getByText('Good until').waitFor();
    const copied = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
    const ACCESS = await copied();
    const ids = (await readdir('graphql/persisted')).map((file) => file.replace(/\.graphql$/, '')).sort();
    expect(await page.locator('summary code').allTextContents()).toEqual(ids);
    for (const id of ids) {
      await page.getByRole('button', { name: `Copy curl for ${id}`, exact: true }).click();
      await page.getByText(`The command for ${id} is copied`).waitFor();
      const { stdout } = await promisify(execFile)('sh', ['-c', `${await copied()} -s`], {
        env: { ...process.env, ACCESS },
      });
      expect(Object.keys(JSON.parse(stdout) as object), `${id}: ${stdout}`).toEqual(['data']);
    }
    expect(complaints).toEqual([]);
  });

  test.each([
    ['OpenAPI (JSON)', 'plumbline-openapi.json'],
    ['GraphQL schema', 'plumbline-schema.graphql'],
  ])('the contract "%s" is downloaded as %s', async (name, file) => {
    const { page } = await insider();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
    expect(download.suggestedFilename()).toBe(file);
    expect(await download.failure()).toBeNull();
  });
});
