import type { Log } from '../../../generated/contract.js';
import type { DatabaseSql } from '../../database/connection.js';
import type { SecretBox } from '../secrets/secret-box.js';
import { after, type Clock } from '../surroundings.js';
import { deleteMail, noteMailFailure, takeDueMails, type DueMail } from './outbox.store.js';
import type { MailTransport } from './transport.js';

/** Carries mails from the outbox to the transport, in the background. */
export interface MailDispatcher {
  /** Looks into the outbox soon: called after a transaction that put a mail there. */
  wake(): void;
  /** Delivers what is due now, and resolves when that is done. */
  drain(): Promise<void>;
  /** Stops after the delivery under way. */
  stop(): Promise<void>;
}

export interface MailDispatcherOptions {
  readonly sql: DatabaseSql;
  readonly secrets: SecretBox;
  readonly transport: MailTransport;
  readonly clock: Clock;
  readonly log: Log;
  /** Puts a batch of the mails that were asked for into the outbox, and tells whether more may wait. */
  readonly collect: () => Promise<boolean>;
}

const pollMs = 2000;
const batchSize = 10;
/** Longer than the transport's own time limits, so that a mail is not taken twice while it is being delivered. */
const leaseSeconds = 120;
/** With the delays below, a mail is tried for about a day: longer than any token in it holds. */
const maxAttempts = 30;
const firstDelaySeconds = 5;
const maxDelaySeconds = 3600;

/**
 * Starts the dispatcher. A mail leaves the outbox only after the transport has accepted it; when the database or the
 * mail server is away, it waits there. Each mail is delivered at least once.
 */
export function startMailDispatcher(options: MailDispatcherOptions): MailDispatcher {
  let running: Promise<void> | null = null;
  let asked = false;
  let stopped = false;

  const deliverAll = async (): Promise<void> => {
    try {
      // A request that comes meanwhile may be about a mail behind what was read: then it looks once more.
      while (takeRequest()) {
        try {
          // Batch by batch, so that a flood of requests does not hold up other mails.
          if (await options.collect()) asked = true;
        } finally {
          await deliverDue(options, () => stopped); // nor does a request that cannot be served
        }
      }
    } finally {
      running = null; // in the same step as the last look at `asked`, so that no request falls between
    }
  };
  const takeRequest = (): boolean => {
    const wasAsked = asked && !stopped;
    asked = false;
    return wasAsked;
  };
  const drain = (): Promise<void> => {
    asked = true;
    return (running ??= deliverAll());
  };
  const attempt = (): void => {
    drain().catch((error: unknown) => {
      options.log.warn({ err: error }, 'the mail outbox cannot be read for now');
    });
  };
  const timer = setInterval(attempt, pollMs);
  timer.unref();
  return {
    wake: () => setImmediate(attempt),
    drain,
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await running?.catch(() => undefined); // what went wrong was logged by whoever started it
    },
  };
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
    await transport.deliver(due);
  } catch (error) {
    const gaveUp = due.attempts >= maxAttempts;
    const delay = Math.min(firstDelaySeconds * 2 ** (due.attempts - 1), maxDelaySeconds);
    const reason = error instanceof Error ? error.message : String(error);
    const now = clock.now();
    await noteMailFailure(sql, due.id, reason, now, gaveUp ? null : after(now, delay));
    const fields = { err: error, mail_id: due.id, kind: due.mail.kind, attempts: due.attempts };
    if (gaveUp) log.error(fields, 'mail given up');
    else log.warn(fields, 'mail not accepted, will be tried again');
    return;
  }
  await deleteMail(sql, due.id);
}
