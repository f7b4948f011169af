/**
 * What shows that a deployment failed: incidents, and the requests that an organization names as repairs. An issue can be
 * a record of the target `issues` and of `incidents`, which hosts limit to what they call an incident. The record of
 * `issues` decides where there is one: it also shows an issue that has ceased to be an incident.
 */
import type { AnyRow, TableName } from '../../records.js';
import type { ReportedIssue } from '../classify/incidents.js';
import type { DeliveryRules } from '../classify/delivery-rules.js';
import { numberOf, textOf, textOrNull, textsOf } from '../row-values.js';
import type { Where } from './database/records.js';
import { mergedAt } from './request-facts.js';

/** The columns of each kind of record that this file reads. */
export const SIGN_COLUMNS = {
  incidents: ['incident_id', 'title', 'labels', 'severity', 'started_at'],
  issues: ['number', 'kind', 'title', 'labels', 'severity', 'created_at'],
  git_pull_requests: ['number', 'title', 'labels', 'head_branch', 'state', 'merged_at', 'closed_at', 'created_at'],
} as const satisfies Partial<Record<TableName, readonly string[]>>;

/** Reads rows of a table, in batches. */
type ReadRows = (table: TableName, columns: readonly string[], where: Where) => AsyncIterable<readonly AnyRow[]>;

/** The times of all signs in the records of a repository, in epoch milliseconds. */
export async function failureSigns(read: ReadRows, { incidents, repairs }: DeliveryRules): Promise<readonly number[]> {
  const begins = new Map<string, number>();
  for await (const rows of read('incidents', SIGN_COLUMNS.incidents, { kind: 'all' }))
    for (const row of rows)
      if (incidents.includes(reportedIncident(row)))
        begins.set(textOf(row, 'incident_id'), numberOf(row, 'started_at'));
  for await (const rows of read('issues', SIGN_COLUMNS.issues, { kind: 'all' }))
    for (const row of rows) {
      const id = String(numberOf(row, 'number'));
      if (incidents.includes(reportedIssue(row))) begins.set(id, numberOf(row, 'created_at'));
      else begins.delete(id);
    }
  const signs = [...begins.values()];
  if (!repairs.countRequests) return signs;
  for await (const rows of read('git_pull_requests', SIGN_COLUMNS.git_pull_requests, { kind: 'all' }))
    for (const row of rows) if (isRepair(row, { repairs })) signs.push(numberOf(row, 'created_at'));
  return signs;
}

function isRepair(row: AnyRow, { repairs }: Pick<DeliveryRules, 'repairs'>): boolean {
  if (mergedAt(row) === null) return false;
  const request = {
    title: textOf(row, 'title'),
    labels: textsOf(row, 'labels'),
    branch: textOrNull(row, 'head_branch'),
  };
  return repairs.includes(request);
}

/** Whether the id of an incident can be the number of an issue. */
export function isIssueNumber(id: string): boolean {
  return /^\d{1,15}$/.test(id);
}

/** @param row of the table `incidents` */
export function reportedIncident(row: AnyRow): ReportedIssue {
  return { ...factsOf(row), type: 'incident' };
}

/** @param row of the table `issues` */
export function reportedIssue(row: AnyRow): ReportedIssue {
  return { ...factsOf(row), type: textOf(row, 'kind') };
}

function factsOf(row: AnyRow): Omit<ReportedIssue, 'type'> {
  return { title: textOf(row, 'title'), labels: textsOf(row, 'labels'), severity: textOrNull(row, 'severity') };
}
