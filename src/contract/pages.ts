import type { Context } from 'koa';
import { parameterOf, type PageRoute } from './page-routes.js';
import { problemIndex, problemPage } from './problem-pages.js';
import { keptForMinutes, sendStaticFile } from './static-file.js';

export interface PagesOptions {
  /** The text of the bundled contract. */
  readonly openapi: URL;
  /** The script of the API reference (Redoc), written by `npm run build`. */
  readonly referenceScript: URL;
  /** The API's title. */
  readonly title: string;
  /** Where `/` redirects to; default: the reference. */
  readonly home?: (ctx: Context) => string;
  /** Paths that users often try, and their redirect targets. */
  readonly redirects?: Readonly<Record<string, string>>;
}

/** Pages load nothing from other origins. Redoc creates styles at run time, and searches in a worker. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The pages of an API: its reference, its contract as JSON, and one page per problem. */
export function createPages({
  openapi,
  referenceScript,
  title,
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
        sendPage(ctx, referencePage(title));
      },
    },
    {
      name: 'docs script',
      method: 'GET',
      path: '/docs/redoc.standalone.js',
      produces: ['text/javascript'],
      handle: (ctx) => sendStaticFile(ctx, { file: referenceScript, type: 'text/javascript', cache: keptForMinutes }),
    },
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
        sendPage(ctx, problemIndex());
      },
    },
    {
      name: 'problem',
      method: 'GET',
      path: '/problems/:slug',
      produces: ['text/html'],
      handle: (ctx) => {
        const page = problemPage(parameterOf(ctx, 'slug'));
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

function referencePage(title: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>body { margin: 0 }</style>
</head>
<body>
<redoc spec-url="/openapi.json" hide-hostname json-sample-expand-level="3" disable-google-font></redoc>
<script src="/docs/redoc.standalone.js"></script>
</body>
</html>
`;
}
