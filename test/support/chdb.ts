/** The optional package chdb for tests: TEST_CHDB names the directory in whose node_modules it is installed. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Why there is none; null: there is one. */
export const chdbMissing = whyMissing();

/** Imports an optional package as `import()` does, but chdb from where it is installed. */
export function importConnector(name: string): Promise<unknown> {
  if (name !== 'chdb') return import(name) as Promise<unknown>;
  if (chdbMissing !== null) return Promise.reject(new Error(chdbMissing));
  return Promise.resolve(requireFromThere()('chdb'));
}

function requireFromThere(): NodeJS.Require {
  return createRequire(join(process.env['TEST_CHDB'] ?? process.cwd(), 'package.json'));
}

function whyMissing(): string | null {
  try {
    requireFromThere().resolve('chdb');
    return null;
  } catch {
    return 'chdb is not installed: npm install chdb in some directory and name it in TEST_CHDB';
  }
}
