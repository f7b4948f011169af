import { readFileSync } from 'node:fs';

/** The version of this release, from the `package.json` of this package: all packages of a release have one version. */
export function releaseVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestFile(), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

/** The file is beside the sources and above the package's `dist/`, which is also where the compose tool's bundles are. */
function manifestFile(): URL {
  const path = import.meta.url.includes('/dist/src/') ? '../../../../package.json' : '../package.json';
  return new URL(path, import.meta.url);
}
