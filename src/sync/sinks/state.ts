/** Parses stored sync states. They come from a database, so they are not trusted. */
import type { JsonValue } from '../records.js';
import type { SyncState } from './sink.js';

/** The state, or undefined if the stored value is invalid. The sync then starts over, which is always correct. */
export function parseState(stored: unknown): SyncState | undefined {
  const value = typeof stored === 'string' ? parseJson(stored) : stored;
  if (typeof value !== 'object' || value === null) return undefined;
  const { revision, request, position, done, known, reading } = value as Record<string, unknown>;
  if (typeof revision !== 'string' || typeof request !== 'string' || typeof done !== 'boolean') return undefined;
  // It was written as JSON, and each provider parses its positions.
  return {
    revision,
    request,
    position: (position ?? null) as JsonValue,
    done,
    ...parseKnown(known),
    ...parseReading(reading),
  };
}

function parseKnown(value: unknown): Pick<SyncState, 'known'> {
  const { from, to } = fieldsOf(value);
  return isTime(from) && typeof to === 'number' ? { known: { from, to } } : {};
}

function parseReading(value: unknown): Pick<SyncState, 'reading'> {
  const { oldest, from } = fieldsOf(value);
  return isTime(oldest) && isTime(from) ? { reading: { oldest, from } } : {};
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function isTime(value: unknown): value is number | null {
  return value === null || typeof value === 'number';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
