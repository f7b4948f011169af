/** Parsers of option values. They reject invalid values as usage errors. */
import { InvalidArgumentError } from 'commander';
import { parseMemory } from '../model/normalize/memory.js';
import { LATEST_INSTANT } from '@plumbline/contract/instant';
import { signalName } from '../runtime/signals.js';
import { UsageError } from './failures.js';

/** A repeatable option, in the given order. */
export function collected(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number, zero or more.');
  return Number(text);
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text);
  // A timer of Node counts milliseconds in 32 bits.
  if (number < 1 || number > 2_000_000) throw new InvalidArgumentError('It must be a number from 1 to 2000000.');
  return number;
}

/** A quantity of memory in bytes: `512m`, `1gb`. */
export function memorySize(text: string): number {
  const bytes = parseMemory(text);
  if (typeof bytes !== 'bigint') throw new InvalidArgumentError('It must be a quantity such as 512m or 1gb.');
  return Number(bytes);
}

/** `default`, or `id=path` of a socket or key. */
export function sshAgent(text: string): string {
  if (text !== 'default' && !/^[^=]+=./.test(text))
    throw new InvalidArgumentError('It must be default or <id>=<path>.');
  return text;
}

/** `all` and negative numbers mean unlimited. */
export function tailCount(text: string): number | undefined {
  return text === 'all' || /^-\d+$/.test(text) ? undefined : wholeNumber(text);
}

export function knownSignal(text: string): string {
  const name = signalName(text);
  if (name === undefined) throw new InvalidArgumentError('It must be the name or number of a signal.');
  return name;
}

/** `web=3`, repeatable. Negative numbers are accepted here; the orchestrator rejects them. */
export function scaleOf(text: string, before: ReadonlyMap<string, number> = new Map()): Map<string, number> {
  const [service = '', count = ''] = text.split('=');
  if (service === '' || !/^-?\d+$/.test(count)) throw new InvalidArgumentError('It must be <service>=<number>.');
  return new Map([...before, [service, Number(count)]]);
}

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * A date, seconds since 1970, or a duration before now: `2026-01-31T10:00:00Z`, `1769853600`, `42m`, `1h30m`. Engines
 * cannot represent times before 1970 or after the year 9999, when nothing happens; such a time is clamped.
 */
export function moment(now: () => Date): (text: string) => Date {
  return (text) => {
    const milliseconds = momentIn(text, now);
    if (Number.isNaN(milliseconds))
      throw new InvalidArgumentError('It must be a date, or a duration before now such as 42m or 1h30m.');
    return new Date(Math.min(Math.max(milliseconds, 0), LATEST_INSTANT));
  };
}

/** Epoch milliseconds; NaN for a text that is not a moment. */
function momentIn(text: string, now: () => Date): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)([smhd])/g)];
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text) {
    const ago = parts.reduce(
      (sum, [, count, unit]) => sum + Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS],
      0,
    );
    return now().getTime() - ago;
  }
  // `Date` also reads `web 5` as a day in May, and 30 February as one in March.
  const [, day = ''] = /^(\d{4}-\d\d-\d\d)(?:$|[T ]\d\d:)/i.exec(text) ?? [];
  const midnight = Date.parse(day);
  return Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day) ? NaN : Date.parse(text);
}

/** `NAME=value`. A name alone takes its value from the environment, or remains unset. */
export function variables(
  entries: readonly string[] = [],
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const set: Record<string, string> = {};
  for (const entry of entries) {
    const at = entry.indexOf('=');
    const name = at === -1 ? entry : entry.slice(0, at);
    const value = at === -1 ? environment[name] : entry.slice(at + 1);
    if (value !== undefined) set[name] = value;
  }
  return set;
}
/** @throws UsageError for words that are not `<service>=<number>` */
export function replicasIn(words: readonly string[]): ReadonlyMap<string, number> {
  let scale: ReadonlyMap<string, number> = new Map();
  for (const word of words) {
    try {
      scale = scaleOf(word, scale);
    } catch {
      throw new UsageError(`'${word}' is not <service>=<number>.`);
    }
  }
  return scale;
}
