/** Explains the classification of a unit: the points from each rule, and their reasons. */
import { asCorrected } from '../../analytics/store/corrections.js';
import type { Subcategory } from '../../analytics/vocabulary.js';
import type { Correction, WorkUnit } from '../../analytics/work-unit.js';
import type { AnyRow } from '../records.js';
import type { Contribution } from './classify/classifier.js';
import {
  commitUnit,
  deploymentUnit,
  incidentUnit,
  issueUnit,
  parseUnitId,
  requestUnit,
  titleAndText,
} from './derivation/derive.js';
import { isIssueNumber } from './derivation/failure-signs.js';
import type { CorrectableResources, DerivationResources } from './derivation/resources.js';
import { repositoryContext, type RepositoryContext } from './derivation/plan.js';
import { DEPLOYMENT_COLUMNS, INCIDENT_COLUMNS, ISSUE_COLUMNS, RecordReader } from './derivation/read.js';
import { textOf } from './row-values.js';

export interface Explanation {
  /** The unit as the current rules derive it, or as it was corrected. */
  readonly unit: WorkUnit;
  /** The title for display. */
  readonly title: string;
  /** Equal contributions are summed up. */
  readonly contributions: readonly Contribution[];
  /** The stored unit; it differs if it was derived with other rules or from older records. */
  readonly stored: WorkUnit | undefined;
  /** The correction in force, and what the rules say instead. */
  readonly correction: (Correction & { readonly insteadOf: Subcategory }) | undefined;
}

/** A unit as the current records and rules derive it. */
export interface DerivedUnit {
  readonly unit: WorkUnit;
  readonly title: string;
  readonly contributions: readonly Contribution[];
}

/**
 * Derives one unit again and explains the result.
 *
 * @param id as `plumbline` and the analytics show it: `<repository id>:<work type>:<number, hash or id>`
 * @returns undefined if the organization has no such unit
 */
export async function explainUnit(resources: CorrectableResources, id: string): Promise<Explanation | undefined> {
  const { orgId, store, corrections } = resources;
  const stored = await store.find(orgId, id);
  // The store searches within the organization only.
  if (stored === undefined) return undefined;
  const derived = await deriveUnit(resources, id);
  if (derived === undefined) return undefined;
  const correction = await corrections.findCorrection(orgId, id);
  if (correction === undefined) return { ...derived, stored, correction: undefined };
  const { subcategory } = derived.unit;
  const unit = asCorrected(derived.unit, new Map([[id, correction.subcategory]]));
  return { ...derived, unit, stored, correction: { ...correction, insteadOf: subcategory } };
}

/**
 * Derives one unit without corrections. The caller has found it, or its correction, in the organization.
 *
 * @returns undefined if there is no record of it
 */
export async function deriveUnit(resources: DerivationResources, id: string): Promise<DerivedUnit | undefined> {
  const parsed = parseUnitId(id);
  if (parsed === undefined) return undefined;
  const { repoId, workType, name } = parsed;
  const context = await repositoryContext(resources, repoId, await resources.records.readProgress(repoId));
  if (context === undefined) return undefined;
  const found: Contribution[] = [];
  const made = await MAKERS[workType](new RecordReader(resources.records, context), context, name, (each) => {
    found.push(each);
  });
  return made === undefined ? undefined : { ...made, contributions: addUp(found) };
}

/** Adds up contributions that differ only in their points, in the order of their first occurrence. */
export function addUp(contributions: readonly Contribution[]): readonly Contribution[] {
  const sums = new Map<string, Contribution>();
  for (const each of contributions) {
    const key = JSON.stringify([each.rule, each.signal, each.match, each.subcategory]);
    sums.set(key, { ...each, points: each.points + (sums.get(key)?.points ?? 0) });
  }
  return [...sums.values()];
}

type Made = { readonly unit: WorkUnit; readonly title: string } | undefined;
type Maker = (
  reader: RecordReader,
  context: RepositoryContext,
  name: string,
  explain: (contribution: Contribution) => void,
) => Promise<Made>;

const MAKERS: Readonly<Record<WorkUnit['workType'], Maker>> = {
  pull_request: async (reader, context, name, explain) => {
    for await (const rows of reader.requests({ kind: 'in', column: 'number', values: [Number(name)] })) {
      const [request] = await reader.requestFacts(rows);
      if (request !== undefined)
        return { unit: requestUnit(context, request, explain), title: textOf(request.row, 'title') };
    }
    return undefined;
  },
  commit: async (reader, context, name, explain) => {
    const [commit] = await reader.commitFacts({ hashes: [name] });
    if (commit === undefined) return undefined;
    return { unit: commitUnit(context, commit, explain), title: titleAndText(commit.message).title };
  },
  deployment: async (reader, context, name, explain) => {
    const row = await onlyRow(reader, 'deployments', DEPLOYMENT_COLUMNS, 'deployment_id', name);
    const unit = row === undefined ? undefined : deploymentUnit(context, row, explain);
    if (row === undefined || unit === undefined) return undefined;
    return { unit, title: `${textOf(row, 'release_ref')} ${textOf(row, 'environment')}`.trim() };
  },
  incident: async (reader, context, name, explain) => {
    const issue = isIssueNumber(name) ? await issueRow(reader, name) : undefined;
    if (issue !== undefined) return madeOfIssue(context, issue, 'incident', explain);
    const row = await onlyRow(reader, 'incidents', INCIDENT_COLUMNS, 'incident_id', name);
    const unit = row === undefined ? undefined : incidentUnit(context, row, explain);
    return row === undefined || unit === undefined ? undefined : { unit, title: textOf(row, 'title') };
  },
  issue: async (reader, context, name, explain) => {
    const row = await issueRow(reader, name);
    return row === undefined ? undefined : madeOfIssue(context, row, 'issue', explain);
  },
};

function issueRow(reader: RecordReader, number: string): Promise<AnyRow | undefined> {
  return onlyRow(reader, 'issues', ISSUE_COLUMNS, 'number', Number(number));
}

/** The unit of an issue, if it is of this type. */
function madeOfIssue(
  context: RepositoryContext,
  row: AnyRow,
  workType: 'issue' | 'incident',
  explain: (contribution: Contribution) => void,
): Made {
  const unit = issueUnit(context, row, explain);
  return unit?.workType === workType ? { unit, title: textOf(row, 'title') } : undefined;
}

async function onlyRow(
  reader: RecordReader,
  table: 'deployments' | 'incidents' | 'issues',
  columns: readonly string[],
  column: string,
  value: string | number,
): Promise<AnyRow | undefined> {
  for await (const rows of reader.rows(table, columns, { kind: 'in', column, values: [value] })) return rows[0];
  return undefined;
}
