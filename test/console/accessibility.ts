import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type * as Axe from 'axe-core';
import type { Page } from 'playwright-core';

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules of WCAG 2.2, levels A and AA, that the page breaks: one line for each place. */
export async function accessibilityViolations(page: Page): Promise<string[]> {
  // Compiling it takes as long as a small page. It comes by way of the debugger: the policy of the page does not apply.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(await source);
  // A button that was just enabled has the colors between both states for a moment.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished))',
  );
  const results = await page.evaluate(async (): Promise<Pick<Axe.AxeResults, 'violations'>> => {
    const { axe } = globalThis as unknown as { axe: typeof Axe }; // what the script above has defined
    const values = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];
    const { violations } = await axe.run({ runOnly: { type: 'tag', values } });
    return { violations };
  });
  return results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary ?? ''}`),
  );
}
