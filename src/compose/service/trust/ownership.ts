/** Tells what the service made for projects that were sent from what others made: no sender takes that over. */
import { LABELS } from '../../orchestrator/labels.js';
import type { Backend } from '../../runtime/runtime.js';
import type { Allowance } from './allowances.js';
import { notAllowed } from './trust.js';

/**
 * On everything that is made for a project that was sent. Senders cannot set it: labels of this prefix are reserved.
 */
export const SENT_LABELS: Readonly<Record<string, string>> = { 'io.plumbline.compose.sent': 'true' };

/**
 * Checks that nothing on the engine belongs to a project of this name that was not sent: with the name, a sender would
 * get its volumes, networks and containers.
 *
 * @throws ComposeFailure ComposeValidationError.notAllowed
 * @throws RuntimeError
 */
export async function requireOwnProject(
  name: string,
  { backend, allowances }: { readonly backend: Backend; readonly allowances: ReadonlySet<Allowance> },
  signal: AbortSignal,
): Promise<void> {
  if (allowances.has('other-projects')) return;
  const filter = { labels: { [LABELS.project]: name }, signal };
  const found = await Promise.all([
    backend.containers.list(filter),
    backend.volumes.list(filter),
    backend.internal.networks.list(filter),
  ]);
  if (found.flat().every(isSent)) return;
  const why = `'${name}' has containers, networks or volumes that were not made for a project sent to this server`;
  throw notAllowed(['name'], 'other-projects', why);
}

function isSent({ labels }: { readonly labels: Readonly<Record<string, string>> }): boolean {
  return Object.entries(SENT_LABELS).every(([label, value]) => labels[label] === value);
}
