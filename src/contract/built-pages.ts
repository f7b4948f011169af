/** Serves the built web console: pages, and assets with a hash in their names. */
import { readFile } from 'node:fs/promises';
import type { Context } from 'koa';
import { keptForGood, sendStaticFile } from './static-file.js';

/** Everything is loaded from this server. Scripts and styles are not inline. */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/**
 * Sends a page, with a policy that forbids inline scripts and styles. Does nothing for a page that was not built, so
 * that it is 404.
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
 * Sends an asset, compressed if the client accepts it. Its name contains a hash of its content, so that browsers can
 * cache it forever.
 *
 * @param folder the folder of the assets
 * @param file the name in the request
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
