import { createHash } from 'node:crypto';
import { filterValues } from './records.js';
import type { Service } from './service.js';

/**
 * Keys that affect how a service is built, scaled or started, but not its containers. Changing them does not replace a
 * container.
 */
const NOT_PART_OF_CONTAINERS: ReadonlySet<string> = new Set<keyof Service>([
  'build',
  'pull_policy',
  'scale',
  'depends_on',
  'profiles',
]);

/**
 * The configuration hash of a service: SHA-256, in lower-case hex, of its JSON with keys sorted at every level, without
 * `build`, `pull_policy`, `scale`, `deploy.replicas`, `depends_on` and `profiles`. With equal hashes, a running
 * container is kept.
 */
export function serviceHash(service: Service): string {
  const deploy = filterValues({ ...service.deploy }, (_, key) => key !== 'replicas');
  const relevant = filterValues<unknown>(
    { ...service, ...(service.deploy && { deploy }) },
    (_, key) => !NOT_PART_OF_CONTAINERS.has(key),
  );
  return createHash('sha256').update(canonicalJson(relevant)).digest('hex');
}

/** Deterministic JSON: keys sorted by code unit, no white space. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0)),
  );
}
