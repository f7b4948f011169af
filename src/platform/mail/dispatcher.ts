import type { Log } from '../../../generated/contract.js';
import type { DatabaseSql } from '../../database/connection.js';
import { inSpan } from '../../system/tracing.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { nextAttempt, type Backoff, type Clock } from '../clock.js';
import { startRounds, type Rounds } from '../rounds.js';
import { deleteMail, noteMailFailure, takeDueMails, type DueMail } from './outbox.store.js';
import type { MailTransport } from './transport.js';

/** Delivers mails from the outbox to the transport, in the background. */
export type MailDispatcher = Rounds;

export interface MailDispatcherOptions {
  readonly sql: DatabaseSql;
  readonly secrets: SecretBox;
  readonly transport: MailTransport;
  readonly clock: Clock;
  readonly log: Log;
  /** Adds a batch of requested mails to the outbox. Returns whether more may be waiting. */
  readonly collect: () => Promise<boolean>;
}

const pollMs = 2000;
const batchSize = 10;
/** Longer than the transport's timeouts, so that no mail is delivered twice concurrently. */
const leaseSeconds = 120;
/** With the delays below, delivery is attempted for about a day, longer than the lifetime of any token in a mail. */
const maxAttempts = 30;
const backoff: Backoff = { first: 5, longest: 3600 };

/**
 * Starts the dispatcher. A mail is removed from the outbox only after the transport has accepted it; while the database
 * or the mail server is down, it waits there. Each mail is delivered at least once.
 */
export function startMailDispatcher(options: MailDispatcherOptions): MailDispatcher {
  return startRounds({
    pollMs,
    round: async (again, isStopped) => {
      try {
        // One batch per round, so that many requests do not delay other mails.
        if (await options.collect()) again();
      } finally {
        await deliverDue(options, isStopped); // a failing request does not delay them either
      }
    },
    failed: (error) => {
      options.log.warn({ err: error }, 'the mail outbox cannot be read; will retry');
    },
  });
}

async function deliverDue(options: MailDispatcherOptions, isStopped: () => boolean): Promise<void> {
  const { sql, secrets, clock } = options;
  for (;;) {
    const due = await takeDueMails(sql, secrets, clock.now(), leaseSeconds, batchSize);
    for (const mail of due) await deliver(mail, options);
    if (due.length < batchSize || isStopped()) return;
  }
}

async function deliver(due: DueMail, { sql, transport, clock, log }: MailDispatcherOptions): Promise<void> {
  try {
    const attributes = { 'plumbline.mail.kind': due.mail.kind, 'plumbline.mail.attempt': due.attempts };
    // A new trace: the request that woke the dispatcher is not the one that caused this mail.
    await inSpan('deliver mail', { kind: 'client', attributes }, () => transport.deliver(due), null);
  } catch (error) {
    const gaveUp = due.attempts >= maxAttempts;
    const reason = error instanceof Error ? error.message : String(error);
    const now = clock.now();
    await noteMailFailure(sql, due.id, reason, now, gaveUp ? null : nextAttempt(now, due.attempts, backoff));
    const fields = { err: error, mail_id: due.id, kind: due.mail.kind, attempts: due.attempts };
    if (gaveUp) log.error(fields, 'mail dropped after the last attempt');
    else log.warn(fields, 'mail not accepted; will retry');
    return;
  }
  await deleteMail(sql, due.id);
}
