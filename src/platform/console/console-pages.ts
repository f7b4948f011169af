import { readFile } from 'node:fs/promises';
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { isOnThisMachine } from '../../contract/local-request.js';
import { keptForGood, sendStaticFile } from '../../contract/static-file.js';

export interface ConsoleOptions {
  /** `index.html` and `assets/`, put there by `npm run build`. */
  readonly folder: URL;
  /** Whether `/mailbox` has the mails: the console then leads there, on the machines that can open it. */
  readonly hasMailbox: boolean;
}

/** Everything comes from this server. Nothing is inline: neither scripts nor styles. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** Where the links of mails lead. */
const mailPages = ['/verify', '/not-me', '/reset-password', '/accept-invite'];

/**
 * Serves the web console below `/console/`. `/` leads browsers there. The addresses in mails lead to its pages; their
 * token moves to the fragment, which no request carries.
 */
export function createConsolePages({ folder, hasMailbox }: ConsoleOptions): Middleware {
  const router = new Router();
  router.get('/', (ctx, next) => {
    ctx.vary('Accept');
    if (!ctx.get('Accept').includes('text/html')) return next();
    ctx.redirect('/console/');
    return undefined;
  });
  router.get(mailPages, (ctx) => {
    ctx.redirect(`/console${ctx.path}${ctx.search.replace('?', '#')}`);
  });
  router.get('/console/assets/:file', (ctx) => sendAsset(ctx, folder, ctx.params['file'] ?? ''));
  router.get('/console{/*path}', (ctx) => {
    if (ctx.path !== '/console') return sendPage(ctx, folder, hasMailbox && isOnThisMachine(ctx.req));
    ctx.redirect('/console/');
    return undefined;
  });
  return router.routes() as Middleware; // the router's own types name another copy of Koa's
}

async function sendPage(ctx: Context, folder: URL, leadsToMailbox: boolean): Promise<void> {
  const html = await readIfThere(new URL('index.html', folder));
  if (html === null) return; // not built: answered as any path that does not exist
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = 'text/html';
  const mailbox = leadsToMailbox ? '<meta name="plumbline-mailbox" content="/mailbox" />' : '';
  ctx.body = html.toString().replace('</head>', `${mailbox}</head>`);
}

/** The name of an asset carries a hash of its content, so that browsers keep it for good. */
async function sendAsset(ctx: Context, folder: URL, file: string): Promise<void> {
  const extension = /^[\w-]+\.(js|css|svg)$/.exec(file)?.[1];
  if (extension === undefined) return;
  const type = types[extension] ?? 'application/octet-stream';
  await sendStaticFile(ctx, { file: new URL(`assets/${file}`, folder), type, cache: keptForGood });
}

async function readIfThere(file: URL): Promise<Buffer | null> {
  return readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
}
