import { afterEach, beforeEach } from 'vitest';
import { takeRecentErrors } from './captured-log.js';

// A client sees only "500" of a wrong reply. The server's log has the cause, so a failed test prints its errors.
beforeEach(takeRecentErrors);
afterEach(({ task }) => {
  const errors = takeRecentErrors();
  if (task.result?.state === 'fail' && errors.length > 0) {
    console.error(`The server logged while "${task.name}" ran:\n${errors.join('')}`);
  }
});
