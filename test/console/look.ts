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
  expect(await accessibilityViolations(page), name).toEqual([]);
  expect(complaints, name).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth'), name).toBeLessThanOrEqual(width);
}
