import { failure } from '../errors.js';
import type { MapNode, Node, Path, Place } from '../node.js';
import type { WarningList } from '../warnings.js';

/** Keys that only a swarm gives an effect. */
const SWARM_KEYS: Readonly<Record<string, string>> = {
  'services.*.stop_grace_period': 'containers get 10 seconds to stop, or the time given on the command line',
  'services.*.deploy.mode': 'it belongs to Swarm',
  'services.*.deploy.endpoint_mode': 'it belongs to Swarm',
  'services.*.deploy.placement': 'it belongs to Swarm',
  'services.*.deploy.rollback_config': 'it belongs to Swarm',
  'services.*.deploy.update_config': 'it belongs to Swarm',
  'services.*.deploy.labels': 'they belong to Swarm services; use labels',
  'services.*.deploy.resources.reservations.generic_resources': 'they belong to Swarm',
  'services.*.deploy.resources.reservations.cpus': 'it belongs to Swarm',
  'secrets.*.driver': 'it belongs to Swarm',
  'secrets.*.template_driver': 'it belongs to Swarm',
  'configs.*.template_driver': 'it belongs to Swarm',
};

/**
 * Keys that are read and kept but have no effect, with the reason. `*` matches any key or index. Everything else in the
 * Compose Specification is supported.
 */
export const UNSUPPORTED_KEYS: Readonly<Record<string, string>> = {
  'services.*.cpu_count': 'it exists on Windows only',
  'services.*.cpu_percent': 'it exists on Windows only',
  'services.*.credential_spec': 'it exists on Windows only',
  'services.*.isolation': 'it exists on Windows only',
  'services.*.build.isolation': 'it exists on Windows only',
  'services.*.models': 'there is no model runner',
  'services.*.use_api_socket': 'containers get no access to the engine',
  'services.*.pull_refresh_after': 'use pull_policy: every_<duration>',
  ...SWARM_KEYS,
  models: 'there is no model runner',
};

/** How to report unsupported keys (Compose Specification, "Status of this document"). */
export type SupportMode = 'default' | 'strict' | 'loose';

/**
 * Reports each unsupported key in a model, with one warning per key for all services.
 *
 * @param mode default: warn; strict: fail at the first; loose: ignore
 * @param forSwarm whether the project is for a swarm
 * @throws ComposeFailure ComposeValidationError.unsupported in strict mode
 */
export function reportUnsupported(
  model: MapNode,
  { mode, forSwarm }: { readonly mode: SupportMode; readonly forSwarm: boolean },
  warnings: WarningList,
): void {
  if (mode === 'loose') return;
  for (const [pattern, reason] of Object.entries(UNSUPPORTED_KEYS)) {
    if (forSwarm && Object.hasOwn(SWARM_KEYS, pattern)) continue;
    const uses = matches(model, pattern.split('.'), []);
    const [first] = uses;
    if (first === undefined) continue;
    if (mode === 'strict')
      throw failure('ComposeValidationError', 'unsupported', { path: first.path, reason }, first.place);
    const users = uses.flatMap(({ path }) => (path.length > 1 ? [String(path[1])] : []));
    const key = pattern.replace(/^[a-z]+\.\*\./, '');
    const where = users.length === 0 ? '' : ` (${String(first.path[0])}: ${users.join(', ')})`;
    const code = key === 'stop_grace_period' ? 'stopTimeIgnored' : 'unsupportedKey';
    warnings.add(code, `'${key}' is not supported and has no effect: ${reason}${where}.`, first.place);
  }
}

function matches(node: Node, pattern: readonly string[], path: Path): { readonly path: Path; readonly place: Place }[] {
  const [part, ...rest] = pattern;
  if (part === undefined) return [{ path, place: node.place }];
  if (node.kind !== 'map') return [];
  return [...node.entries].flatMap(([key, entry]) => {
    if (part !== '*' && part !== key) return [];
    return rest.length === 0
      ? [{ path: [...path, key], place: entry.place }]
      : matches(entry.value, rest, [...path, key]);
  });
}
