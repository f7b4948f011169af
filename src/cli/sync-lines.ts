/** How far a sync is, in plain lines. */
import type { SyncProgress } from '../sync/surroundings.js';
import { oneLine } from './one-line.js';
import { describeCounts } from './sync-summary.js';

/** How often a repository that goes on and on says how far it is, in milliseconds. */
const EVERY = 2_000;

const NOTHING = 'nothing new';

/** One line per step; pages of one repository no more often than every two seconds. */
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

/** What is said in words, whatever shows the rest. */
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
export function startOf({ name, target, resumed }: { name: string; target: string; resumed: boolean }): string {
  return `${oneLine(name)}: ${target}${resumed ? ', going on where the last sync stopped' : ''}`;
}

/** The line between the records and what is made of them. */
export function derivationOf(name: string, stored: string | undefined): string {
  return `${oneLine(name)}: ${stored ?? NOTHING}; bringing its work units up to date`;
}

/** The last line about a repository. */
export function endOf(name: string, error: string | null, stored: string | undefined): string {
  return error === null
    ? `${oneLine(name)}: done, ${stored ?? NOTHING}`
    : `${oneLine(name)}: failed: ${oneLine(error)}`;
}
