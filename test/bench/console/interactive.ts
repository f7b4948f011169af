/** How long the console takes until somebody can type into its first page, on a processor that is four times slower. */
import { chromium } from 'playwright-core';
import { browser as executablePath } from '../../support/browser.js';
import { median, printTable, unlessBrief } from '../measure.js';
import { startPlatformProcess } from '../platform/process.js';

const rounds = unlessBrief(7, 1);
const slowdown = 4;

/** Longer than the browser's own 30 s, which a machine that builds images beside it has exceeded. */
const patienceMs = 120_000;

export async function benchConsole(): Promise<void> {
  if (executablePath === undefined) throw new Error('needs Chromium');
  const platform = await startPlatformProcess();
  const browser = await chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
  try {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const context = await browser.newContext(); // nothing is cached
      const page = await context.newPage();
      page.setDefaultTimeout(patienceMs);
      const debug = await context.newCDPSession(page);
      await debug.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
      const started = performance.now();
      await page.goto(`${platform.url}/console/overview`, { waitUntil: 'commit' });
      await page.getByLabel('E-mail address').fill('somebody@example.com'); // waits until the field takes input
      times.push(performance.now() - started);
      await context.close();
    }
    printTable(`Console in ms (median of ${rounds}), processor ${slowdown}x slower`, [
      { what: 'first load, until the log-in form takes input', plumbline: Math.round(median(times)), aim: '<= 1500' },
    ]);
  } finally {
    await browser.close();
    await platform.stop();
    await platform.remove();
  }
}
