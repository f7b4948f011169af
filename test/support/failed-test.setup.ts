import timers from 'node:timers';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { takeRecentErrors } from './captured-log.js';
import { readOpenPages } from './open-pages.js';

// A client sees only "500" of a wrong reply, and a test of the console that something did not appear. The causes are in the
// server's log and in the pages, so a failed test prints both.
beforeEach(takeRecentErrors);
afterEach(async ({ task }) => {
  const errors = takeRecentErrors();
  if (task.result?.state !== 'fail') return;
  if (errors.length > 0) console.error(`The server logged while "${task.name}" ran:\n${errors.join('')}`);
  for (const page of await readOpenPages()) console.error(`A page when "${task.name}" failed: ${page}`);
});

// The files that are not slow share a process. With a faked timer of an earlier one they would wait without an end.
afterAll(() => {
  if (globalThis.setTimeout === timers.setTimeout) return;
  globalThis.setTimeout = timers.setTimeout;
  throw new Error('A fake setTimeout was left behind, by this test file or by an earlier one');
});
