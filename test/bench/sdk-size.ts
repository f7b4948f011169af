import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { printTable } from './measure.js';

const entries = {
  'openapi-fetch alone': `export { default } from 'openapi-fetch';`,
  'one operation': `export { createPlatformClient, login } from './sdk/src/platform.ts';`,
  'Platform API, all of it': `export * from './sdk/src/index.ts'; export * from './sdk/src/platform.ts';`,
  'Compose API, all of it': `export * from './sdk/src/index.ts'; export * from './sdk/src/compose.ts';`,
};

/**
 * How much the SDK adds to a page: bundled for browsers, minified and gzipped, against openapi-fetch alone. "one
 * operation" is what a page that only logs in pays.
 */
export async function benchSdkSize(): Promise<void> {
  const sizes = await Promise.all(
    Object.entries(entries).map(async ([what, entry]) => ({ what, bytes: await gzipped(entry) })),
  );
  const yardstick = sizes[0]?.bytes ?? Number.NaN;
  const rows = sizes.map(({ what, bytes }) => ({
    what,
    bytes,
    more: bytes - yardstick,
    ratio: (bytes / yardstick).toFixed(2),
    aim: bytes === yardstick ? '-' : '<= +6000',
  }));
  printTable('SDK, bundled and gzipped (bytes)', rows);
}

async function gzipped(entry: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: process.cwd() },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
  });
  return gzipSync(outputFiles[0]?.contents ?? new Uint8Array(), { level: 9 }).length;
}
