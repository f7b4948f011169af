import type { Sql } from '../../src/database/connection.js';
import type { JsonReply, TestPlatform, TestUser } from './platform.js';

/** Sends a request that has to wait for the lock of the user, and changes something before it gets it. */
export async function overtake(
  { database }: TestPlatform,
  { userId }: TestUser,
  send: () => Promise<JsonReply>,
  change: (sql: Sql) => Promise<unknown>,
): Promise<JsonReply> {
  let reply: Promise<JsonReply> | undefined;
  await database.sql.begin(async (sql) => {
    await sql`select 1 from users where id = ${userId} for update`;
    reply = send();
    const waiting = async (): Promise<readonly unknown[]> => database.sql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event in ('tuple', 'transactionid')`;
    while ((await waiting()).length === 0);
    await change(sql);
  });
  if (reply === undefined) throw new Error('nothing was sent');
  return reply;
}
