import type { Sql } from '../../database/connection.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { after } from '../clock.js';
import type { Random } from '../random.js';
import type { Mail } from './mail.js';

/** A mail ready for the outbox. Its contents are sealed, because they include one-time tokens. */
export interface OutboxEntry {
  readonly id: string;
  readonly kind: Mail['kind'];
  readonly sealed: Buffer;
}

/** A mail that this server has taken from the outbox for delivery. */
export interface DueMail {
  readonly id: string;
  readonly recipient: string;
  readonly createdAt: Date;
  /** Includes this attempt. */
  readonly attempts: number;
  readonly mail: Mail;
}

export function sealMail(mail: Mail, secrets: SecretBox, random: Random): OutboxEntry {
  const id = random.uuid();
  return { id, kind: mail.kind, sealed: secrets.seal(JSON.stringify(mail), contextOf(id)) };
}

/** Adds a mail to the outbox in the transaction that causes it, so that both are stored or neither. */
export async function enqueueMail(sql: Sql, entry: OutboxEntry, recipient: string, now: Date): Promise<void> {
  await sql`
    insert into mail_outbox (id, kind, recipient, payload_sealed, created_at, available_at)
    values (${entry.id}, ${entry.kind}, ${recipient}, ${entry.sealed}, ${now}, ${now})`;
}

/**
 * Takes the mails that are due, oldest first. They remain in the outbox and become due again after `leaseSeconds`, in
 * case this server dies; no two servers hold the same mail.
 */
export async function takeDueMails(
  sql: Sql,
  secrets: SecretBox,
  now: Date,
  leaseSeconds: number,
  limit: number,
): Promise<DueMail[]> {
  const rows = await sql<
    { id: string; recipient: string; created_at: Date; attempts: number; payload_sealed: Uint8Array }[]
  >`
    with taken as (
      update mail_outbox set available_at = ${after(now, leaseSeconds)}, attempts = attempts + 1
      where id in (
        select id from mail_outbox where failed_at is null and available_at <= ${now}
        order by available_at, id limit ${limit} for update skip locked
      )
      returning id, recipient, created_at, attempts, payload_sealed
    )
    select * from taken order by created_at, id`;
  return rows.map(({ id, recipient, created_at: createdAt, attempts, payload_sealed: sealed }) => {
    const mail = JSON.parse(secrets.open(sealed, contextOf(id))) as Mail; // sealed by sealMail, and unchanged since
    return { id, recipient, createdAt, attempts, mail };
  });
}

export async function deleteMail(sql: Sql, id: string): Promise<void> {
  await sql`delete from mail_outbox where id = ${id}`;
}

/** Records a failed attempt. @param retryAt when to retry; null: never */
export async function noteMailFailure(
  sql: Sql,
  id: string,
  error: string,
  now: Date,
  retryAt: Date | null,
): Promise<void> {
  await sql`
    update mail_outbox set last_error = ${error}, available_at = ${retryAt ?? now}, failed_at = ${retryAt === null ? now : null}
    where id = ${id}`;
}

function contextOf(id: string): string {
  return `mail:${id}`;
}
