/**
 * Plans a derivation: the records to read again, and the rules, the name and the teams for deriving units.
 *
 * Notes on each repository are stored in the database of its records. The note `basis` is a fingerprint of the rules,
 * teams, authors, CODEOWNERS, .mailmap and time zone that its units were derived with; when it changes, everything is
 * derived again. The note `<target>:<source>` has the revision and the time of the last sync whose changes were derived. If a
 * sync was killed before its derivation, the stored revision differs from the note, and all records of the target are
 * read again.
 */
import { createHash } from 'node:crypto';
import { timeZoneOf, type TimeZone } from '../../../analytics/time-zone.js';
import { identityOfRemote } from '../../identity.js';
import type { Target } from '../../targets.js';
import { authorsFromText } from '../authors/authors-file.js';
import { createAuthorIdentifier, type AuthorIdentifier } from '../authors/identify.js';
import type { Classifier } from '../classify/classifier.js';
import { applyRules } from '../classify/organization-classifier.js';
import { inSlices } from '@plumbline/contract/system/slices';
import { createTeamAssigner, type TeamAssigner } from '../teams/assign.js';
import { teamsFromText } from '../teams/teams-file.js';
import type { DeliveryRules } from '../classify/delivery-rules.js';
import { storedCalendar } from '../stored-calendar.js';
import { assistantsFingerprint } from '../assistants/assistants.js';
import { notedEpics } from './epics.js';
import type { DerivationResources } from './resources.js';

/** Increase it when the same records give different units than before; every repository is then derived again. */
const ALGORITHM = 18;

/** The current context for deriving units; undefined if the repository is not stored. */
export async function repositoryContext(
  resources: Pick<DerivationResources, 'records' | 'orgId' | 'classifier'>,
  repoId: string,
  notes: ReadonlyMap<string, string>,
): Promise<RepositoryContext | undefined> {
  const [stored, teams, authors, rules, calendar] = await Promise.all([
    resources.records.repository(repoId),
    resources.records.readFile('teams', resources.orgId),
    resources.records.readFile('authors', resources.orgId),
    resources.records.readFile('rules', resources.orgId),
    storedCalendar(resources),
  ]);
  if (stored === undefined) return undefined;
  const { name: repo, url } = stored;
  const codeowners = notes.get('codeowners') ?? '';
  return {
    repoId,
    repo,
    identity: url === null ? undefined : identityOfRemote(url)?.identity,
    ...applyRules(resources.classifier, rules),
    teams: await inSlices(createTeamAssigner(teamsFromText(teams), repo, codeowners === '' ? undefined : codeowners)),
    authors: createAuthorIdentifier(authorsFromText(authors), notes.get('mailmap') ?? ''),
    timeZone: timeZoneOf(calendar.timeZone),
    hasEpics: notedEpics(notes),
  };
}

/** A fingerprint. With equal fingerprints, equal records give equal units. */
export function basisOf({ classifier, delivery, teams, authors, timeZone, hasEpics }: RepositoryContext): string {
  const parts = [classifier, delivery, teams, authors].map(({ fingerprint }) => fingerprint);
  // Units that were derived before there were other time zones need not be derived again.
  const zone = timeZone.name === 'UTC' ? [] : [timeZone.name];
  return createHash('sha256')
    .update(JSON.stringify([ALGORITHM, assistantsFingerprint(), ...parts, ...zone, hasEpics]))
    .digest('hex');
}

/** The inputs that all units of one repository share. */
export interface RepositoryContext {
  readonly repoId: string;
  /** `owner/name`, or the directory's name. */
  readonly repo: string;
  /** `host/owner/name` in lower case; undefined without a remote. */
  readonly identity: string | undefined;
  readonly classifier: Classifier;
  readonly delivery: DeliveryRules;
  readonly teams: TeamAssigner;
  readonly authors: AuthorIdentifier;
  /** The zone of the days of units. */
  readonly timeZone: TimeZone;
  /** Whether its issues name epics. Otherwise nobody knows which work is planned. */
  readonly hasEpics: boolean;
}

/** The records of a kind to read: none, all, or those written at or after `since` (epoch milliseconds). */
export type Extent = 'none' | 'all' | { readonly since: number };

/** The records that may have changed since the last derivation. */
export interface Changed {
  readonly commits: Extent;
  readonly requests: Extent;
  readonly deployments: Extent;
  readonly incidents: Extent;
  readonly issues: Extent;
}

export const EVERYTHING: Changed = everything('all');

export const NOTHING: Changed = everything('none');

function everything(extent: Extent): Changed {
  return { commits: extent, requests: extent, deployments: extent, incidents: extent, issues: extent };
}

/**
 * What is to be derived with changed issues. After an interruption nobody knows which requests and commits the issues
 * affected that are stored already: their former closings are gone.
 */
export function withPlannedWork(changed: Changed, { hasEpics }: { readonly hasEpics: boolean }): Changed {
  return hasEpics && changed.issues === 'all' ? { ...changed, commits: 'all', requests: 'all' } : changed;
}

/** The records that a sync of the target changes. */
export function changedBy(target: Target, extent: Extent): Changed {
  switch (target) {
    case 'git':
      return { ...NOTHING, commits: extent };
    case 'prs':
      return { ...NOTHING, requests: extent };
    case 'deployments':
      return { ...NOTHING, deployments: extent };
    case 'incidents':
      return { ...NOTHING, incidents: extent };
    case 'issues':
      return { ...NOTHING, issues: extent };
    case 'blame':
    case 'cicd':
      return NOTHING;
  }
}

/** Splits a note into the revision, and the time up to which rows have been derived. */
export function splitNote(note: string | undefined): readonly [revision: string | undefined, until: number] {
  const match = /^(\d+) (.*)$/s.exec(note ?? '');
  return match === null ? [undefined, 0] : [match[2], Number(match[1])];
}
