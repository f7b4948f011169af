import { readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

/** The version of this release, from the `package.json` of this package: all packages of a release have one version. */
export function releaseVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestFile(), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '';
}

/** The file is beside the sources and above the package's `dist/`, which is also where the compose tool's bundles are. */
function manifestFile(): string {
  const folder = dirname(import.meta.filename);
  return join(folder, folder.includes(join(sep, 'dist', 'src', sep)) ? '../../../..' : '..', 'package.json');
}
