import timers from 'node:timers';
import { afterAll, afterEach, beforeEach } from 'vitest';
import { takeRecentErrors } from './captured-log.js';

// A client sees only "500" of a wrong reply. The server's log has the cause, so a failed test prints its errors.
beforeEach(takeRecentErrors);
afterEach(({ task }) => {
  const errors = takeRecentErrors();
  if (task.result?.state === 'fail' && errors.length > 0) {
    console.error(`The server logged while "${task.name}" ran:\n${errors.join('')}`);
  }
});

// The files that are not slow share a process. With a faked timer of an earlier one they would wait without an end.
afterAll(() => {
  if (globalThis.setTimeout === timers.setTimeout) return;
  globalThis.setTimeout = timers.setTimeout;
  throw new Error('A fake setTimeout was left behind, by this test file or by an earlier one');
});
