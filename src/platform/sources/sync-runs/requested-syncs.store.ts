import type { PendingQuery, Row } from 'postgres';
import type { Sql } from '../../../database/connection.js';
import { isMarked } from '../../tenancy/deletion/deletions.store.js';

/** Identifies a sync configuration; both must match. */
export interface SyncConfigKey {
  readonly orgId: string;
  readonly configId: string;
}

/** A configuration whose runs may read a repository of a code host. */
export interface CoveringConfig {
  readonly id: string;
  readonly org_id: string;
  /** Names and patterns, those to leave out with `!` before them. */
  readonly repositories: readonly string[];
}

/** The active configurations of an organization that read from the code host at a base URL. */
export async function selectConfigsOfHost(sql: Sql, orgId: string, baseUrl: string | null): Promise<CoveringConfig[]> {
  return sql<CoveringConfig[]>`
    select c.id, c.org_id, c.repositories from sync_configs c
    join integrations i on i.org_id = c.org_id and i.id = c.integration_id
    where c.org_id = ${orgId} and c.is_active and c.provider = 'host_a' and i.is_active
      and i.base_url is not distinct from ${baseUrl}`;
}

/**
 * The active configurations of all organizations that read from the GitLab at an address. Users write base URLs with and
 * without the path of the API.
 *
 * @param url without a trailing slash
 */
export async function selectConfigsOfGitlab(sql: Sql, url: string): Promise<CoveringConfig[]> {
  return sql<CoveringConfig[]>`
    select c.id, c.org_id, c.repositories from sync_configs c
    join integrations i on i.org_id = c.org_id and i.id = c.integration_id
    where c.is_active and c.provider = 'host_b' and i.is_active and not ${isMarked(sql, 'c.org_id')}
      and regexp_replace(coalesce(i.base_url, 'https://gitlab.com'), '(/api/v4)?/*$', '') = ${url}`;
}

/** Requests a sync of repositories. Requests of the same repository are one until a run includes it. */
export async function requestSync(
  sql: Sql,
  { orgId, configId }: SyncConfigKey,
  repositories: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    insert into requested_syncs (org_id, sync_config_id, repository, requested_at)
    select ${orgId}, ${configId}, unnest(${sql.typed.texts(repositories)}::text[]), ${now} on conflict do nothing`;
}

/** The condition that the run `r` reads everything that its configuration `c` selects. Runs of older releases have no list. */
export function readsAll(sql: Sql): PendingQuery<Row[]> {
  return sql`(r.repositories is null or r.repositories @> c.repositories)`;
}

/**
 * Requests a sync of everything that a configuration selects, if its active run reads less: the repositories that have
 * changed at the code host.
 */
export async function requestWholeSync(sql: Sql, { orgId, configId }: SyncConfigKey, now: Date): Promise<void> {
  await sql`
    insert into requested_syncs (org_id, sync_config_id, repository, requested_at)
    select c.org_id, c.id, unnest(c.repositories), ${now}
    from sync_configs c join sync_runs r on r.org_id = c.org_id and r.sync_config_id = c.id
    where c.org_id = ${orgId} and c.id = ${configId} and r.status in ('pending', 'running')
      and not ${readsAll(sql)}
    on conflict do nothing`;
}

/** The configurations with requests that a new run, or one that has not begun, can serve. */
export async function selectRequested(sql: Sql): Promise<SyncConfigKey[]> {
  return sql<SyncConfigKey[]>`
    select distinct r.org_id as "orgId", r.sync_config_id as "configId" from requested_syncs r
    where not ${isMarked(sql, 'r.org_id')} and not exists (
      select 1 from sync_runs s
      where s.org_id = r.org_id and s.sync_config_id = r.sync_config_id and s.status in ('pending', 'running')
        and s.started_at is not null)`;
}

/** Removes the requests of a configuration. @returns their repositories */
export async function takeRequestedSyncs(sql: Sql, { orgId, configId }: SyncConfigKey): Promise<string[]> {
  const rows = await sql<{ repository: string }[]>`
    delete from requested_syncs where org_id = ${orgId} and sync_config_id = ${configId} returning repository`;
  return rows.map(({ repository }) => repository).sort();
}

/**
 * Adds the requested repositories to a run that has not begun, unless it reads all of its configuration anyway.
 *
 * @returns false when there is no such run
 */
export async function addToPendingRun(sql: Sql, { orgId, configId }: SyncConfigKey): Promise<boolean> {
  const [run] = await sql<{ id: string; is_whole: boolean }[]>`
    select r.id, ${readsAll(sql)} as is_whole
    from sync_runs r join sync_configs c on c.org_id = r.org_id and c.id = r.sync_config_id
    where r.org_id = ${orgId} and r.sync_config_id = ${configId} and r.status = 'pending' and r.started_at is null
    for update of r`;
  if (run === undefined) return false;
  const requested = await takeRequestedSyncs(sql, { orgId, configId });
  if (!run.is_whole) {
    await sql`
      update sync_runs
      set repositories = array(select distinct unnest(repositories || ${sql.typed.texts(requested)}) order by 1)
      where org_id = ${orgId} and id = ${run.id}`;
  }
  return true;
}
