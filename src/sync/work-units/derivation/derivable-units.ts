/** Reads the records of single units, for explanations and for what other rules would change. */
import type { WorkType } from '../../../analytics/vocabulary.js';
import type { WorkUnit } from '../../../analytics/work-unit.js';
import type { AnyRow } from '../../records.js';
import type { Contribution } from '../classify/classifier.js';
import { numberOf, textOf } from '../row-values.js';
import type { Where } from './database/records.js';
import { commitUnit, deploymentUnit, incidentUnit, issueUnit, requestUnit, titleAndText, unitId } from './derive.js';
import { isIssueNumber } from './failure-signs.js';
import { DEPLOYMENT_COLUMNS, INCIDENT_COLUMNS, ISSUE_COLUMNS, type RecordReader } from './read.js';

/** A unit whose records are read. */
export interface DerivableUnit {
  readonly id: string;
  /** The title for display. */
  readonly title: string;
  /** Derives the unit by the context of the reader; undefined: its records make no unit of this type. */
  derive(explain?: (contribution: Contribution) => void): WorkUnit | undefined;
}

/**
 * Reads units of one repository, in any order. Those without a record are omitted.
 *
 * @param names the last parts of their ids: numbers, hashes or ids; at most 1,000
 */
export function derivableUnits(
  reader: RecordReader,
  workType: WorkType,
  names: readonly string[],
): AsyncGenerator<DerivableUnit> {
  return READERS[workType](reader, names);
}

type Reader = (reader: RecordReader, names: readonly string[]) => AsyncGenerator<DerivableUnit>;

const READERS: Readonly<Record<WorkType, Reader>> = {
  pull_request: async function* (reader, names) {
    const { context } = reader;
    for await (const rows of reader.requests(isAmong('number', numbersIn(names)))) {
      for (const request of await reader.requestFacts(rows)) {
        yield {
          id: unitId(context.repoId, 'pull_request', numberOf(request.row, 'number')),
          title: textOf(request.row, 'title'),
          derive: (explain) => requestUnit(context, request, explain),
        };
      }
    }
  },
  commit: async function* (reader, names) {
    const { context } = reader;
    for (const commit of await reader.commitFacts({ hashes: names })) {
      yield {
        id: unitId(context.repoId, 'commit', commit.hash),
        title: titleAndText(commit.message).title,
        derive: (explain) => commitUnit(context, commit, explain),
      };
    }
  },
  deployment: async function* (reader, names) {
    const { context } = reader;
    for await (const rows of reader.rows('deployments', DEPLOYMENT_COLUMNS, isAmong('deployment_id', names))) {
      for (const row of rows) {
        yield {
          id: unitId(context.repoId, 'deployment', textOf(row, 'deployment_id')),
          title: `${textOf(row, 'release_ref')} ${textOf(row, 'environment')}`.trim(),
          derive: (explain) => deploymentUnit(context, row, explain),
        };
      }
    }
  },
  incident: async function* (reader, names) {
    const { context } = reader;
    const others = new Set(names);
    const numbers = names.filter(isIssueNumber);
    if (numbers.length > 0) {
      for await (const issue of issues(reader, 'incident', numbers)) {
        others.delete(issue.name);
        yield issue.unit;
      }
    }
    if (others.size === 0) return;
    for await (const rows of reader.rows('incidents', INCIDENT_COLUMNS, isAmong('incident_id', [...others]))) {
      for (const row of rows) {
        yield {
          id: unitId(context.repoId, 'incident', textOf(row, 'incident_id')),
          title: textOf(row, 'title'),
          derive: (explain) => incidentUnit(context, row, explain),
        };
      }
    }
  },
  issue: async function* (reader, names) {
    for await (const { unit } of issues(reader, 'issue', names)) yield unit;
  },
};

/** The units of issues, which are incidents or issues. */
async function* issues(
  reader: RecordReader,
  workType: 'issue' | 'incident',
  numbers: readonly string[],
): AsyncGenerator<{ readonly name: string; readonly unit: DerivableUnit }> {
  for await (const rows of reader.rows('issues', ISSUE_COLUMNS, isAmong('number', numbersIn(numbers)))) {
    for (const row of rows) {
      const name = String(numberOf(row, 'number'));
      yield { name, unit: issueOf(reader, workType, row, name) };
    }
  }
}

function issueOf({ context }: RecordReader, workType: 'issue' | 'incident', row: AnyRow, name: string): DerivableUnit {
  return {
    id: unitId(context.repoId, workType, name),
    title: textOf(row, 'title'),
    derive: (explain) => {
      const unit = issueUnit(context, row, explain);
      return unit?.workType === workType ? unit : undefined;
    },
  };
}

function isAmong(column: string, values: readonly (string | number)[]): Where {
  return { kind: 'in', column, values };
}

function numbersIn(names: readonly string[]): readonly number[] {
  return names.map(Number).filter(Number.isSafeInteger);
}
