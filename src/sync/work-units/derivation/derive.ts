/**
 * Derives work units from records, as src/analytics/MEASURES.md defines them. Nothing here reads or writes: a unit
 * depends only on the records passed in.
 *
 * - A **pull request** starts with the earlier of its creation and its first commit, and is complete once it is merged.
 *   Commits that another request brought in before, as the features of a release, are not part of it. A request closed without a merge is never complete; its day is that of its last activity. Its churn is the
 *   host's figure, otherwise the sum over its commits, otherwise unknown. Its phases are those of `phases.ts`.
 * - A **commit** that is neither in a request nor a merge starts at its author date and is complete at its commit date.
 * - A **deployment** is complete once it is deployed; a failed one is never complete.
 * - An **incident** is an issue that the rules of the organization, or else the host, call so. It is complete once it is
 *   resolved.
 * - Issues name the epic and the initiative of a unit (`epics.ts`).
 * - Commits name the assistant and the co-authors of a unit (`participants.ts`).
 * - An **issue** is complete when it was last closed, unless it was closed as not planned, as a duplicate, or because it
 *   moved. An issue that is an incident has only that unit, and test cases have none.
 */
import { storedMoment } from '../../../analytics/store/rows.js';
import type { WorkType } from '../../../analytics/vocabulary.js';
import type { Openness, WorkUnit } from '../../../analytics/work-unit.js';
import type { AnyRow } from '../../records.js';
import type { Contribution, Evidence } from '../classify/classifier.js';
import { numberOf, numberOrNull, textOf, textOrNull, textsOf } from '../row-values.js';
import type { CommitFacts } from './commits.js';
import { issuePlanOf, plannedBy, type IssuePlan } from './epics.js';
import { participantsOf, type Work } from './participants.js';
import { reportedIncident, reportedIssue } from './failure-signs.js';
import { phasesOf } from './phases.js';
import type { RepositoryContext } from './plan.js';
import { mergedAt, reviewersOf, type RequestFacts } from './request-facts.js';

type Explain = (contribution: Contribution) => void;

/** The id of a unit: `<repository id>:<work type>:<number, hash or id>`. */
export function unitId(repoId: string, workType: WorkType, name: string | number): string {
  return `${repoId}:${workType}:${name}`;
}

/** Parses an id of `unitId`; undefined for other texts. */
export function parseUnitId(id: string): { repoId: string; workType: WorkType; name: string } | undefined {
  const match = /^([0-9a-f-]{36}):(pull_request|commit|deployment|incident|issue):(.+)$/s.exec(id);
  if (match === null) return undefined;
  const [, repoId = '', workType = '', name = ''] = match;
  // The expression accepts only work types.
  return { repoId, workType: workType as WorkType, name };
}

/** Units of one type in one repository. */
export interface UnitGroup {
  readonly repoId: string;
  readonly workType: WorkType;
  /** The last parts of their ids. */
  readonly names: readonly string[];
}

/** The ids by repository and type of work, in the order of their first unit. Other texts are left out. */
export function groupUnitIds(ids: readonly string[]): readonly UnitGroup[] {
  const groups = new Map<string, UnitGroup & { readonly names: string[] }>();
  for (const id of ids) {
    const parsed = parseUnitId(id);
    if (parsed === undefined) continue;
    const { repoId, workType, name } = parsed;
    const key = `${repoId} ${workType}`;
    const group = groups.get(key) ?? { repoId, workType, names: [] };
    groups.set(key, group);
    group.names.push(name);
  }
  return [...groups.values()];
}

/** The unit of a pull or merge request. */
export function requestUnit(context: RepositoryContext, request: RequestFacts, explain?: Explain): WorkUnit {
  const { row, commits, remaining, reviews } = request;
  const ordered = commits.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));
  const own = ordered.filter((commit) => !commit.isMerge);
  const created = numberOf(row, 'created_at');
  const merged = mergedAt(row);
  const times = [
    created,
    numberOrNull(row, 'updated_at'),
    numberOrNull(row, 'closed_at'),
    ...reviews.map(({ submittedAt }) => submittedAt),
    ...ordered.map(({ committerWhen }) => committerWhen),
  ];
  const email = textOrNull(row, 'author_email') ?? onlyEmail(context, own);
  const unit = finish(
    context,
    {
      workType: 'pull_request',
      name: numberOf(row, 'number'),
      email,
      login: textOrNull(row, 'author_name'),
      startedAt: own.reduce((first, { authorWhen }) => Math.min(first, authorWhen), beginningOf(request)),
      completedAt: merged,
      lastActivity: latest(times) ?? created,
      churnLoc: remaining === null ? sizeOf(row, own) : sizeOfRemaining(remaining, commits),
      owners: addTallies(own.map(({ changes }) => changes.owners)),
      work: { commits: own, request: row },
      issues: request.issues,
    },
    {
      workType: 'pull_request',
      title: textOf(row, 'title'),
      text: textOf(row, 'body'),
      labels: textsOf(row, 'labels').toSorted(),
      commitTitles: own.map(({ message }) => titleAndText(message).title),
      files: addTallies(own.map(({ changes }) => changes.files)),
    },
    explain,
  );
  const phases = merged === null ? {} : phasesOf(context, request, merged);
  const openness = opennessOf(row, merged);
  const reviewers = reviewersOf(context, request);
  return {
    ...unit,
    ...(Object.keys(phases).length === 0 ? {} : { phases }),
    ...(openness === undefined ? {} : { openness }),
    ...(reviewers === undefined ? {} : { reviewers }),
  };
}

