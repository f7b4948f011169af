/**
 * The views of SQL.md in ClickHouse, and the rights of a reader.
 *
 * A view has the rights of the user that reads it, whose row policies apply to the tables below. So a reader has a right
 * on each column that a view uses, and reads the same rows there. Views that would need more are not made: full messages
 * of commits, names of reviewers, members of teams.
 */
import { createHash } from 'node:crypto';
import { ADDED_DIMENSIONS, PHASE_COLUMNS } from '../store/rows.js';
import type { NewReader } from './readers.js';
import type { View } from './view-columns.js';
import { SQL_SCHEMA, VIEWS } from './views.js';

const RECORD = ['repo_id'] as const;

/** The columns that the views use, by table. A test compares them with what a reader without other rights can read. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  work_units: [
    ...['id', 'day', 'work_type', 'repo', 'team', 'author', 'theme', 'subcategory', 'churn', 'cycle_ms'],
    ...['share_theme', 'share_subcategory', 'share_weight', 'started_at', 'completed_at'],
    ...[...PHASE_COLUMNS, 'change_failed', 'opened_ms', 'closed_ms', ...ADDED_DIMENSIONS],
  ],
  repos: ['id', 'repo', 'url', 'default_branch', 'created_at'],
  git_pull_requests: [
    ...[...RECORD, 'number', 'title', 'state', 'base_branch', 'labels', 'created_at', 'updated_at', 'merged_at'],
    ...['closed_at', 'first_commit_at', 'first_review_at', 'first_comment_at', 'additions', 'deletions'],
    ...['changed_files', 'reviews_count', 'changes_requested_count', 'comments_count'],
  ],
  git_commits: [...RECORD, 'hash', 'author_when', 'committer_when', 'parents'],
  git_commit_stats: [...RECORD, 'commit_hash', 'additions', 'deletions'],
  issues: [
    ...[...RECORD, 'number', 'title', 'kind', 'state', 'state_reason', 'severity', 'labels', 'created_at'],
    ...['updated_at', 'closed_at'],
  ],
  deployments: [
    ...[...RECORD, 'deployment_id', 'environment', 'tier', 'status', 'release_ref', 'commit_hash', 'committed_at'],
    ...['started_at', 'finished_at', 'deployed_at'],
  ],
  incidents: [...RECORD, 'incident_id', 'title', 'status', 'severity', 'labels', 'started_at', 'resolved_at'],
  ci_pipeline_runs: [...RECORD, 'run_id', 'status', 'queued_at', 'started_at', 'finished_at'],
};

/** The tables that have a policy for each reader. */
export const CLICKHOUSE_TABLES: readonly string[] = Object.keys(COLUMNS);

/** The views that ClickHouse has. */
export const CLICKHOUSE_VIEWS: readonly View[] = VIEWS.filter(({ from }) => from.clickhouse !== null);

/** The statements that create the views, or replace them. @param database the one with the tables */
export function createViews(database: string): readonly string[] {
  return [
    `create database if not exists ${SQL_SCHEMA}`,
    ...CLICKHOUSE_VIEWS.map(({ name, columns, from }) => {
      const expressions = columns.flatMap((column) =>
        column.clickhouse === null ? [] : [`${column.clickhouse ?? column.postgres} as ${column.name}`],
      );
      // A record without a unit has nulls, and not empty texts.
      return (
        `create or replace view ${SQL_SCHEMA}.${name} sql security invoker as select ${expressions.join(', ')} ` +
        `from ${qualified(from.clickhouse ?? '', database)} settings join_use_nulls = 1`
      );
    }),
  ];
}

/** The statement that creates a user. It contains no password. */
export function createUser(role: string, { password, connections, timeoutSeconds }: NewReader): string {
  return `create user ${identifier(role)} ${accessOf({ password, connections, timeoutSeconds })}`;
}

export function alterUser(role: string, reader: NewReader): string {
  return `alter user ${identifier(role)} ${accessOf(reader)}`;
}

function accessOf({ password, connections, timeoutSeconds }: NewReader): string {
  const hash = createHash('sha256').update(password).digest('hex');
  // With 2, a reader changes settings other than this one, as Grafana does, within these limits.
  return (
    `identified with sha256_hash by '${hash}' settings readonly = 2, ` +
    `max_execution_time = ${timeoutSeconds} min 1 max ${timeoutSeconds}, ` +
    `max_concurrent_queries_for_user = ${connections} min 1 max ${connections}`
  );
}

/** The policies of a reader, which come before its rights. */
export function policiesOf(role: string, orgId: string, database: string): readonly string[] {
  const condition = `org_id = ${literal(orgId)}`;
  return CLICKHOUSE_TABLES.flatMap((table) => [
    `create row policy or replace ${POLICY}${role} on ${identifier(database)}.${table} for select using ${condition} ` +
      `to ${identifier(role)}`,
    // A policy of an administrator for all users would add rows; a restrictive one does not let it.
    `create row policy or replace ${LIMIT}${role} on ${identifier(database)}.${table} for select ` +
      `using ${condition} as restrictive to ${identifier(role)}`,
  ]);
}

/**
 * The policies of all other users, Plumbline among them. Without one they would see no rows on a server whose
 * configuration says so (`users_without_row_policies_can_read_rows`).
 */
export function policiesOfOthers(readers: readonly string[], database: string): readonly string[] {
  return CLICKHOUSE_TABLES.map((table) =>
    readers.length === 0
      ? `drop row policy if exists ${OTHERS} on ${identifier(database)}.${table}`
      : `create row policy or replace ${OTHERS} on ${identifier(database)}.${table} for select using 1 ` +
        `to all except ${readers.map(identifier).join(', ')}`,
  );
}

/** The policy of a reader, by which readers are listed, has this and its name. */
export const POLICY = 'plumbline_reader_';
const LIMIT = 'plumbline_limit_';
const OTHERS = 'plumbline_others';

export function grantsOf(role: string, database: string): readonly string[] {
  return [
    ...Object.entries(COLUMNS).map(
      ([table, columns]) =>
        `grant select(${columns.join(', ')}) on ${identifier(database)}.${table} to ${identifier(role)}`,
    ),
    `grant select on ${SQL_SCHEMA}.* to ${identifier(role)}`,
  ];
}

export function dropStatements(role: string, database: string): readonly string[] {
  return [
    // Without the user nobody reads by the policies.
    `drop user if exists ${identifier(role)}`,
    ...CLICKHOUSE_TABLES.flatMap((table) =>
      [POLICY, LIMIT].map((prefix) => `drop row policy if exists ${prefix}${role} on ${identifier(database)}.${table}`),
    ),
  ];
}

/** Names the database of each table. */
function qualified(from: string, database: string): string {
  return CLICKHOUSE_TABLES.reduce(
    (text, table) => text.replaceAll(new RegExp(`\\b${table} (?=final|as )`, 'g'), `${identifier(database)}.${table} `),
    from,
  );
}

export function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
