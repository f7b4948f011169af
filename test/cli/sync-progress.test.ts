import { Writable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { expect, it } from 'vitest';
import { openBars } from '../../src/cli/sync-bars.js';
import { lineProgress } from '../../src/cli/sync-lines.js';
import { openProgressView } from '../../src/cli/sync-progress.js';
import { sqliteUri, sync, testDependencies } from '../sync/harness.js';

/** A terminal of 100 columns that keeps what is written. */
function terminal(): { readonly stream: WriteStream; readonly written: () => string } {
  let text = '';
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  // The part of a terminal that is used: it says what it is, and how wide.
  const stream = Object.assign(sink, { isTTY: true, columns: 100, rows: 24 }) as unknown as WriteStream;
  return { stream, written: () => text };
}

it('is a bar with a percentage for each repository on a terminal, below the messages printed earlier', () => {
  const { stream, written } = terminal();
  const { progress, close } = openBars(stream);
  for (const name of ['acme/app', 'acme/web']) progress.repositoryStarted?.({ name, target: 'git', resumed: false });
  progress.pageStored?.({ name: 'acme/app', records: { git_commits: 50, git_commit_stats: 170 }, expected: 200 });
  progress.pageStored?.({ name: 'acme/web', records: { git_commits: 1 }, expected: null });
  progress.waiting?.({ reason: 'host_a: rate limit', seconds: 30 });
  expect(written()).toMatch(
    /waiting 30 s: host_a: rate limit.*\n.*acme\/app \u2588{6}\u2591{18} 25% {2}50 commits, 170 file/,
  );
  expect(written()).toMatch(/\n.*acme\/web {2}1 commit\u001b/);
  progress.repositoryFinished?.({ name: 'acme/app', error: null });
  progress.repositoryFinished?.({ name: 'acme/web', error: 'cut off' });
  close();
  expect(written()).toMatch(/acme\/app: done, 50 commits, 170 file statistics/);
  expect(written()).toMatch(/acme\/web: failed: cut off/);
  // Neither cursor nor wrapping is switched off: a process that is killed could not switch them on again.
  expect(written()).not.toMatch(/\u001b\[\?(25|7)l/);
});

it('counts the commits of a clone only if the progress is shown', async () => {
  const seen: (number | null)[] = [];
  const progress = {
    showsTotals: true,
    pageStored: ({ expected }: { expected: number | null }) => seen.push(expected),
  };
  const options = {
    target: 'git',
    provider: 'local',
    repoPath: process.cwd(),
    maxCommitsPerRepo: '5',
    db: sqliteUri(),
  };
  await sync(options, testDependencies({ progress }), { BATCH_SIZE: '1' });
  expect(seen.at(-1)).toBe(5);
});

it('is lines if the stream is not a terminal, or if statements are printed', () => {
  const { stream, written } = terminal();
  openProgressView(stream, { lines: true, now: () => 0 }).progress.note?.('as it is');
  openProgressView(Object.assign(stream, { isTTY: false }), { lines: false, now: () => 0 }).progress.note?.('too');
  expect(written()).toBe('as it is\ntoo\n');
});

it('reports the pages of a repository every two seconds', () => {
  const lines: string[] = [];
  let now = 0;
  const progress = lineProgress(
    (line) => lines.push(line),
    () => now,
  );
  const page = (commits: number): void => {
    progress.pageStored?.({ name: 'app', records: { git_commits: commits }, expected: null });
  };
  progress.repositoryStarted?.({ name: 'app', target: 'git', resumed: true });
  page(1);
  now = 2000;
  page(1200);
  page(1300);
  progress.derivationStarted?.({ name: 'app' });
  progress.repositoryFinished?.({ name: 'app', error: null });
  progress.repositoryFinished?.({ name: 'other', error: 'it\u001b[2J broke' });
  expect(lines).toEqual([
    'app: git, resuming the last sync',
    'app: 1,200 commits',
    'app: 1,300 commits; updating its work units',
    'app: done, 1,300 commits',
    'other: failed: it\ufffd[2J broke',
  ]);
});
