/** The health of the code of a repository, from the records of its commits and of blame. */
import type { CodeHealth, CodeHealthRequest } from '../../analytics/code-health.js';
import { timeZoneOf, type TimeZone } from '../../analytics/time-zone.js';
import { repositoryContext } from '../work-units/derivation/plan.js';
import { removedBefore } from '../retention/state.js';
import type { DerivationResources } from '../work-units/derivation/resources.js';
import { storedCalendar } from '../work-units/stored-calendar.js';
import { fileChanges, personalCommits, type FileChanges } from './history.js';
import { FileCount, hotspotsOf } from './hotspots.js';
import { DirectoryCount } from './people.js';
import { REWORK_DAYS, ReworkCount } from './rework.js';

const DAY_MILLISECONDS = 86_400_000;

/**
 * Reads the repositories of an organization that have this name: none, or one on each of several hosts.
 *
 * @throws the signal's reason once it is aborted
 */
export async function codeHealth(
  resources: DerivationResources,
  request: CodeHealthRequest,
  signal: AbortSignal,
): Promise<CodeHealth> {
  const all = await resources.records.repositories(resources.orgId);
  const repositories = all.filter(({ name }) => name === request.repo);
  const counts = new Counts(request, timeZoneOf((await storedCalendar(resources)).timeZone));
  for (const { id } of repositories) await countRepository(resources, id, counts, signal);
  const candidates = counts.files.candidates();
  const lines = new Map<string, number>();
  for (const { id } of repositories) {
    signal.throwIfAborted();
    const paths = candidates.map(({ path }) => path);
    for (const [path, count] of await resources.records.blamedLines(id, paths))
      lines.set(path, (lines.get(path) ?? 0) + count);
  }
  return {
    repo: request.repo,
    ...counts.figures(),
    directories: counts.directories.top(request.topN),
    hotspots: hotspotsOf(candidates, lines, request.topN),
  };
}

async function countRepository(
  resources: DerivationResources,
  repoId: string,
  counts: Counts,
  signal: AbortSignal,
): Promise<void> {
  const { records } = resources;
  const context = await repositoryContext(resources, repoId, await records.readProgress(repoId));
  if (context === undefined) return;
  const { until } = counts;
  // Older commits may have been removed. Those that are left of them, because an open request has them, say nothing.
  const kept = (await removedBefore(resources.sink, repoId)) ?? -Infinity;
  const from = Math.max(counts.from, kept);
  const before = REWORK_DAYS * DAY_MILLISECONDS;
  const commits = await personalCommits(records, context, Math.max(counts.from - before, kept), until);
  counts.commits += commits.filter(({ at }) => at >= from).length;
  const rework = new ReworkCount();
  // The lines that the first commits delete may have been added by commits that are removed.
  const isReworkKnown = kept + before < until;
  const since = { from, reworkFrom: Math.max(from, kept + before) };
  for await (const some of fileChanges(records, repoId, commits)) {
    signal.throwIfAborted();
    for (const changes of some) counts.take(changes, since, rework);
  }
  if (isReworkKnown) counts.rework.push(rework);
}

/** Since when commits count, and since when what was deleted counts as rework. Epoch milliseconds. */
interface CountedSince {
  readonly from: number;
  readonly reworkFrom: number;
}

/** The counts over all repositories of the name. */
class Counts {
  /** Epoch milliseconds; the second is excluded. */
  readonly from: number;
  readonly until: number;
  readonly directories: DirectoryCount;
  readonly files = new FileCount();
  readonly rework: ReworkCount[] = [];
  commits = 0;
  #known = 0;
  /** Epoch milliseconds of the earliest commit whose files are known. */
  #earliest = Infinity;
  readonly #timeZone: TimeZone;

  constructor({ dateRange, depth }: CodeHealthRequest, timeZone: TimeZone) {
    this.from = timeZone.startOf(dateRange.startDate);
    this.until = timeZone.endOf(dateRange.endDate);
    this.#timeZone = timeZone;
    this.directories = new DirectoryCount(depth);
  }

  take({ commit, files }: FileChanges, { from, reworkFrom }: CountedSince, rework: ReworkCount): void {
    if (files === null) return;
    if (commit.at < reworkFrom) for (const change of files) rework.precede(commit.at, change);
    if (commit.at < from) return;
    this.#known += 1;
    this.#earliest = Math.min(this.#earliest, commit.at);
    for (const change of files) {
      if (commit.at >= reworkFrom) rework.count(commit.at, change);
      this.directories.count(change.path, commit.people);
      this.files.count(change);
    }
  }

  figures(): Pick<CodeHealth, 'commits' | 'coverage' | 'knownSince' | 'rework'> {
    const sum = (of: (count: ReworkCount) => number): number => this.rework.reduce((all, each) => all + of(each), 0);
    const deletedLines = sum((each) => each.deletedLines);
    const reworkedLines = sum((each) => each.reworkedLines);
    const share = deletedLines === 0 ? null : reworkedLines / deletedLines;
    const addedLines = sum((each) => each.addedLines);
    return {
      commits: this.commits,
      coverage: this.commits === 0 ? null : this.#known / this.commits,
      knownSince: this.#known === 0 ? null : this.#timeZone.dayOf(this.#earliest),
      rework: this.#known === 0 || this.rework.length === 0 ? null : { addedLines, deletedLines, reworkedLines, share },
    };
  }
}
