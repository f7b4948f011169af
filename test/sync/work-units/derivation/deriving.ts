/** What the tests of work units share: rows with defaults, syncs that store them, and units kept in memory. */
import { randomUUID } from 'node:crypto';
import type { WorkUnit, WorkUnitChange, UnitStore } from '../../../../src/analytics/work-unit.js';
import type { AnyRow, JsonValue, TableName } from '../../../../src/sync/records.js';
import { tableNamed } from '../../../../src/sync/records.js';
import type { Sink, SinkPage } from '../../../../src/sync/sinks/sink.js';
import type { ProviderName } from '../../../../src/sync/providers/registry.js';
import type { Target } from '../../../../src/sync/targets.js';
import { createClassifier } from '../../../../src/sync/work-units/classify/classifier.js';
import type { Classifier } from '../../../../src/sync/work-units/classify/classifier.js';
import { loadRules } from '../../../../src/sync/work-units/classify/rules.js';
import type { DerivationResources } from '../../../../src/sync/work-units/derivation/resources.js';
import { beginDerivation } from '../../../../src/sync/work-units/derivation/derivation.js';
import { createTeamAssigner, type TeamAssigner } from '../../../../src/sync/work-units/teams/assign.js';
import { atOnce } from '../../../../src/contract/system/slices.js';
import { NOW } from '../../harness.js';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const ORG = 'acme';

/** The same as `createTeamAssigner`, at once. */
export const teamAssigner = (...given: Parameters<typeof createTeamAssigner>): TeamAssigner =>
  atOnce(createTeamAssigner(...given));

export const classifier: Classifier = createClassifier(await loadRules());

export type Changes = Readonly<Record<string, JsonValue>>;

export function commitRow(hash: string, changes: Changes = {}): AnyRow {
  return {
    hash,
    message: 'feat: add a thing',
    author_name: 'Ada',
    author_email: 'ada@example.com',
    author_when: NOW - 5 * HOUR,
    committer_name: 'Ada',
    committer_email: 'ada@example.com',
    committer_when: NOW - 4 * HOUR,
    parents: 1,
    ...changes,
  };
}

export function statsRow(hash: string, path: string, changes: Changes = {}): AnyRow {
  return {
    commit_hash: hash,
    file_path: path,
    old_path: null,
    additions: 3,
    deletions: 2,
    old_file_mode: null,
    new_file_mode: null,
    ...changes,
  };
}

export function requestRow(number: number, changes: Changes = {}): AnyRow {
  return {
    number,
    title: 'fix: mend a thing',
    body: null,
    state: 'merged',
    author_name: 'grace',
    author_email: null,
    created_at: NOW - 2 * DAY,
    updated_at: NOW - DAY,
    merged_at: NOW - DAY,
    closed_at: NOW - DAY,
    head_branch: 'mend',
    base_branch: 'main',
    head_hash: null,
    merge_hash: null,
    commit_hashes: [],
    labels: [],
    additions: null,
    deletions: null,
    changed_files: null,
    first_commit_at: null,
    first_review_at: null,
    first_comment_at: null,
    changes_requested_count: 0,
    reviews_count: 0,
    comments_count: 0,
    evidence: null,
    notes_read: null,
    ...changes,
  };
}

export function reviewRow(number: number, changes: Changes = {}): AnyRow {
  return { number, review_id: '1', reviewer: 'linus', state: 'APPROVED', submitted_at: NOW - DAY, ...changes };
}

export function deploymentRow(id: string, changes: Changes = {}): AnyRow {
  return {
    deployment_id: id,
    status: 'success',
    environment: 'production',
    author_name: 'grace',
    started_at: NOW - 3 * HOUR,
    finished_at: NOW - 2 * HOUR,
    deployed_at: NOW - 2 * HOUR,
    merged_at: null,
    pull_request_number: null,
    release_ref: 'main',
    commit_hash: null,
    committed_at: null,
    ...changes,
  };
}

export function incidentRow(id: string, changes: Changes = {}): AnyRow {
  return {
    incident_id: id,
    title: 'Logins fail',
    status: 'closed',
    author_name: 'grace',
    labels: ['incident'],
    started_at: NOW - 3 * HOUR,
    resolved_at: NOW - HOUR,
    ...changes,
  };
}

export function issueRow(number: number, changes: Changes = {}): AnyRow {
  return {
    number,
    title: 'Search finds nothing',
    body: null,
    kind: 'issue',
    state: 'closed',
    state_reason: 'completed',
    author_name: 'grace',
    labels: ['bug'],
    created_at: NOW - 3 * DAY,
    updated_at: NOW - HOUR,
    closed_at: NOW - HOUR,
    closing_requests: [],
    ...changes,
  };
}

