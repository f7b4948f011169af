/** Imports the optional packages that call the hosts. */
import { SyncError } from '../failures.js';
import type { SyncDependencies } from '../dependencies.js';

/**
 * Imports a connector package and returns its export `name`.
 * @throws SyncError (`connectors_missing`) if the package is not installed
 */
export async function importConnector(
  { importConnector: load = (name) => import(name) as Promise<unknown> }: SyncDependencies,
  packageName: string,
  exportName: string,
): Promise<unknown> {
  let loaded: unknown;
  try {
    loaded = await load(packageName);
  } catch (error) {
    throw new SyncError(
      'connectors_missing',
      `Connectors are not available: the package ${packageName} could not be loaded. Install it with: npm install ${packageName}`,
      { cause: error },
    );
  }
  const found =
    typeof loaded === 'object' && loaded !== null ? (loaded as Record<string, unknown>)[exportName] : undefined;
  if (typeof found === 'function') return found;
  throw new SyncError('connectors_missing', `Connectors are not available: ${packageName} has no ${exportName}.`);
}
