import Router from '@koa/router';
import type { Middleware } from 'koa';
import { sendBuiltAsset, sendBuiltPage } from '../../contract/built-pages.js';
import { isOnThisMachine } from '../../contract/local-request.js';
import { keptForMinutes, sendStaticFile } from '../../contract/static-file.js';

export interface ConsoleOptions {
  /** The directory with `index.html`, `icon.svg` and `assets/`, created by `npm run build`. */
  readonly folder: URL;
  /** Whether `/mailbox` has the mails: the console then leads there, on the machines that can open it. */
  readonly hasMailbox: boolean;
}

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
  // Browsers ask for it beside pages that name no icon, such as those of problems.
  router.get('/favicon.ico', (ctx) =>
    sendStaticFile(ctx, { file: new URL('icon.svg', folder), type: 'image/svg+xml', cache: keptForMinutes }),
  );
  router.get('/console/assets/:file', (ctx) =>
    sendBuiltAsset(ctx, new URL('assets/', folder), ctx.params['file'] ?? ''),
  );
  router.get('/console{/*path}', (ctx) => {
    if (ctx.path === '/console') {
      ctx.redirect('/console/');
      return undefined;
    }
    const mailbox =
      hasMailbox && isOnThisMachine(ctx.req) ? '<meta name="plumbline-mailbox" content="/mailbox" />' : '';
    return sendBuiltPage(ctx, new URL('index.html', folder), mailbox);
  });
  return router.routes() as Middleware; // the router's own types name another copy of Koa's
}
