import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from 'koa';
import PostalMime, { type Email } from 'postal-mime';
import { parameterOf, type PageExchange, type PageRoute } from '@plumbline/contract/page-routes';
import { escapeHtml } from './mail.js';
import { errorCode } from '@plumbline/contract/system/error-code';

/** The maximum number of mails in the list. */
const listed = 50;

const style = `:root { color-scheme: light dark }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem }
li { margin: 0.75rem 0 }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere }`;
const styleHash = createHash('sha256').update(style).digest('base64');
const contentSecurityPolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/**
 * Shows the mails of the mailbox directory at `/mailbox`, for trials without a mail server. Only a browser on this
 * machine can read them, because the links in them open accounts. Other callers get 404.
 *
 * @param folder the directory to which the mailbox transport writes
 */
export function createMailboxPages(folder: string): PageRoute[] {
  return [
    {
      name: 'mailbox',
      method: 'GET',
      path: '/mailbox',
      produces: ['text/html'],
      handle: async (ctx, exchange) => {
        if (exchange.isOnThisMachine) sendPage(ctx, exchange, 'Mailbox', await listOf(folder));
      },
    },
    {
      name: 'mail',
      method: 'GET',
      path: '/mailbox/:name',
      produces: ['text/html'],
      handle: async (ctx, exchange) => {
        const mail = exchange.isOnThisMachine ? await readMail(folder, parameterOf(ctx, 'name')) : null;
        if (mail !== null) sendPage(ctx, exchange, mail.subject ?? 'Mail', pageOf(mail));
      },
    },
  ];
}

async function listOf(folder: string): Promise<string> {
  const names = (await namesIn(folder)).filter((name) => fileName.test(name));
  const newest = names.sort().reverse().slice(0, listed);
  const mails = await Promise.all(newest.map(async (name) => ({ name, mail: await readMail(folder, name) })));
  const entries = mails.flatMap(({ name, mail }) =>
    mail === null
      ? []
      : [
          `<li><a href="/mailbox/${escapeHtml(name)}">${escapeHtml(mail.subject ?? '(no subject)')}</a><br>to ${escapeHtml(recipientOf(mail))}, ${dateOf(mail)}</li>`,
        ],
  );
  const intro = '<p>No mail server is configured, so mails are stored here.</p>';
  return `${intro}${entries.length === 0 ? '<p>There is no mail yet.</p>' : `<ul>${entries.join('')}</ul>`}`;
}

/** The plain text of a mail with its links. The HTML has the same content and is not shown. */
function pageOf(mail: Email): string {
  const text = escapeHtml(mail.text ?? '').replaceAll(
    /\bhttps?:\/\/[^\s<]+/g,
    (link) => `<a href="${link}" rel="noopener">${link}</a>`,
  );
  const head = `<p>To ${escapeHtml(recipientOf(mail))}, ${dateOf(mail)}</p>`;
  return `${head}<pre>${text}</pre><p><a href="/mailbox">All mails</a></p>`;
}

const fileName = /^[\w-]+\.eml$/;

async function readMail(folder: string, name: string): Promise<Email | null> {
  if (!fileName.test(name)) return null;
  const file = await readFile(join(folder, name)).catch(nullIfMissing);
  return file === null ? null : PostalMime.parse(file);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(nullIfMissing)) ?? [];
}

function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}

function recipientOf(mail: Email): string {
  return mail.to?.map(({ address }) => address ?? '').join(', ') ?? '';
}

/** The time zone of the browser is unknown without scripts. */
const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** @returns HTML */
function dateOf({ date }: Email): string {
  const at = new Date(date ?? '');
  if (Number.isNaN(at.getTime())) return 'without a date';
  return `<time datetime="${at.toISOString()}">${moment.format(at)} UTC</time>`;
}

function sendPage(ctx: Context, exchange: PageExchange, title: string, content: string): void {
  exchange.isCompressible = false; // the links of mails are secrets
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.type = 'text/html';
  ctx.body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Plumbline</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${content}
</main>
</body>
</html>
`;
}
