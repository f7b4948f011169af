/** SQLite on a full disk: a small file system, which only root can mount. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mountSmall, unmount } from '../support/small-file-system.js';
import { exitCodeOf } from '../../src/sync/summary.js';
import { onlyId, sqliteUri, storedRows, sync } from './harness.js';
import { unitsIn } from './work-units/stored-units.js';

const folder = mkdtempSync(join(tmpdir(), 'plumbline-full-'));
const missing = mountSmall(folder, '2m');
afterAll(() => {
  if (missing === null) unmount(folder);
  rmSync(folder, { recursive: true, force: true });
});

const options = { target: 'git', provider: 'synthetic', maxCommitsPerRepo: '4000' } as const;

describe.skipIf(missing !== null)(`a sync into SQLite${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  it('reports that the disk is full, exits with 1, and is completed by the next run when there is space', async () => {
    const db = `sqlite:${join(folder, 'records.db')}`;
    const full = await sync({ ...options, db });
    expect(full.repositories[0]).toMatchObject({
      status: 'failed',
      error: { code: 'database_failed', message: expect.stringMatching(/database or disk is full/) },
    });
    expect(exitCodeOf(full)).toBe(1);
    const before = full.repositories[0]?.records['git_commits'] ?? 0;
    expect(before).toBeGreaterThan(0);
    execFileSync('mount', ['-o', 'remount,size=64m', folder]);
    const finished = await sync({ ...options, db });
    expect(finished.repositories[0]).toMatchObject({ status: 'ok', records: { git_commits: 4000 - before } });
    const whole = sqliteUri();
    const id = onlyId(await sync({ ...options, db: whole }));
    expect(await storedRows(db, id)).toEqual(await storedRows(whole, id));
    expect(await unitsIn(db, id)).toEqual(await unitsIn(whole, id));
  }, 60_000);
});
