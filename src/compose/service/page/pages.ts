/** The page for people, and who may see it and the pages beside it. */
import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { ProblemReply } from '../../../../generated/contract.js';
import { sendBuiltAsset, sendBuiltPage } from '../../../contract/built-pages.js';
import { prepareReply, writeReply } from '../../../contract/reply-writer.js';
import type { Admission } from '../admission.js';
import { pagePath, type PageAccess } from './access.js';

export interface ContainersPagesOptions {
  /** The web console as it is built: `containers.html` and `assets/`. */
  readonly folder: URL;
  readonly access: PageAccess;
  readonly admission: Admission;
}

/**
 * Serves the page. The page and its assets hold nothing of this server, so they are sent without a session, also where
 * a link on a page of another site leads here. Everything else that is no operation needs a session.
 */
export function createContainersPages({ folder, access, admission }: ContainersPagesOptions): Middleware {
  const router = new Router();
  router.get('/', (ctx) => {
    ctx.redirect(pagePath);
  });
  router.get('/ui{/*path}', (ctx) => {
    if (ctx.path !== '/ui') return sendBuiltPage(ctx, new URL('containers.html', folder));
    ctx.redirect(pagePath);
    return undefined;
  });
  router.get('/console/assets/:file', (ctx) =>
    sendBuiltAsset(ctx, new URL('assets/', folder), ctx.params['file'] ?? ''),
  );
  const pages = router.routes() as Middleware; // the router's own types name another copy of Koa's
  const isOpen = ({ path }: Context): boolean =>
    path === '/' || path === '/ui' || path.startsWith(pagePath) || path.startsWith('/console/assets/');
  const refusalOf = (ctx: Context): ProblemReply | null =>
    isOpen(ctx) ? admission.host(ctx.req) : (admission.request(ctx.req) ?? access.admitDocument(ctx.req));
  return async (ctx, next) => {
    const refusal = refusalOf(ctx);
    if (refusal === null) {
      await pages(ctx, next);
      // A cache must not give to strangers what only sessions get.
      if (!isOpen(ctx)) ctx.set('Cache-Control', 'no-store');
      return;
    }
    ctx.respond = false;
    ctx.status = refusal.status;
    const reply = prepareReply(refusal, undefined, ctx.response.get('X-Request-Id'), {}, null);
    await writeReply(ctx.res, reply, ctx.method === 'HEAD', null);
  };
}
