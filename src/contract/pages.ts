import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { problemIndex, problemPage } from './problem-pages.js';
import { keptForMinutes, sendStaticFile } from './static-file.js';

export interface PagesOptions {
  /** The text of the bundled contract. */
  readonly openapi: URL;
  /** The script of the API reference (Redoc), written by `npm run build`. */
  readonly referenceScript: URL;
  /** The API's title. */
  readonly title: string;
  /** Addresses that people try, and where they lead. */
  readonly redirects?: Readonly<Record<string, string>>;
}

/** Pages load nothing from other origins. Redoc creates styles at run time, and searches in a worker. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves the pages of an API: its reference, its contract as JSON, and one page per problem. */
export function createPages({ openapi, referenceScript, title, redirects = {} }: PagesOptions): Middleware {
  const router = new Router();
  router.get('/', (ctx) => {
    ctx.redirect('/docs');
  });
  for (const [from, to] of Object.entries(redirects)) {
    router.get(from, (ctx) => {
      ctx.redirect(to);
    });
  }
  router.get('/docs', (ctx) => {
    sendPage(ctx, referencePage(title));
  });
  router.get('/docs/redoc.standalone.js', (ctx) =>
    sendStaticFile(ctx, { file: referenceScript, type: 'text/javascript', cache: keptForMinutes }),
  );
  router.get('/openapi.json', (ctx) =>
    sendStaticFile(ctx, { file: openapi, type: 'application/json', cache: keptForMinutes }),
  );
  router.get('/problems', (ctx) => {
    sendPage(ctx, problemIndex());
  });
  router.get('/problems/:slug', (ctx) => {
    const page = problemPage(ctx.params['slug'] ?? '');
    if (page !== null) sendPage(ctx, page);
  });
  return router.routes() as Middleware; // the router's types refer to another copy of Koa's types
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
