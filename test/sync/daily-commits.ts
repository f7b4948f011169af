import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { GIT_TEST_ENVIRONMENT, initRepository } from '../support/git-history.js';
import { temporaryDirectory } from './harness.js';

/** A clone with a commit at noon of each of these days of January 2026. It goes with the test. */
export function clone(name: string, days: readonly number[]): string {
  const path = join(temporaryDirectory(), name);
  initRepository(path);
  commitOn(path, days);
  return path;
}

export function commitOn(path: string, days: readonly number[]): void {
  for (const day of days) {
    const at = `2026-01-${String(day).padStart(2, '0')}T12:00:00Z`;
    execFileSync('git', ['-C', path, 'commit', '--quiet', '--allow-empty', '--message', `Work of day ${day}`], {
      env: { ...GIT_TEST_ENVIRONMENT, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at },
    });
  }
}
