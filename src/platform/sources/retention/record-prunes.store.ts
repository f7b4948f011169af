import type { Sql } from '../../../database/connection.js';
import { after } from '../../clock.js';

/** Once a day begins another day that is no longer kept. */
const intervalSeconds = 86_400;

/** Requests to remove the old records of each organization for which that was not done for a day. */
export async function requestRecordPrunes(sql: Sql, now: Date): Promise<void> {
  await sql`
    insert into store_tasks (org_id, kind, requested_at, available_at)
    select id, 'prune_records', ${now}, ${now} from organizations
    where not exists (
      select 1 from record_prunes where org_id = organizations.id and pruned_at > ${after(now, -intervalSeconds)})
    on conflict (org_id, kind) do nothing`;
}

/** Stores that the old records of an organization were removed. It may have been deleted meanwhile. */
export async function storeRecordPrune(sql: Sql, orgId: string, now: Date): Promise<void> {
  await sql`
    insert into record_prunes (org_id, pruned_at) select id, ${now} from organizations where id = ${orgId}
    on conflict (org_id) do update set pruned_at = excluded.pruned_at`;
}
