/** Reads values of host replies. Each value is checked before it becomes part of a record. */
import { storableText } from '../../database/storable-text.js';
import { SyncError } from '../failures.js';

export type JsonObject = Readonly<Record<string, unknown>>;

export function readObject(value: unknown, name: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected(name, 'an object');
  return value as JsonObject;
}

export function readObjectOrNull(value: unknown, name: string): JsonObject | null {
  return value === null || value === undefined ? null : readObject(value, name);
}

export function readList(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unexpected(name, 'a list');
  return value;
}

/**
 * A text without characters that databases cannot store: hosts allow U+0000 and lone surrogates in titles and bodies.
 */
export function readText(value: unknown, name: string): string {
  if (typeof value !== 'string') throw unexpected(name, 'a text');
  return storableText(value);
}

export function readTextOrNull(value: unknown, name: string): string | null {
  return value === null || value === undefined ? null : readText(value, name);
}

export function readInteger(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw unexpected(name, 'a whole number');
  return value;
}

export function readIntegerOrNull(value: unknown, name: string): number | null {
  return value === null || value === undefined ? null : readInteger(value, name);
}

/** A host's id as text. Some ids are too long for a number and arrive as a bigint. */
export function readId(value: unknown, name: string): string {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return value.toString();
  if (typeof value === 'string' && value !== '') return value;
  throw unexpected(name, 'an id');
}

/** Converts a date and time with an offset to epoch milliseconds. */
export function readInstant(value: unknown, name: string): number {
  const instant = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(instant)) throw unexpected(name, 'a date and time');
  return instant;
}

export function readInstantOrNull(value: unknown, name: string): number | null {
  return value === null || value === undefined ? null : readInstant(value, name);
}

function unexpected(name: string, kind: string): SyncError {
  return new SyncError('unexpected_reply', `The host's reply violates its API: ${name} is not ${kind}.`);
}