/** Units in memory; writes fail on request, as in a process that is killed. */
export class MemoryStore implements UnitStore {
  readonly units = new Map<string, WorkUnit>();
  /** Called in front of every change. */
  beforeApply: () => void = () => {};

  ensureSchema(): Promise<void> {
    return Promise.resolve();
  }
  apply({ units, removed }: WorkUnitChange): Promise<void> {
    return new Promise((resolve) => {
      this.beforeApply();
      for (const unit of units) this.units.set(unit.id, unit);
      for (const id of removed) this.units.delete(id);
      resolve();
    });
  }
  async *scan(_orgId: string, repoId: string): AsyncGenerator<readonly WorkUnit[]> {
    yield await Promise.resolve(this.of(repoId));
  }
  find(_orgId: string, id: string): Promise<WorkUnit | undefined> {
    return Promise.resolve(this.units.get(id));
  }
  close(): Promise<void> {
    return Promise.resolve();
  }
  /** The units of a repository in order of id. */
  of(repoId: string): WorkUnit[] {
    return [...this.units.values()]
      .filter(({ id }) => id.startsWith(`${repoId}:`))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** Work units of the records in a sink; its tables for the derivation are created. */
export async function resourcesOn(
  sink: Sink,
  store: UnitStore,
  changes: Partial<DerivationResources> = {},
): Promise<DerivationResources> {
  const { derivation } = sink;
  if (derivation === undefined) throw new Error(`Nothing is derived on ${sink.kind}`);
  await derivation.ensureSchema();
  await store.ensureSchema();
  return {
    orgId: ORG,
    sink,
    records: derivation,
    store,
    classifier,
    dependencies: {
      now: () => NOW,
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
      signal: new AbortController().signal,
    },
    ...changes,
  };
}

export interface StoredSync {
  readonly repoId: string;
  /** ORG where it is not given. */
  readonly orgId?: string;
  readonly target: Target;
  readonly source?: ProviderName;
  readonly records: Partial<Record<TableName, readonly AnyRow[]>>;
  /** When the rows are stored; NOW where it is not given. */
  readonly at?: number;
  readonly codeowners?: string | null | undefined;
  /** Whether commits come with their statistics: then their units are made while they are stored. */
  readonly isInOrder?: boolean;
}

/** Stores the records as a sync does, and derives their units. */
export async function syncAndDerive(resources: DerivationResources, sync: StoredSync): Promise<number> {
  const at = sync.at ?? NOW;
  const derived = await beginDerivation(
    { ...resources, dependencies: { ...resources.dependencies, now: () => at } },
    keyOf(sync),
    { codeowners: sync.codeowners, isInOrder: sync.isInOrder === true },
  );
  try {
    const pages = sync.isInOrder === true ? inPages(sync.records) : [sync.records];
    let revision = '';
    for (const records of pages) {
      const page = pageOf({ ...sync, records, at: Math.max(derived.since, at) });
      await resources.sink.apply(page);
      await derived.stored(page);
      ({ revision } = page.state);
    }
    return await derived.finish(revision);
  } finally {
    await derived.close();
  }
}

/** A page for each row: the statistics of a commit go on in the pages behind its own. */
function inPages(records: StoredSync['records']): readonly StoredSync['records'][] {
  const statistics = records.git_commit_stats ?? [];
  const pages = (records.git_commits ?? []).flatMap((commit): StoredSync['records'][] => [
    { git_commits: [commit] },
    ...statistics
      .filter((stats) => stats['commit_hash'] === commit['hash'])
      .map((stats) => ({ git_commit_stats: [stats] })),
  ]);
  return pages.length === 0 ? [{}] : pages;
}

/** Stores the records and derives nothing, as a sync that is killed does. */
export async function store(sink: Sink, sync: StoredSync): Promise<void> {
  await sink.apply(pageOf(sync));
}

function pageOf(sync: StoredSync): SinkPage {
  const everywhere = { org_id: sync.orgId ?? ORG, source: sync.source ?? 'host_a', last_synced: sync.at ?? NOW };
  const repository = {
    id: sync.repoId,
    repo: 'acme/shop',
    ref: 'main',
    url: null,
    default_branch: 'main',
    created_at: null,
  };
  return {
    key: keyOf(sync),
    tables: [
      { table: tableNamed('repos'), rows: [{ ...repository, settings: {}, tags: [], ...everywhere }] },
      ...Object.entries(sync.records).map(([name, rows]) => ({
        // Object.entries widens the names of the tables to string.
        table: tableNamed(name as TableName),
        rows: rows.map((row) => ({ repo_id: sync.repoId, ...row, ...everywhere })),
      })),
    ],
    blameLengths: [],
    state: { revision: randomUUID(), request: '{}', position: null, done: true },
  };
}

function keyOf({ repoId, target, source }: StoredSync): { repoId: string; target: Target; source: ProviderName } {
  return { repoId, target, source: source ?? 'host_a' };
}
