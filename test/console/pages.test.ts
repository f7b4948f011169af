import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { accessibilityViolations } from './accessibility.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { consoleRoles, consoleRoutes, type ConsoleRole } from './routes.js';

/** Folder for a picture of each page; unset: none are made. */
const pictures = process.env['CONSOLE_PICTURES'];

const appearances = (['light', 'dark'] as const).flatMap((theme) => [1280, 390].map((width) => ({ theme, width })));

describe.skipIf(!hasBrowser)(`Every page of the console${withoutBrowser}`, () => {
  let running: RunningConsole;
  let users: Readonly<Record<Exclude<ConsoleRole, 'visitor'>, TestUser>>;
  beforeAll(async () => {
    running = await startConsole();
    const { platform } = running;
    const owner = await platform.signUp({ email: 'robin@example.com', organization: 'Quiet Rivers' });
    await platform.json('POST', '/api/v1/auth/onboarding/skip-integration', { token: owner.accessToken });
    users = {
      owner,
      newcomer: await platform.signUp({ email: 'nora@example.com', organization: null }),
      founder: await platform.signUp({ email: 'finn@example.com', organization: 'Loud Mountains' }),
    };
    for (const { prepare } of consoleRoutes) await prepare?.(platform, owner);
    if (pictures !== undefined) await mkdir(pictures, { recursive: true });
  });
  afterAll(() => running.stop());

  describe.each(appearances)('in the $theme theme, $width pixels wide', ({ theme, width }) => {
    const visitors = new Map<ConsoleRole, Visitor>();
    beforeAll(async () => {
      for (const role of consoleRoles) {
        const visitor = await running.visitor({ theme, width });
        visitors.set(role, visitor);
        if (role === 'visitor') continue;
        await visitor.open('/console/account');
        await visitor.logIn(users[role]);
      }
    });
    afterAll(async () => {
      for (const each of visitors.values()) await each.context.close();
    });

    test.each(consoleRoutes)(
      '$name: accessible, no message of the policy, no error, no other host, no sideways scrolling',
      async ({ name, path, as, ready, act }) => {
        const visitor = visitors.get(as);
        if (visitor === undefined) throw new Error(`there is no ${as}`);
        const { page, open, complaints } = visitor;
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
