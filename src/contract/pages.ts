import type { Context } from 'koa';
import { parameterOf, type PageRoute } from './page-routes.js';
import { problemIndex, problemPage, type ProblemCatalogue } from './problem-pages.js';
import { keptForMinutes, sendStaticFile } from './static-file.js';

export interface PagesOptions {
  /** The text of the bundled contract. */
  readonly openapi: URL;
  /** The folder of the API's reference (Redoc), written by `npm run build`; it ends with a slash. */
  readonly reference: URL;
  /** All problems, each of which has a page. */
  readonly problems: ProblemCatalogue;
  /** Where `/` redirects to; default: the reference. */
  readonly home?: (ctx: Context) => string;
  /** Paths that users often try, and their redirect targets. */
  readonly redirects?: Readonly<Record<string, string>>;
}

/** Pages load nothing from other origins. Redoc creates styles at run time. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The scripts of a reference, by name, and their places in relation to its folder: all APIs share two of them. */
const referenceScripts = { 'start.js': 'start.js', 'redoc.js': '../redoc.js', 'colors.js': '../colors.js' } as const;

/** The pages of an API: its reference, its contract as JSON, and one page per problem. */
export function createPages({
  openapi,
  reference,
  problems,
  home = () => '/docs',
  redirects = {},
}: PagesOptions): PageRoute[] {
  const moved = Object.entries(redirects).map(([from, to]): PageRoute => ({
    name: `redirect ${from}`,
    method: 'GET',
    path: from,
    produces: [],
    handle: (ctx) => {
      ctx.redirect(to);
    },
  }));
  return [
    {
      name: 'home',
      method: 'GET',
      path: '/',
      produces: [],
      handle: (ctx) => {
        ctx.redirect(home(ctx));
      },
    },
    ...moved,
    {
      name: 'docs',
      method: 'GET',
      path: '/docs',
      produces: ['text/html'],
      handle: (ctx) => {
        ctx.set('Content-Security-Policy', contentSecurityPolicy);
        return sendStaticFile(ctx, {
          file: new URL('index.html', reference),
          type: 'text/html',
          cache: keptForMinutes,
        });
      },
    },
    ...Object.entries(referenceScripts).map(([name, file]): PageRoute => ({
      name: `docs ${name}`,
      method: 'GET',
      path: `/docs/${name}`,
      produces: ['text/javascript'],
      handle: (ctx) =>
        sendStaticFile(ctx, { file: new URL(file, reference), type: 'text/javascript', cache: keptForMinutes }),
    })),
    {
      name: 'contract',
      method: 'GET',
      path: '/openapi.json',
      produces: ['application/json'],
      handle: (ctx) => sendStaticFile(ctx, { file: openapi, type: 'application/json', cache: keptForMinutes }),
    },
    {
      name: 'problems',
      method: 'GET',
      path: '/problems',
      produces: ['text/html'],
      handle: (ctx) => {
        sendPage(ctx, problemIndex(problems));
      },
    },
    {
      name: 'problem',
      method: 'GET',
      path: '/problems/:slug',
      produces: ['text/html'],
      handle: (ctx) => {
        const page = problemPage(problems, parameterOf(ctx, 'slug'));
        if (page !== null) sendPage(ctx, page);
      },
    },
  ];
}

function sendPage(ctx: Context, html: string): void {
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.type = 'text/html';
  ctx.body = html;
}
