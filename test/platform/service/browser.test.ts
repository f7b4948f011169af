import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browser, openPage, withoutBrowser } from '../../support/browser.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';

describe.skipIf(browser === undefined)(`In a real browser${withoutBrowser}`, () => {
  let platform: TestPlatform;
  beforeAll(async () => {
    platform = await startTestPlatform();
  });
  afterAll(() => platform.stop());

  test('the page of a problem renders', async () => {
    const { dom, console } = await openPage(`${platform.url}/problems/validation-failed`);
    expect(dom).toContain('<h1>');
    expect(console).toEqual([]);
  });
});
