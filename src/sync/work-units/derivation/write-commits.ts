/** The units of commits, and the links of commits to requests. */
import type { WorkUnit } from '../../../analytics/work-unit.js';
import { textOf } from '../row-values.js';
import type { ChangedCommit } from './database/records.js';
import { closingsOfCommit } from './closings.js';
import { keysOfCommit } from './issue-keys.js';
import { inSlices } from '@plumbline/contract/system/slices';
import { commitUnit, unitId } from './derive.js';
import {
  differences,
  divide,
  linksByHash,
  namedCommits,
  unstoredMentions,
  type Divided,
  type LinkChange,
  type StoredLink,
} from './links.js';
import type { SelectedLinks } from './read.js';
import { whereOf, derivesAllRequests, derivedSteps, type Run } from './run.js';

/** Updates the links of changed requests, and the units of the commits that join or leave them. */
export async function updateLinks(run: Run): Promise<void> {
  const { changed, reader, records, context, signal } = run;
  if (changed.requests === 'none') return;
  for await (const claims of reader.claims(whereOf(changed.requests))) {
    signal.throwIfAborted();
    const stored = await reader.links({ numbers: claims.map(({ number }) => number) });
    const change = differences(claims, stored);
    const { added, removed } = change;
    const begun = stored.filter(({ kind }) => kind === 'changing');
    if (!run.isFirst) {
      const changing = [...added, ...removed].map((link): StoredLink => ({ ...link, kind: 'changing' }));
      if (changing.length > 0) await records.writeLinks(context.repoId, changing, []);
      begun.push(...changing);
      // A new request, or one that now comes from another source, also takes the commits whose messages name it.
      const named = stored.filter(({ kind }) => kind !== 'listed');
      const touched = new Set([...changing, ...named].map(({ hash }) => hash));
      await rewriteCommits(run, [...touched], change);
    }
    const gone = [...removed, ...begun];
    if (added.length + gone.length > 0) await records.writeLinks(context.repoId, added, gone);
  }
}

const COMMITS_AT_ONCE = 2000;

/** Writes or removes the units of commits whose links change. */
export async function rewriteCommits(run: Run, hashes: readonly string[], change: LinkChange): Promise<void> {
  const key = ({ hash, number, kind }: StoredLink): string => `${hash} ${number} ${kind}`;
  const gone = new Set(change.removed.map(key));
  for (let start = 0; start < hashes.length; start += COMMITS_AT_ONCE) {
    const some = hashes.slice(start, start + COMMITS_AT_ONCE);
    const selected = { hashes: some };
    const [commits, stored] = await Promise.all([run.reader.commits(selected), run.reader.links(selected)]);
    // A request may bring in commits that another one no longer lists, whether they are stored or not.
    for (const { number } of stored) if (!derivesAllRequests(run)) run.affected.add(number);
    const among = new Set(some);
    const links = [
      ...stored.filter((link) => !gone.has(key(link))),
      ...change.added.filter(({ hash }) => among.has(hash)),
    ];
    const { alone, linked, merges } = await divideStored(run, commits, links);
    await run.writer.write(await unitsOf(run, alone), commitIds(run, [...linked, ...merges]));
  }
  await run.writer.flush();
}

/** Derives the units of changed commits. */
export async function deriveCommits(run: Run): Promise<void> {
  const { changed, reader, records, context } = run;
  if (changed.commits === 'none') return;
  const derive = async (commits: readonly ChangedCommit[], selected: SelectedLinks): Promise<void> => {
    await writeAlone(run, commits, await reader.links(selected));
  };
  if (changed.commits === 'all') {
    for await (const commits of reader.allCommits()) {
      const [first, last] = [commits[0], commits.at(-1)];
      if (first === undefined || last === undefined) continue;
      await derive(commits, { from: textOf(first.row, 'hash'), to: textOf(last.row, 'hash') });
    }
    return;
  }
  for await (const hashes of records.changedCommits(context.repoId, changed.commits.since))
    await derive(await reader.commits({ hashes }), { hashes });
}

/** Writes the units of the commits outside any request. */
export async function writeAlone(
  run: Run,
  commits: readonly ChangedCommit[],
  links: readonly StoredLink[],
): Promise<void> {
  run.signal.throwIfAborted();
  const { alone, merges } = await divideStored(run, commits, links);
  // A commit in a request has no unit: none was written, or it was removed when the link was added. A merge may have
  // one that an earlier release wrote.
  await run.writer.write(await unitsOf(run, alone), run.isFirst ? [] : commitIds(run, merges));
}

/** The ids of the units of commits. */
export function commitIds({ context }: Run, hashes: readonly string[]): readonly string[] {
  return hashes.map((hash) => unitId(context.repoId, 'commit', hash));
}

/** Divides commits by their links; stores the links from their messages, for requests that arrive later. */
async function divideStored(
  run: Run,
  commits: readonly ChangedCommit[],
  links: readonly StoredLink[],
): Promise<Divided> {
  const [named, stored] = [namedCommits(commits), linksByHash(links)];
  const unstored = unstoredMentions(named, stored);
  // Before any unit is written, because a request that arrives next must find every commit that names it.
  if (unstored.length > 0) await run.records.writeLinks(run.context.repoId, unstored, []);
  const closings = commits.flatMap(({ row }) => closingsOfCommit(row, run.context));
  const keys = commits.flatMap(({ row }) => keysOfCommit(row));
  if (closings.length + keys.length > 0)
    await run.records.writeClosings(run.context.repoId, [...closings, ...keys], []);
  const mentioned = new Set(named.flatMap(({ mention }) => mention?.number ?? []));
  const divided = divide(named, stored, await run.reader.requestSources([...mentioned]));
  for (const number of divided.requests) if (!derivesAllRequests(run)) run.affected.add(number);
  return divided;
}

async function unitsOf({ reader, context }: Run, commits: readonly ChangedCommit[]): Promise<readonly WorkUnit[]> {
  const facts = await reader.factsOf(commits);
  return inSlices(derivedSteps(facts, (commit) => commitUnit(context, commit)));
}
