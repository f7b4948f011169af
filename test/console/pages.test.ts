import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { accessibilityViolations } from './accessibility.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { consoleRoutes } from './routes.js';

/** Folder for a picture of each page; unset: none are made. */
const pictures = process.env['CONSOLE_PICTURES'];

const appearances = (['light', 'dark'] as const).flatMap((theme) => [1280, 390].map((width) => ({ theme, width })));

describe.skipIf(!hasBrowser)(`Every page of the console${withoutBrowser}`, () => {
  let running: RunningConsole;
  let owner: TestUser;
  beforeAll(async () => {
    running = await startConsole();
    owner = await running.platform.signUp({ email: 'robin@example.com', organization: 'Quiet Rivers' });
    for (const { prepare } of consoleRoutes) await prepare?.(running.platform, owner);
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  afterAll(() => running.stop());

  describe.each(appearances)('in the $theme theme, $width pixels wide', ({ theme, width }) => {
    let visitors: Readonly<Record<'visitor' | 'owner', Visitor>> | undefined;
    beforeAll(async () => {
      const [visitor, insider] = [await running.visitor({ theme, width }), await running.visitor({ theme, width })];
      await insider.open('/console/');
      await insider.logIn(owner);
      visitors = { visitor, owner: insider };
    });
    afterAll(async () => {
      for (const each of Object.values(visitors ?? {})) await each.context.close();
    });

    test.each(consoleRoutes)(
      '$name: accessible, no message of the policy, no error, no other host, no sideways scrolling',
      async ({ name, path, as, ready, act }) => {
        if (visitors === undefined) throw new Error('nobody is there to look');
        const { page, open, complaints } = visitors[as];
        await open(`/console${path}`);
        await page.getByText(ready).first().waitFor({ state: 'attached' });
        await act?.(page);
        await page.evaluate('document.fonts.ready');
        if (pictures !== undefined) {
          await page.screenshot({ path: join(pictures, `${name}-${theme}-${width}.png`), fullPage: true });
        }
        expect(await accessibilityViolations(page)).toEqual([]);
        expect(complaints).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      },
    );
  });
});
