import { parseRateLimit, type RateLimitRule } from '../rate-limits/rate-limit-rule.js';

/** One setting: its environment variable, its default and its description. */
export interface SettingDescription {
  readonly name: string;
  readonly defaultText: string;
  readonly description: string;
  /** Whether NAME_FILE may name a file that contains the value. */
  readonly isSecret: boolean;
}

/** An invalid setting. The message is one line for the operator. */
export class SettingError extends Error {
  override name = 'SettingError';
}

export interface Setting<T> extends SettingDescription {
  /** Parses a value. Throws an Error that describes a valid one. */
  readonly parse: (text: string) => T;
  /** The value if the variable is unset or empty. */
  readonly fallback: T;
}

/** @throws SettingError when the value is invalid */
export function read<T>(
  { name, parse, fallback }: Setting<T>,
  environment: Readonly<Record<string, string | undefined>>,
): T {
  const given = environment[name];
  if (given === undefined || given === '') return fallback;
  try {
    return parse(given);
  } catch (error) {
    throw new SettingError(`${name} ${error instanceof Error ? error.message : 'is wrong'}`);
  }
}

export function setting<T>(
  name: string,
  defaultText: string,
  parse: (value: string) => T,
  description: string,
): Setting<T> {
  return { name, defaultText, parse, description, isSecret: false, fallback: parse(defaultText) };
}

export function optional<T>(
  name: string,
  defaultText: string,
  parse: (value: string) => T,
  description: string,
): Setting<T | null> {
  return { name, defaultText, parse, description, isSecret: false, fallback: null };
}

/** A setting that may contain a password or a key, and can therefore be read from a file. */
export function secret<T>(
  name: string,
  defaultText: string,
  parse: (value: string) => T,
  description: string,
): Setting<T | null> {
  const setting = optional(name, defaultText, parse, `${description} ${name}_FILE names a file that holds it.`);
  return { ...setting, isSecret: true };
}

export function rateLimit(name: string, defaultText: string, what: string): Setting<RateLimitRule | null> {
  return setting(name, defaultText, parseRateLimit, `Limit of ${what}: N/second, minute, hour or day, N/15m, or off.`);
}
