import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';

/** Hashes the sources of the generated files, so that readers can identify the contracts. */
export async function stampOf(): Promise<string> {
  const entries = await Promise.all(
    // A project need not have both.
    ['openapi', 'graphql'].map((folder) => readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  const paths = entries
    .flat()
    .filter((entry) => entry.isFile() && /\.(yaml|graphql)$/.test(entry.name) && !entry.name.endsWith('.arazzo.yaml'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
  const hash = createHash('sha256');
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(await readFile(path))
      .update('\0');
  return `${JSON.stringify({ contracts: hash.digest('hex') }, null, 2)}\n`;
}
