/** Progress of a sync in plain lines. */
import type { SyncProgress } from '../sync/dependencies.js';
import { oneLine } from './one-line.js';
import { describeCounts } from './sync-summary.js';

/** Minimum interval between progress lines of one repository, in milliseconds. */
const EVERY = 2_000;

const NOTHING = 'nothing new';

/** One line per step; for pages of one repository, at most one line every two seconds. */
export function lineProgress(write: (line: string) => void, now: () => number): SyncProgress {
  const spoken = new Map<string, number>();
  const stored = new Map<string, string>();
  return {
    ...remarks(write),
    repositoryStarted: (event) => {
      spoken.set(event.name, now());
      write(startOf(event));
    },
    pageStored: ({ name, records }) => {
      const text = describeCounts(records);
      stored.set(name, text);
      if (now() - (spoken.get(name) ?? 0) < EVERY) return;
      spoken.set(name, now());
      write(`${oneLine(name)}: ${text}`);
    },
    derivationStarted: ({ name }) => {
      write(derivationOf(name, stored.get(name)));
    },
    repositoryFinished: ({ name, error }) => {
      write(endOf(name, error, stored.get(name)));
      spoken.delete(name);
      stored.delete(name);
    },
    statement: write,
  };
}

/** Messages that are printed by all progress views. */
export function remarks(write: (line: string) => void): SyncProgress {
  return {
    waiting: ({ reason, seconds }) => {
      write(`waiting ${seconds} s: ${oneLine(reason)}`);
    },
    note: (text) => {
      write(oneLine(text));
    },
  };
}

/** The first line about a repository. */
function startOf({ name, target, resumed }: { name: string; target: string; resumed: boolean }): string {
  return `${oneLine(name)}: ${target}${resumed ? ', resuming the last sync' : ''}`;
}

/** The line between storing records and deriving work units. */
function derivationOf(name: string, stored: string | undefined): string {
  return `${oneLine(name)}: ${stored ?? NOTHING}; updating its work units`;
}

/** The last line about a repository. */
export function endOf(name: string, error: string | null, stored: string | undefined): string {
  return error === null
    ? `${oneLine(name)}: done, ${stored ?? NOTHING}`
    : `${oneLine(name)}: failed: ${oneLine(error)}`;
}
