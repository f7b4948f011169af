import { domainOfAddress } from '@plumbline/contract/email-address';
import type { Sql } from '../../../database/connection.js';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import { after } from '../../clock.js';
import type { Random } from '../../random.js';
import { mailKinds, type Mail } from './mail.js';

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
  readonly kind: string;
  readonly sealed: Uint8Array;
}

/** @throws Error if it cannot be opened */
export function openMail({ id, sealed }: DueMail, secrets: SecretBox): Mail {
  let text: string;
  try {
    text = secrets.open(sealed, mailContext(id));
  } catch (error) {
    throw new Error('The mail cannot be decrypted.', { cause: error });
  }
  return JSON.parse(text) as Mail; // sealed by sealMail, and unchanged since
}

export function sealMail(mail: Mail, secrets: SecretBox, random: Random): OutboxEntry {
  const id = random.uuid();
  return { id, kind: mail.kind, sealed: secrets.seal(JSON.stringify(mail), mailContext(id)) };
}

/** Adds a mail to the outbox in the transaction that causes it, so that both are stored or neither. */
export async function enqueueMail(sql: Sql, entry: OutboxEntry, recipient: string, now: Date): Promise<void> {
  await sql`
    insert into outgoing_mails (id, kind, recipient, payload_sealed, created_at, available_at)
    values (${entry.id}, ${entry.kind}, ${recipient}, ${entry.sealed}, ${now}, ${now})`;
}

/** Recipients and domains to which no mail is taken. */
export interface BusyRecipients {
  readonly recipients: readonly string[];
  readonly domains: readonly string[];
}

/** The domain of an address, in lower case. */
export function domainOf(recipient: string): string {
  return domainOfAddress(recipient).toLowerCase();
}

/**
 * Takes the mail that has been due for the longest time. It remains in the outbox and becomes due again after
 * `leaseSeconds`, in case this server dies; no two servers hold the same mail. Mails of kinds that this release does not
 * know wait for a server that knows them. Servers of the release before read the view `mail_outbox` for the same reason.
 */
export async function takeDueMail(
  sql: Sql,
  now: Date,
  leaseSeconds: number,
  busy: BusyRecipients,
): Promise<DueMail | undefined> {
  const [due] = await sql<DueMail[]>`
    update outgoing_mails set available_at = ${after(now, leaseSeconds)}, attempts = attempts + 1
    where id = (
      select id from outgoing_mails
      where kind = any (${sql.typed.texts([...mailKinds])}) and failed_at is null and available_at <= ${now}
        and recipient <> all(${sql.typed.texts(busy.recipients)})
        and lower(substring(recipient from '[^@]*$')) <> all(${sql.typed.texts(busy.domains)})
      order by available_at, id limit 1 for update skip locked
    )
    returning id, recipient, created_at as "createdAt", attempts, kind, payload_sealed as sealed`;
  return due;
}

/** Deletes the mails to an address that are not delivered yet, or were given up. */
export async function deleteMailsTo(sql: Sql, recipient: string): Promise<void> {
  await sql`delete from outgoing_mails where recipient = ${recipient}`;
}

export async function deleteMail(sql: Sql, id: string): Promise<void> {
  await sql`delete from outgoing_mails where id = ${id}`;
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
    update outgoing_mails set last_error = ${error}, available_at = ${retryAt ?? now}, failed_at = ${retryAt === null ? now : null}
    where id = ${id}`;
}

/** The context to which a sealed mail is bound. */
export function mailContext(id: string): string {
  return `mail:${id}`;
}
