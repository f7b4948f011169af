import type { BrowserContext } from 'playwright-core';

/** The browser profiles that are open, each with what its pages complained about. */
const profiles = new Map<BrowserContext, readonly string[]>();

/** Keeps a profile until it is closed, for what a failed test prints of its pages. */
export function keepForFailures(context: BrowserContext, complaints: readonly string[]): void {
  profiles.set(context, complaints);
  context.on('close', () => profiles.delete(context));
}

/** The text of each open page, with its address and the complaints. */
export async function readOpenPages(): Promise<readonly string[]> {
  const pages = [...profiles].flatMap(([context, complaints]) => context.pages().map((page) => ({ page, complaints })));
  return Promise.all(
    pages.map(async ({ page, complaints }) => {
      const text = await page.innerText('body', { timeout: 5000 }).catch((error: unknown) => String(error));
      return `${page.url()} (complaints: ${JSON.stringify(complaints)})\n${text}`;
    }),
  );
}
