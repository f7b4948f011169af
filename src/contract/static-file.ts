import { readFile, stat } from 'node:fs/promises';
import type { Context } from 'koa';
import { acceptedCoding } from './compression.js';
import { errorCode } from './system/error-code.js';

/** The suffix of a file that the build has compressed, by coding. */
const suffixes = { br: '.br', gzip: '.gz' } as const;

export interface StaticFile {
  readonly file: URL;
  readonly type: string;
  /** The value of `Cache-Control`. */
  readonly cache: string;
}

/** For files whose names contain a hash of their content. */
export const keptForGood = 'public, max-age=31536000, immutable';
export const keptForMinutes = 'public, max-age=300';

/**
 * Sends a file of the build. Sends the compressed version if the build has one and the caller accepts it, and 304 if
 * the caller has the current version. A file that does not exist is treated like a path without a page.
 */
export async function sendStaticFile(ctx: Context, { file, type, cache }: StaticFile): Promise<void> {
  const found = await stat(file).catch(nullIfMissing);
  if (found?.isFile() !== true) return;
  ctx.status = 200;
  ctx.type = type;
  ctx.set('Cache-Control', cache);
  ctx.vary('Accept-Encoding');
  // Weak, because all codings share it.
  ctx.set('ETag', `W/"${found.size.toString(16)}-${Math.trunc(found.mtimeMs).toString(16)}"`);
  if (ctx.fresh) {
    ctx.status = 304;
    return;
  }
  const coding = acceptedCoding(ctx.req);
  const prepared = coding === null ? null : await readFile(new URL(file.href + suffixes[coding])).catch(nullIfMissing);
  if (coding !== null && prepared !== null) ctx.set('Content-Encoding', coding);
  ctx.body = prepared ?? (await readFile(file));
}

function nullIfMissing(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
