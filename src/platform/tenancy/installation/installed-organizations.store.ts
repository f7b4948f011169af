import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';
import type { Position } from '../../server/paging.js';
import { deletionOf } from '../deletion/deletions.store.js';

/** The contract's `InstalledOrganization`, except for its times. */
export type InstalledOrganizationRow = Omit<Schemas['InstalledOrganization'], 'created_at' | 'deletion'> & {
  readonly created_at: Date;
  /** Null with `due_at`: it is not marked. */
  readonly requested_at: Date | null;
  readonly requested_by: string | null;
  readonly due_at: Date | null;
};

/** Absent filters match everything. */
export interface OrganizationFilters {
  /** A part of the name in any case, or the id. */
  readonly search?: string | undefined;
  readonly state?: 'active' | 'marked' | undefined;
}

/** The organizations of the installation that match all filters, the newest first. */
export async function selectOrganizations(
  sql: Sql,
  { search, state }: OrganizationFilters,
  position: Position | null,
  limit: number,
): Promise<InstalledOrganizationRow[]> {
  return sql<InstalledOrganizationRow[]>`
    select o.id, o.name, o.created_at, d.requested_at, d.requested_by, d.due_at,
      (select count(*)::int from memberships m where m.org_id = o.id) as members,
      (select coalesce(jsonb_agg(to_jsonb(owner)), '[]') from (
        select u.id as user_id, u.email, u.full_name from memberships m join users u on u.id = m.user_id
        where m.org_id = o.id and m.role = 'owner' order by m.joined_at, u.id limit 100
      ) owner) as owners
    from organizations o left join organization_deletions d on d.org_id = o.id
    where true
      ${search === undefined ? sql`` : sql`and (strpos(lower(o.name), lower(${search})) > 0 or o.id::text = lower(${search}))`}
      ${state === undefined ? sql`` : sql`and (d.org_id is not null) = ${state === 'marked'}`}
      ${position === null ? sql`` : sql`and (o.created_at, o.id) < (${position.at}, ${position.id})`}
    order by o.created_at desc, o.id desc limit ${limit}`;
}

/** The contract's `InstalledOrganization`. */
export function installedOrganizationOf(row: InstalledOrganizationRow): Schemas['InstalledOrganization'] {
  const { created_at: createdAt, requested_at, requested_by, due_at, ...rest } = row;
  const deletion = requested_at === null || due_at === null ? null : deletionOf({ requested_at, requested_by, due_at });
  return { ...rest, created_at: createdAt.toISOString(), deletion };
}