/** When a request began without regard to its stored commits. */
function beginningOf({ row, remaining }: RequestFacts): number {
  const created = numberOf(row, 'created_at');
  if (remaining === null) return Math.min(created, numberOrNull(row, 'first_commit_at') ?? created);
  // The first commit may be of another request, and a clone takes the first commit for the beginning.
  return textOf(row, 'source') === 'local' ? (mergedAt(row) ?? created) : created;
}

/** The lines of a request that brought in all of its commits. */
function sizeOf(row: AnyRow, commits: readonly CommitFacts[]): number | null {
  const [additions, deletions] = [numberOrNull(row, 'additions'), numberOrNull(row, 'deletions')];
  if (additions !== null || deletions !== null) return (additions ?? 0) + (deletions ?? 0);
  return commits.length === 0 ? null : sumOfKnown(commits.map(({ changes }) => changes.churn));
}

/** The lines of the commits that no other request brought in; the host's sum contains those of the others. */
function sizeOfRemaining(hashes: readonly string[], stored: readonly CommitFacts[]): number | null {
  const lines = new Map(stored.map(({ hash, changes }) => [hash, changes.churn]));
  return sumOfKnown(hashes.map((hash) => lines.get(hash) ?? null));
}

/** A clone knows neither when requests were opened nor, without a merge, when they ended. */
function opennessOf(row: AnyRow, merged: number | null): Openness | undefined {
  if (textOf(row, 'source') === 'local') return undefined;
  const openedAt = numberOf(row, 'created_at');
  // A request whose end is not reported ended when it changed last.
  const closedAt =
    textOf(row, 'state') === 'open'
      ? null
      : (merged ?? numberOrNull(row, 'closed_at') ?? numberOrNull(row, 'updated_at') ?? openedAt);
  return { openedAt, closedAt: closedAt === null ? null : Math.max(openedAt, closedAt) };
}

/** The unit of a commit outside any request. */
export function commitUnit(context: RepositoryContext, commit: CommitFacts, explain?: Explain): WorkUnit {
  const { authorWhen, committerWhen, changes } = commit;
  return finish(
    context,
    {
      workType: 'commit',
      name: commit.hash,
      email: commit.authorEmail,
      login: commit.authorName,
      startedAt: authorWhen,
      completedAt: Math.max(authorWhen, committerWhen),
      lastActivity: committerWhen,
      churnLoc: changes.churn,
      owners: changes.owners,
      work: { commits: [commit] },
      issues: commit.issues,
    },
    { workType: 'commit', ...titleAndText(commit.message), labels: [], commitTitles: [], files: changes.files },
    explain,
  );
}

/** The unit of a deployment; undefined if it has no time at all, and therefore no day to count it on. */
export function deploymentUnit(context: RepositoryContext, row: AnyRow, explain?: Explain): WorkUnit | undefined {
  const [started, finished, deployed, merged] = ['started_at', 'finished_at', 'deployed_at', 'merged_at'].map((name) =>
    numberOrNull(row, name),
  );
  const begin = started ?? merged ?? deployed ?? finished;
  if (begin === undefined || begin === null) return undefined;
  const [environment, ref] = [textOf(row, 'environment'), textOf(row, 'release_ref')];
  return finish(
    context,
    {
      workType: 'deployment',
      name: textOf(row, 'deployment_id'),
      email: null,
      login: textOrNull(row, 'author_name'),
      startedAt: begin,
      completedAt: deployed ?? null,
      lastActivity: latest([begin, finished ?? null]) ?? begin,
      churnLoc: 0,
      owners: new Map(),
    },
    {
      workType: 'deployment',
      title: `${ref} ${environment}`.trim(),
      text: '',
      labels: [],
      commitTitles: [],
      files: new Map(),
    },
    explain,
  );
}

/** The unit of a record of incidents; undefined if the organization does not count it as one. */
export function incidentUnit(context: RepositoryContext, row: AnyRow, explain?: Explain): WorkUnit | undefined {
  if (!context.delivery.incidents.includes(reportedIncident(row))) return undefined;
  const incident = {
    name: textOf(row, 'incident_id'),
    startedAt: numberOf(row, 'started_at'),
    completedAt: numberOrNull(row, 'resolved_at'),
  };
  return incidentFrom(context, row, incident, explain);
}

function incidentFrom(
  context: RepositoryContext,
  row: AnyRow,
  incident: Pick<Draft, 'name' | 'startedAt' | 'completedAt' | 'issues'>,
  explain?: Explain,
): WorkUnit {
  return finish(
    context,
    {
      ...incident,
      workType: 'incident',
      email: null,
      login: textOrNull(row, 'author_name'),
      lastActivity: incident.startedAt,
      churnLoc: 0,
      owners: new Map(),
    },
    {
      workType: 'incident',
      title: textOf(row, 'title'),
      text: '',
      labels: textsOf(row, 'labels').toSorted(),
      commitTitles: [],
      files: new Map(),
    },
    explain,
  );
}

