/** Serves the built web console: pages, and assets with a hash in their names. */
import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import { parameterOf, type PageRoute } from './page-routes.js';
import { keptForGood, sendStaticFile } from './static-file.js';
import { errorCode } from './system/error-code.js';

/** All resources come from this server. Inline scripts and styles are forbidden. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/**
 * Sends a page, with a policy that forbids inline scripts and styles. Does nothing if the page was not built; the reply
 * is then 404.
 *
 * @param head HTML to insert at the end of its head
 */
export async function sendBuiltPage(ctx: Context, page: URL, head = ''): Promise<void> {
  const html = await readIfThere(page);
  if (html === null) return;
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = 'text/html';
  ctx.body = html.toString().replace('</head>', `${head}</head>`);
}

/**
 * The assets of the built pages, compressed if the client accepts it. Their names contain a hash of their content, so
 * that browsers can cache them forever.
 *
 * @param folder the output of the build, which contains `assets/`
 */
export function consoleAssets(folder: URL): PageRoute {
  return {
    name: 'console assets',
    method: 'GET',
    path: '/console/assets/:file',
    produces: Object.values(types),
    handle: async (ctx) => {
      const file = parameterOf(ctx, 'file');
      const type = types[/^[\w-]+\.(js|css|svg)$/.exec(file)?.[1] ?? ''];
      if (type === undefined) return;
      await sendStaticFile(ctx, { file: new URL(`assets/${file}`, folder), type, cache: keptForGood });
    },
  };
}

async function readIfThere(file: URL): Promise<Buffer | null> {
  return readFile(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
}
