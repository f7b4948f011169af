/** What the walks over the console's pages demand of each, in both themes and on both sizes of screens. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { accessibilityViolations } from './accessibility.js';
import type { Visitor, VisitorOptions } from './console.js';

/** Folder for a picture of each page; unset: none are made. */
const pictures = process.env['CONSOLE_PICTURES'];

export type Appearance = Required<VisitorOptions>;

export const appearances: readonly Appearance[] = (['light', 'dark'] as const).flatMap((theme) =>
  [1280, 390].map((width) => ({ theme, width })),
);

/** Each theme and each width once, for what looks much the same on all pages. */
export const someAppearances = appearances.filter(({ theme, width }) => (theme === 'light') === (width === 1280));

/**
 * Looks at a page in both themes. The browser changes the theme of the page that is shown: the theme is a matter of style
 * sheets alone, so that a page that is loaded again in the other one would have the same content.
 *
 * @param appearance the theme in which the page was loaded, and its width
 */
export async function lookAtBothThemes(visitor: Visitor, name: string, appearance: Appearance): Promise<void> {
  await lookAt(visitor, name, appearance);
  const theme = appearance.theme === 'light' ? 'dark' : 'light';
  // Colors must not be looked at while they change.
  await visitor.page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
  await lookAt(visitor, name, { ...appearance, theme });
  await visitor.page.emulateMedia({ colorScheme: appearance.theme, reducedMotion: 'no-preference' });
}

/**
 * Demands that the page is accessible and does not scroll sideways, and that there was no message of the policy, no
 * error and no request to another host. Leaves a picture of it where a folder for pictures is set.
 *
 * @param name of the page and its state
 */
export async function lookAt({ page, complaints }: Visitor, name: string, appearance: Appearance): Promise<void> {
  const { theme, width } = appearance;
  await page.evaluate('document.fonts.ready');
  await page.evaluate('scrollTo(0, 0)'); // what sticks to the top of the window would cover a part of the page
  if (pictures !== undefined) {
    await mkdir(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}-${theme}-${width}.png`), fullPage: true });
  }
  expect(await accessibilityViolations(page), `${name}, ${theme}`).toEqual([]);
  expect(complaints, name).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width);
}
