import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Log } from '@plumbline/contract/contract-types';
import { renderMail, type Mail } from './mail.js';
import type { DueMail } from './outbox.store.js';

/** A mail to deliver, with its contents. */
export type OutgoingMail = Omit<DueMail, 'kind' | 'sealed'> & { readonly mail: Mail };

/** Delivers one mail. Throws if the mail is not accepted, or when the signal ends the attempt. */
export interface MailTransport {
  deliver(mail: OutgoingMail, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Maximum time without any byte from the mail server. */
const timeoutMs = 15_000;
/** Maximum number of mails that a server delivers at a time, each over a separate connection. */
export const mostDeliveries = 5;

/**
 * Whether the mail server refuses this mail for good: it refuses the recipient or the message with a permanent reply
 * (5xx). Other permanent replies, such as to the login or the sender, are for an operator to correct.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('permanent' in error) || !('command' in error)) return false;
  const code = 'responseCode' in error ? error.responseCode : undefined;
  if (code === 530 || code === 535) return false; // the login is missing or wrong
  return error.permanent === true && (error.command === 'RCPT TO' || error.command === 'DATA');
}

/**
 * Delivers to the mail server at `url` (smtp: or smtps:). Connections stay open for the next mail: a TLS handshake and
 * the server's delay before its greeting take longer than a mail.
 */
export function createSmtpTransport(url: string, from: string): MailTransport {
  const smtp = createTransport(
    {
      url,
      pool: true,
      maxConnections: mostDeliveries,
      // A server may end an idle connection when a mail is sent.
      maxRequeues: 1,
      idleTimeout: timeoutMs,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  return {
    deliver: async (due, signal) => {
      await smtp.sendMail({ ...messageOf(due, from), signal });
    },
    close: () => {
      smtp.close();
    },
  };
}

/**
 * Writes each mail to a file in `folder`, for trials without a mail server.
 *
 * @param logsLinks whether the log has the link of each mail: it logs its reader in as somebody else
 */
export function createMailboxTransport(folder: string, from: string, log: Log, logsLinks: boolean): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    deliver: async (due) => {
      const { message } = await composer.sendMail(messageOf(due, from));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${due.createdAt.toISOString().replaceAll(/[:.]/g, '-')}-${due.mail.kind}-${due.id}.eml`;
      // Renamed when complete, so that programs watching the directory never read a partial mail.
      const unfinished = join(folder, `.${name}.part`);
      await writeFile(unfinished, message, { mode: 0o600 });
      await rename(unfinished, join(folder, name));
      const link = logsLinks ? { link: due.mail.link } : {};
      log.info({ mail: name, to: due.recipient, ...link }, 'mail written to the mailbox folder');
    },
    close: () => {
      composer.close();
    },
  };
}

function messageOf(due: OutgoingMail, from: string): Parameters<ReturnType<typeof createTransport>['sendMail']>[0] {
  return {
    from,
    to: { name: '', address: due.recipient },
    ...renderMail(due.mail),
    date: due.createdAt,
    // The same for every attempt, so that receivers can detect duplicates.
    messageId: `<${due.id}@plumbline>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}
