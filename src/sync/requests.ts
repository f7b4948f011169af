/** Parses `plumbline sync`, whose target can be `all`. */
import { providerNamed } from './providers/registry.js';
import { parseSyncRequest, type Environment } from './request.js';
import type { SyncOptions } from './options.js';
import type { SyncRequest } from './sync-request.js';
import { TARGETS } from './targets.js';

export type ParsedRequests =
  | { readonly ok: true; readonly requests: readonly SyncRequest[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads the options of `plumbline sync`. The target `all` stands for every target that the provider has, in the order
 * of `TARGETS`: requests are linked to commits, and the later targets to requests.
 *
 * @param now the current time in epoch milliseconds, so that all targets have the same period
 * @returns one request for each target, or every wrong or missing input (exit 2)
 */
export function parseSyncRequests(options: SyncOptions, environment: Environment, now = Date.now()): ParsedRequests {
  const { target, prune, ...rest } = options;
  // With an unknown provider, the first target reports it.
  const targets = target === 'all' ? (providerNamed(options.provider)?.targets ?? TARGETS) : [target];
  const requests: SyncRequest[] = [];
  for (const each of targets) {
    const isPruned = prune === true && (target !== 'all' || each === 'git');
    const own = { ...rest, ...(each !== undefined && { target: each }), ...(isPruned && { prune }) };
    const parsed = parseSyncRequest(own, environment, now);
    if (!parsed.ok) return parsed;
    requests.push(parsed.request);
  }
  return { ok: true, requests };
}
