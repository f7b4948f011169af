/** The web page, and who may see it and the pages beside it. */
import type { IncomingMessage } from 'node:http';
import type { ProblemReply } from '@plumbline/contract/contract-types';
import { consoleAssets, sendBuiltPage } from '@plumbline/contract/built-pages';
import type { PageRoute } from '@plumbline/contract/page-routes';
import type { Admission } from '../admission.js';
import { pagePath, type PageAccess } from './access.js';

/** The pages that hold nothing of this server, by name. */
const openPages = new Set(['home', 'containers', 'console assets']);

/** @param folder the web console as it is built: `containers.html` and `assets/` */
export function createContainersPages(folder: URL): PageRoute[] {
  return [
    {
      name: 'containers',
      method: 'GET',
      path: '/ui{/*path}',
      produces: ['text/html'],
      handle: (ctx) => {
        if (ctx.path !== '/ui') return sendBuiltPage(ctx, new URL('containers.html', folder));
        ctx.redirect(pagePath);
        return undefined;
      },
    },
    consoleAssets(folder),
  ];
}

/**
 * Decides who may see the pages of an address with the web page. That page and its assets hold nothing of this
 * server, so they are sent without a session, also where a link on a page of another site leads here. Everything else
 * that is not an operation needs a session.
 */
export function pageAdmission(
  access: PageAccess,
  admission: Admission,
): (request: IncomingMessage, page: PageRoute | null) => ProblemReply | null {
  return (request, page) =>
    page !== null && openPages.has(page.name)
      ? admission.host(request)
      : (admission.request(request) ?? access.admitDocument(request));
}

/** The pages as they are sent to sessions: a cache must not give them to strangers. */
export function withoutCaching(pages: readonly PageRoute[]): PageRoute[] {
  return pages.map((page) =>
    openPages.has(page.name)
      ? page
      : {
          ...page,
          handle: async (ctx, exchange) => {
            await page.handle(ctx, exchange);
            ctx.set('Cache-Control', 'no-store');
          },
        },
  );
}
