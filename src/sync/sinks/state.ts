/** Parses stored sync states. They come from a database, so they are not trusted. */
import type { JsonValue } from '../records.js';
import type { SyncState } from './sink.js';

/** The state, or undefined if the stored value is invalid. The sync then starts over, which is always correct. */
export function parseState(stored: unknown): SyncState | undefined {
  const value = typeof stored === 'string' ? parseJson(stored) : stored;
  if (typeof value !== 'object' || value === null) return undefined;
  const { revision, request, position, done } = value as Record<string, unknown>;
  if (typeof revision !== 'string' || typeof request !== 'string' || typeof done !== 'boolean') return undefined;
  // It was written as JSON, and each provider parses its positions.
  return { revision, request, position: (position ?? null) as JsonValue, done };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
