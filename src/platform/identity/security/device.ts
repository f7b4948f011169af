import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import { addressOf } from '../../tenancy/audit/audit.store.js';

/** Most programs call themselves by the names of others, too, which come later in this list. */
const programs = ['Edg', 'OPR', 'Firefox', 'Chrome', 'Safari', 'plumbline', 'curl', 'node'] as const;
const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'CrOS', 'Linux'] as const;

/** The devices of a user that are remembered. */
const mostDevices = 50;

/**
 * The kind of program that sent a request, without its version: `Firefox on Linux`. It consists of words of this list
 * only, because it is written in mails, and callers choose the header.
 */
export function programOf(userAgent: string | null): string {
  const named = (words: readonly string[]): string | undefined => words.find((word) => userAgent?.includes(word));
  const [program, system] = [named(programs) ?? 'another program', named(systems)];
  return system === undefined ? program : `${program} on ${system}`;
}

/**
 * Remembers from where a user has logged in: the kind of program, and the network of the address (/16 of IPv4, /32 of
 * IPv6, which is about a provider). The lock of the user is held.
 *
 * @returns whether the user has logged in before, but never from there
 */
export async function isNewDevice(
  sql: Sql,
  userId: string,
  context: Pick<RequestContext, 'clientIp' | 'userAgent'>,
  now: Date,
): Promise<boolean> {
  const [device] = await sql<{ is_new: boolean; others: number }[]>`
    insert into known_devices as known (user_id, program, network, seen_at)
    select ${userId}, ${programOf(context.userAgent)},
      coalesce(network(set_masklen(ip, case family(ip) when 4 then 16 else 32 end))::text, 'unknown'), ${now}
    from (select ${addressOf(context)}::inet as ip) as origin
    on conflict (user_id, program, network) do update set seen_at = excluded.seen_at
    returning xmax = 0 as is_new,
      (select count(*)::int from known_devices other where other.user_id = known.user_id) as others`;
  if (device?.is_new !== true) return false;
  if (device.others >= mostDevices) {
    await sql`
      delete from known_devices where user_id = ${userId} and (program, network) in (
        select program, network from known_devices where user_id = ${userId} order by seen_at desc offset ${mostDevices}
      )`;
  }
  return device.others > 0;
}
