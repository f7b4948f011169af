/** Serves what `npm run build` has made of the web console: pages, and assets whose names carry a hash. */
import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import { keptForGood, sendStaticFile } from './static-file.js';

/** Everything comes from this server. Nothing is inline: neither scripts nor styles. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/**
 * Answers with a page, under a policy that allows nothing inline. A page that was not built is answered like any path
 * that does not exist.
 *
 * @param head HTML to put at the end of its head
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
 * Answers with an asset, compressed as the client accepts it. Its name carries a hash of its content, so that browsers
 * keep it for good.
 *
 * @param folder where the assets are
 * @param file as the request names it
 */
export async function sendBuiltAsset(ctx: Context, folder: URL, file: string): Promise<void> {
  const extension = /^[\w-]+\.(js|css|svg)$/.exec(file)?.[1];
  if (extension === undefined) return;
  const type = types[extension] ?? 'application/octet-stream';
  await sendStaticFile(ctx, { file: new URL(file, folder), type, cache: keptForGood });
}

async function readIfThere(file: URL): Promise<Buffer | null> {
  return readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
}
