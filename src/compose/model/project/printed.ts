import { formatDuration } from '../normalize/duration.js';
import { parseMemory } from '../normalize/memory.js';
import type { Json } from '../node.js';
import { matchesPattern } from '../validate/patterns.js';
import { mapValues } from './records.js';

/** Print functions for values that the project stores in another form, by path. */
const PRINTED: readonly (readonly [pattern: string, print: (value: Json) => Json])[] = [
  ...['mem_limit', 'mem_reservation', 'memswap_limit', 'shm_size', 'build.shm_size', 'volumes.*.tmpfs.size'].map(
    (key) => [`services.*.${key}`, bytesText] as const,
  ),
  ['services.*.deploy.resources.*.memory', bytesText],
  ['services.*.blkio_config.*.*.rate', bytesText],
  ['services.*.mem_swappiness', String],
  ...[
    'stop_grace_period',
    'healthcheck.interval',
    'healthcheck.timeout',
    'healthcheck.start_period',
    'healthcheck.start_interval',
  ].map((key) => [`services.*.${key}`, durationText] as const),
  ...[
    'update_config.delay',
    'update_config.monitor',
    'rollback_config.delay',
    'rollback_config.monitor',
    'restart_policy.delay',
    'restart_policy.window',
  ].map((key) => [`services.*.deploy.${key}`, durationText] as const),
  ...['secrets', 'configs', 'build.secrets'].map((key) => [`services.*.${key}.*.mode`, octalText] as const),
  ['services.*.extra_hosts', hostList],
  ['services.*.build.extra_hosts', hostList],
];

const PRINTED_AT = PRINTED.map(([pattern, print]) => [pattern.split('.'), print] as const);

/**
 * Formats a value of the project as `docker compose config` does: bytes and durations in full, modes in octal.
 *
 * @param path its path in the compose file
 */
export function printed(value: Json, path: readonly string[]): Json {
  const print = PRINTED_AT.find(([pattern]) => matchesPattern(path, pattern));
  if (print !== undefined) return print[1](value);
  if (Array.isArray(value)) return value.map((item: Json, index) => printed(item, [...path, String(index)]));
  return isRecord(value) ? mapValues(value, (inner, key) => printed(inner, [...path, key])) : value;
}

function isRecord(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function bytesText(value: Json): Json {
  const bytes = typeof value === 'string' ? parseMemory(value) : 'invalid';
  return typeof bytes === 'bigint' ? String(bytes) : value;
}

function durationText(value: Json): Json {
  return formatDuration(Number(value));
}

function octalText(value: Json): Json {
  return `0${Number(value).toString(8)}`;
}

function hostList(value: Json): Json {
  if (!isRecord(value)) return value;
  return Object.entries(value)
    .flatMap(([host, addresses]) =>
      Array.isArray(addresses)
        ? addresses.map((address: Json) => `${host}=${typeof address === 'string' ? address : ''}`)
        : [],
    )
    .sort();
}
