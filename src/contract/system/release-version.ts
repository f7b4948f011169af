import { readFileSync } from 'node:fs';

/** The version of this release, from `package.json`. */
export function releaseVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestFile(), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

/** `package.json`, relative to the sources and to the built tree. */
function manifestFile(): URL {
  const path = import.meta.url.includes('/dist/src/') ? '../../../package.json' : '../../../package.json';
  return new URL(path, import.meta.url);
}
