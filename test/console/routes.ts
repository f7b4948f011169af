import type { Page } from 'playwright-core';
import type { TestPlatform, TestUser } from '../support/platform.js';

/** A page of the console as the walks of `pages.test.ts` visit it. Add each new page, and each state that looks different. */
export interface ConsoleRoute {
  /** Names the test, and the picture. */
  readonly name: string;
  /** Below `/console`. */
  readonly path: string;
  /** `visitor`: nobody is logged in. */
  readonly as: 'visitor' | 'owner';
  /** A text that shows when the page has what it asked the server for. */
  readonly ready: string | RegExp;
  /** What the page needs to be there, once before all pages. */
  readonly prepare?: (platform: TestPlatform, owner: TestUser) => Promise<void>;
  /** What to do before looking: open a dialog, submit a form. */
  readonly act?: (page: Page) => Promise<void>;
}

export const consoleRoutes: readonly ConsoleRoute[] = [
  { name: 'log-in', path: '/overview', as: 'visitor', ready: 'Log in' },
  { name: 'overview', path: '/overview', as: 'owner', ready: 'owner' },
  {
    name: 'keyboard-help',
    path: '/overview',
    as: 'owner',
    ready: 'owner',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
  },
  { name: 'no-such-page', path: '/nothing', as: 'owner', ready: 'There is no such page' },
];
