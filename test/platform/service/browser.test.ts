import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../../cli/built-command.js';
import { browser, openPage, withoutBrowser } from '../../support/browser.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';
import { record } from '../../../src/contract-tools/documents.js';

describe.skipIf(browser === undefined)(`In a real browser${withoutBrowser}`, () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    await builtCommand();
    platform = await startTestPlatform();
  });
  afterAll(() => platform.stop());

  test('the API reference renders every operation, against its own security policy', async () => {
    const contract: unknown = await (await fetch(`${platform.url}/openapi.json`)).json();
    const { dom, console } = await openPage(`${platform.url}/docs`);
    for (const path of Object.values(record(record(contract)['paths']))) {
      for (const operation of Object.values(record(path))) {
        const { summary } = record(operation);
        if (typeof summary === 'string') expect(dom).toContain(summary);
      }
    }
    expect(dom).not.toContain('Something went wrong');
    expect(console).toEqual([]);
  });

  test('the page of a problem renders', async () => {
    const { dom, console } = await openPage(`${platform.url}/problems/validation-failed`);
    expect(dom).toContain('<h1>');
    expect(console).toEqual([]);
  });
});
