import { afterAll, beforeAll, describe, test } from 'vitest';
import type { TestUser } from '../support/platform.js';
import { makeSuperuser } from '../support/superuser.js';
import { hasBrowser, startConsole, withoutBrowser, type RunningConsole, type Visitor } from './console.js';
import { lookAtBothThemes, someAppearances } from './look.js';
import { consoleRoles, consoleRoutes, type ConsoleRole } from './routes.js';

describe.skipIf(!hasBrowser)(`Every page of the console${withoutBrowser}`, () => {
  let running: RunningConsole;
  let users: Readonly<Record<Exclude<ConsoleRole, 'visitor'>, TestUser>>;
  beforeAll(async () => {
    const environment = { AUTH_GITHUB_CLIENT_ID: 'id', AUTH_GITHUB_CLIENT_SECRET: 'secret' }; // pages show its buttons
    running = await startConsole({ environment });
    const { platform } = running;
    const owner = await platform.signUp({ email: 'robin@example.com', organization: 'Quiet Rivers' });
    await platform.json('POST', '/api/v1/auth/onboarding/skip-integration', { token: owner.accessToken });
    users = {
      owner,
      newcomer: await platform.signUp({ email: 'nora@example.com', organization: null }),
      founder: await platform.signUp({ email: 'finn@example.com', organization: 'Loud Mountains' }),
      superuser: await platform.signUp({ email: 'sue@example.com', organization: null }),
    };
    await makeSuperuser(platform, users.superuser);
    for (const { prepare } of consoleRoutes) await prepare?.(platform, owner);
  });
  afterAll(() => running.stop());

  describe.each(someAppearances)('loaded in the $theme theme, $width pixels wide', ({ theme, width }) => {
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
      '$name, in both themes: accessible, no policy violation, no error, no other host, no horizontal scrolling',
      async ({ name, path, as, ready, act, provokes }) => {
        const visitor = visitors.get(as);
        if (visitor === undefined) throw new Error(`there is no ${as}`);
        const { page, open } = visitor;
        if (provokes !== undefined) visitor.provoke(provokes);
        await open(`/console${path}`);
        await page.getByText(ready).first().waitFor({ state: 'attached' });
        await act?.(page);
        await lookAtBothThemes(visitor, name, { theme, width });
      },
    );
  });
});
