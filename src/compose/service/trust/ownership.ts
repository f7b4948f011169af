/** Tells what the service made for projects that were sent from what others made: no sender takes that over. */
import { LABELS } from '../../orchestrator/labels.js';
import { isRuntimeError } from '../../runtime/errors.js';
import type { ContainerRecord, ImageRecord } from '../../runtime/records.js';
import type { Backend } from '../../runtime/runtime.js';
import { STACK_LABEL } from '../../runtime/swarm/labels.js';
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
  const [containers] = found;
  if (
    [...found.flat(), ...(await ofCluster(name, backend, signal))].every(isSent) &&
    !(await someInheritTheMark(containers, backend, signal))
  )
    return;
  const why = `'${name}' has containers, networks, volumes or services that were not made for a project sent to this server`;
  throw notAllowed(['name'], 'other-projects', why);
}

/** A service of a cluster may have no containers. */
async function ofCluster(
  name: string,
  { cluster }: Backend,
  signal: AbortSignal,
): Promise<{ readonly labels: Readonly<Record<string, string>> }[]> {
  if (cluster === undefined) return [];
  const filter = { labels: { [STACK_LABEL]: name }, signal };
  const { services, files } = cluster;
  return (await Promise.all([services.list(filter), files.secrets.list(filter), files.configs.list(filter)])).flat();
}

/** A container that was not sent looks like one that was when its image has the mark as a label. */
async function someInheritTheMark(
  containers: readonly ContainerRecord[],
  backend: Backend,
  signal: AbortSignal,
): Promise<boolean> {
  const images = await Promise.all(
    [...new Set(containers.map(({ imageId }) => imageId))].map((id) =>
      unlessRemoved(backend.images.inspect(id, { signal })),
    ),
  );
  return images.some((image) => image !== null && Object.keys(SENT_LABELS).some((label) => label in image.labels));
}

async function unlessRemoved(image: Promise<ImageRecord>): Promise<ImageRecord | null> {
  try {
    return await image;
  } catch (error) {
    if (isRuntimeError(error, 'imageNotFound')) return null;
    throw error;
  }
}

function isSent({ labels }: { readonly labels: Readonly<Record<string, string>> }): boolean {
  return Object.entries(SENT_LABELS).every(([label, value]) => labels[label] === value);
}
