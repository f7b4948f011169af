import type { Log } from '@plumbline/contract/contract-types';
import type { DatabaseSql } from '../../../database/connection.js';
import { inSpan } from '@plumbline/contract/system/tracing';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import { nextAttempt, type Backoff, type Clock } from '../../clock.js';
import { startConcurrentRounds } from '../../server/concurrent-rounds.js';
import { startRounds, type Rounds } from '../../server/rounds.js';
import {
  deleteMail,
  domainOf,
  noteMailFailure,
  openMail,
  takeDueMail,
  type BusyRecipients,
  type DueMail,
} from './outbox.store.js';
import { isRefusal, mostDeliveries, type MailTransport } from './transport.js';

/** Delivers mails from the outbox to the transport, in the background. */
export interface MailDispatcher extends Omit<Rounds, 'stop'> {
  /**
   * Takes no more mails, and waits for those that are being delivered. A delivery that has not ended after `deadlineMs`
   * is cut off; the mail is sent again later.
   */
  stop(deadlineMs: number): Promise<void>;
}

export interface MailDispatcherOptions {
  readonly sql: DatabaseSql;
  readonly secrets: SecretBox;
  readonly transport: MailTransport;
  readonly clock: Clock;
  readonly log: Log;
  /** Adds a batch of requested mails to the outbox. Returns whether more may be waiting. */
  readonly collect: () => Promise<boolean>;
  /** Counts the outcome of each attempt. */
  readonly observed: (outcome: MailOutcome) => void;
}

/** What can become of an attempt to deliver a mail. */
export const mailOutcomes = ['sent', 'deferred', 'refused', 'dropped'] as const;
export type MailOutcome = (typeof mailOutcomes)[number];

const pollMs = 2000;
/** Longer than an attempt, so that no mail is delivered twice concurrently. */
const leaseSeconds = 120;
const attemptMs = 60_000;
/** So that the mails to a slow domain do not delay those to others. */
const mostOfDomain = Math.floor(mostDeliveries / 2);
/** With the delays below, delivery is attempted for about a day, longer than the lifetime of any token in a mail. */
const maxAttempts = 30;
const backoff: Backoff = { first: 5, longest: 3600 };

/**
 * Starts the dispatcher. A mail is removed from the outbox only after the transport has accepted it; while the database
 * or the mail server is down, it waits there. Each mail is delivered at least once, unless the mail server refuses it
 * for good. Mails to one address are delivered in their order.
 */
export function startMailDispatcher(options: MailDispatcherOptions): MailDispatcher {
  const { sql, clock, log } = options;
  const failed = (error: unknown): void => {
    log.warn({ err: error }, 'the mail outbox cannot be read; will retry');
  };
  const cutOff = new AbortController();
  const deliveries = startConcurrentRounds<DueMail>({
    pollMs,
    most: mostDeliveries,
    take: async (count, inFlight) => {
      const taken: DueMail[] = [];
      while (taken.length < count) {
        const mail = await takeDueMail(sql, clock.now(), leaseSeconds, busyWith([...inFlight, ...taken]));
        if (mail === undefined) break;
        taken.push(mail);
      }
      return taken;
    },
    perform: (mail) => deliver(mail, options, cutOff.signal),
    notTaken: failed,
    notPerformed: (error) => {
      log.warn({ err: error }, 'the outcome of a mail cannot be stored; it will be sent again');
    },
  });
  const collection = startRounds({
    pollMs,
    round: async (again) => {
      try {
        // One batch per round, so that many requests do not delay other mails.
        if (await options.collect()) again();
      } finally {
        deliveries.wake(); // a failing request does not delay them either
      }
    },
    failed,
  });
  return {
    wake: () => {
      collection.wake();
    },
    drain: async () => {
      try {
        await collection.drain();
      } finally {
        await deliveries.drain();
      }
    },
    stop: async (deadlineMs) => {
      const timer = setTimeout(() => {
        cutOff.abort();
      }, deadlineMs);
      await Promise.all([collection.stop(), deliveries.stop()]);
      clearTimeout(timer);
    },
  };
}

/** The recipients and domains to which no other mail may be sent now. */
function busyWith(mails: readonly DueMail[]): BusyRecipients {
  const recipients = mails.map(({ recipient }) => recipient);
  const domains = recipients.map(domainOf);
  const countOf = (domain: string): number => domains.filter((other) => other === domain).length;
  return { recipients, domains: domains.filter((domain) => countOf(domain) >= mostOfDomain) };
}

async function deliver(due: DueMail, options: MailDispatcherOptions, cutOff: AbortSignal): Promise<void> {
  const { sql, secrets, transport, clock, log, observed } = options;
  try {
    const attributes = { 'plumbline.mail.kind': due.kind, 'plumbline.mail.attempt': due.attempts };
    const signal = AbortSignal.any([AbortSignal.timeout(attemptMs), cutOff]);
    // A new trace: the request that woke the dispatcher is not the one that caused this mail.
    await inSpan(
      'deliver mail',
      { kind: 'client', attributes },
      () => transport.deliver({ ...due, mail: openMail(due, secrets) }, signal),
      null,
    );
  } catch (error) {
    const outcome = isRefusal(error) ? 'refused' : due.attempts >= maxAttempts ? 'dropped' : 'deferred';
    const reason = error instanceof Error ? error.message : String(error);
    const now = clock.now();
    const retryAt = outcome === 'deferred' ? nextAttempt(now, due.attempts, backoff) : null;
    await noteMailFailure(sql, due.id, reason, now, retryAt);
    observed(outcome);
    const fields = { err: error, mail_id: due.id, kind: due.kind, attempts: due.attempts };
    if (outcome === 'dropped') log.error(fields, 'mail dropped after the last attempt');
    else if (outcome === 'refused') log.warn(fields, 'mail refused by the mail server for good; it is not sent again');
    else log.warn(fields, 'mail not accepted; will retry');
    return;
  }
  await deleteMail(sql, due.id);
  observed('sent');
}
