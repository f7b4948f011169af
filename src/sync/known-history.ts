/**
 * How much of the history of a repository and target is known. Limits of a sync exclude older records, and what is not
 * stored must not look like a time without work.
 */
import { dayNumber, dayText } from '../analytics/planner/buckets.js';
import type { TimeZone } from '../analytics/time-zone.js';
import type { WorkHistory } from '../analytics/unit-records.js';
import type { WorkType } from '../analytics/vocabulary.js';
import type { Page } from './providers/provider.js';
import type { AnyRow } from './records.js';
import { retentionOf } from './retention/state.js';
import type { SyncRequest } from './sync-request.js';
import type { HistoryInProgress, KnownHistory, SyncState } from './sinks/sink.js';
import { parseState } from './sinks/state.js';
import { TABLES_OF, type Target } from './targets.js';
import type { RepositoryState } from './work-units/derivation/database/records.js';

type Histories = Pick<SyncState, 'known' | 'reading'>;

/** The columns with the time of a record. The first one that is known counts. */
const TIMES: Readonly<Record<Target, readonly string[]>> = {
  git: ['committer_when'],
  prs: ['updated_at'],
  blame: [],
  cicd: ['started_at'],
  deployments: ['started_at', 'deployed_at'],
  incidents: ['started_at'],
  issues: ['updated_at'],
};

/**
 * Follows the pages of a sync.
 *
 * @param stored the state before the sync
 * @param isContinued whether the sync begins at its position
 * @param began epoch milliseconds
 * @returns a function that takes each page, and returns what to store with it
 */
export function followHistory(
  stored: SyncState | undefined,
  isContinued: boolean,
  { target, window }: SyncRequest,
  began: number,
): (page: Page) => Histories {
  const known = stored?.known;
  const earlier = isContinued ? stored : undefined;
  let reading: HistoryInProgress | undefined;
  if (earlier === undefined) reading = { oldest: null, from: window.since ?? null };
  else if (!earlier.done) reading = earlier.reading;
  // Releases before this one did not store it. A sync that continues theirs cannot know it either.
  else reading = known === undefined ? undefined : { oldest: null, from: known.from };
  return (page) => {
    if (reading === undefined) return {};
    reading = { ...reading, oldest: oldestOf(reading.oldest, page, target) };
    if (!page.done) return { ...(known === undefined ? {} : { known }), reading };
    const from = page.isCut === true ? (reading.oldest ?? began) : reading.from;
    return { known: joined(known, { from, to: window.until ?? began }) };
  };
}

function oldestOf(oldest: number | null, { records }: Page, target: Target): number | null {
  const rows = TABLES_OF[target].flatMap((name): readonly AnyRow[] => records[name] ?? []);
  const times = rows.flatMap((row) => {
    const time = TIMES[target].map((column) => row[column]).find((value) => typeof value === 'number');
    return time === undefined ? [] : [time];
  });
  return times.reduce<number | null>((least, time) => Math.min(least ?? time, time), oldest);
}

/** Both, if there is no gap between them; otherwise the later one. */
function joined(earlier: KnownHistory | undefined, now: KnownHistory): KnownHistory {
  if (earlier === undefined) return now;
  const hasGap = (now.from ?? -Infinity) > earlier.to || (earlier.from ?? -Infinity) > now.to;
  if (hasGap) return now.to > earlier.to ? now : earlier;
  return widest(now, earlier);
}

/** Type of work by the target that brings it. */
const WORK_OF: Readonly<Partial<Record<string, WorkType>>> = {
  git: 'commit',
  prs: 'pull_request',
  deployments: 'deployment',
  incidents: 'incident',
  issues: 'issue',
};

/** What the state of pushed records has in place of the limits of a sync. */
export const PUSH_REQUEST = 'push';

/**
 * What is known of each type of work in each repository. Of several sources, the one that reaches back the farthest counts,
 * and the one that was read last; what is pushed counts where no sync reads that type. Nothing is known before the days
 * whose records were removed by their age. Days are those of the time zone.
 */
export function workHistories(
  states: readonly RepositoryState[],
  { dayOf }: Pick<TimeZone, 'dayOf'>,
): readonly WorkHistory[] {
  interface History {
    readonly repo: string;
    readonly workType: WorkType;
    /** The first moment whose records are all kept; null: none was removed by its age. */
    readonly keptFrom: number | null;
    /** Undefined: no sync has said; what is older than the kept records is gone nevertheless. */
    readonly known: KnownHistory | undefined;
    readonly isPushed: boolean;
  }
  const kept = new Map(
    states.flatMap(({ repoId, target, state }) => {
      const before = target === 'retention' ? retentionOf(parseState(state)?.position).before : undefined;
      return before === undefined ? [] : [[repoId, before] as const];
    }),
  );
  const histories = new Map<string, History>();
  for (const { repoId, name, target, state } of states) {
    const workType = WORK_OF[target];
    const parsed = parseState(state);
    const keptFrom = kept.get(repoId) ?? null;
    if (workType === undefined || parsed === undefined || (parsed.known === undefined && keptFrom === null)) continue;
    const key = `${repoId} ${workType}`;
    const other = histories.get(key);
    const isPushed = parsed.request === PUSH_REQUEST;
    const history: History = { repo: name, workType, keptFrom, known: parsed.known, isPushed };
    if (other === undefined || (other.isPushed && !isPushed)) histories.set(key, history);
    else if (other.isPushed === isPushed) {
      const { known } = other;
      const both = parsed.known === undefined || known === undefined ? undefined : widest(parsed.known, known);
      histories.set(key, { ...history, known: both ?? parsed.known ?? known });
    }
  }
  return [...histories.values()].map(({ repo, workType, isPushed, keptFrom, known }) => {
    const since = [
      ...(known === undefined || known.from === null ? [] : [dayOf(known.from)]),
      ...(keptFrom === null ? [] : [firstWholeDay(keptFrom, dayOf)]),
    ];
    return {
      repo,
      workType,
      ...(isPushed ? { isPushed } : {}),
      knownSince: since.sort().at(-1) ?? null,
      knownUntil: known === undefined ? null : dayOf(known.to),
    };
  });
}

/** The moment begins a day, but of another zone if the organization has changed its time zone since. */
function firstWholeDay(moment: number, dayOf: TimeZone['dayOf']): string {
  return dayText(dayNumber(dayOf(moment - 1)) + 1);
}

function widest(one: KnownHistory, other: KnownHistory): KnownHistory {
  const from = one.from === null || other.from === null ? null : Math.min(one.from, other.from);
  return { from, to: Math.max(one.to, other.to) };
}