/** The unit of an issue, which may be an incident; undefined for an issue of another kind. */
export function issueUnit(context: RepositoryContext, row: AnyRow, explain?: Explain): WorkUnit | undefined {
  const closed = numberOrNull(row, 'closed_at');
  const issues = [issuePlanOf(row)];
  if (context.delivery.incidents.includes(reportedIssue(row))) {
    const incident = {
      name: String(numberOf(row, 'number')),
      startedAt: numberOf(row, 'created_at'),
      completedAt: closed,
      issues,
    };
    return incidentFrom(context, row, incident, explain);
  }
  if (!ISSUE_KINDS.has(textOf(row, 'kind'))) return undefined;
  return finish(
    context,
    {
      workType: 'issue',
      name: numberOf(row, 'number'),
      email: null,
      login: textOrNull(row, 'author_name'),
      startedAt: numberOf(row, 'created_at'),
      completedAt: WITHOUT_WORK.has(textOf(row, 'state_reason')) ? null : closed,
      lastActivity: closed ?? numberOf(row, 'updated_at'),
      churnLoc: 0,
      owners: new Map(),
      issues,
    },
    {
      workType: 'issue',
      title: textOf(row, 'title'),
      text: textOf(row, 'body'),
      labels: textsOf(row, 'labels').toSorted(),
      commitTitles: [],
      files: new Map(),
    },
    explain,
  );
}

/** An incident of the host that is none for the organization is an issue. */
const ISSUE_KINDS: ReadonlySet<string> = new Set(['issue', 'task', 'incident']);
/** Reasons for which an issue is closed without any work on it. */
const WITHOUT_WORK: ReadonlySet<string> = new Set(['not_planned', 'duplicate', 'moved']);

/** The first line of a message, and the text after it. */
export function titleAndText(message: string): { readonly title: string; readonly text: string } {
  const end = message.indexOf('\n');
  return end < 0 ? { title: message, text: '' } : { title: message.slice(0, end), text: message.slice(end + 1).trim() };
}

interface Draft {
  readonly workType: WorkType;
  readonly name: string | number;
  readonly email: string | null;
  /** A login, or the author's name. */
  readonly login: string | null;
  readonly startedAt: number;
  readonly completedAt: number | null;
  readonly lastActivity: number;
  readonly churnLoc: number | null;
  readonly owners: ReadonlyMap<string, number>;
  /** Absent for units without commits. */
  readonly work?: Work;
  /** Absent for units that no issue can plan: deployments, and incidents without an issue. */
  readonly issues?: readonly IssuePlan[];
}

function finish(context: RepositoryContext, draft: Draft, evidence: Evidence, explain?: Explain): WorkUnit {
  const completedAt = draft.completedAt === null ? null : storedMoment(draft.completedAt);
  // Clocks may be wrong: clamp the start, so that it is not after the end or outside of the storable range.
  const startedAt = Math.min(storedMoment(draft.startedAt), completedAt ?? Infinity);
  const identity = context.authors.identify(draft.email, draft.login);
  return {
    id: unitId(context.repoId, draft.workType, draft.name),
    workType: draft.workType,
    repo: context.repo,
    team: context.teams.teamOf(identity.names, draft.owners),
    author: identity.author,
    startedAt,
    completedAt,
    day: context.timeZone.dayOf(completedAt ?? Math.max(startedAt, storedMoment(draft.lastActivity))),
    churnLoc: draft.churnLoc,
    ...context.classifier.classify(evidence, explain),
    ...(draft.work === undefined ? {} : participantsOf(draft.work, identity, context.authors)),
    ...(draft.issues === undefined ? {} : plannedBy(draft.issues, context)),
  };
}

/** Null if one of them is unknown, because the sum would be too small. */
function sumOfKnown(lines: readonly (number | null)[]): number | null {
  return lines.reduce((sum, each) => (sum === null || each === null ? null : sum + each), 0);
}

/** The e-mail of the commits if one person wrote all of them. A host reports only the login of a request's author. */
function onlyEmail({ authors }: RepositoryContext, commits: readonly CommitFacts[]): string | null {
  const people = new Set(
    commits.map(({ authorEmail, authorName }) => authors.identify(authorEmail, authorName).author),
  );
  return people.size === 1 ? (commits[0]?.authorEmail ?? null) : null;
}

function latest(times: readonly (number | null)[]): number | null {
  return times.reduce((last, time) => (last === null || (time !== null && time > last) ? time : last), null);
}

/** Adds up tallies of several commits. */
function addTallies<Key>(tallies: Iterable<ReadonlyMap<Key, number>>): Map<Key, number> {
  const sum = new Map<Key, number>();
  for (const tally of tallies) for (const [key, value] of tally) sum.set(key, (sum.get(key) ?? 0) + value);
  return sum;
}
