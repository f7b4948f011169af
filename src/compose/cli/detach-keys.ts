/** The keys that detach from a process and leave it running: Ctrl-P, then Ctrl-Q, as in Docker. */
import { InvalidArgumentError } from 'commander';

/** A sequence of one or more bytes. */
export type DetachKeys = readonly number[];

const DEFAULT: DetachKeys = [0x10, 0x11];

/** `ctrl-p,ctrl-q`, `ctrl-a,d`: control keys and characters, as in the Docker CLI. */
export function detachKeysOf(text: string): DetachKeys {
  return text.split(',').map((key) => {
    const control = /^ctrl-([a-z@[\\\]^_])$/i.exec(key)?.[1];
    if (control !== undefined) return control.toUpperCase().charCodeAt(0) & 0x1f;
    if (/^[\x20-\x7e]$/.test(key)) return key.charCodeAt(0);
    throw new InvalidArgumentError('It must be keys such as ctrl-p,ctrl-q.');
  });
}

/** The inverse of `detachKeysOf`. */
export function detachKeysText(keys: DetachKeys): string {
  return keys
    .map((key) => (key < 0x20 ? `ctrl-${String.fromCharCode(key | 0x40).toLowerCase()}` : String.fromCharCode(key)))
    .join(',');
}

/** The user detached; the process is still running. */
export class Detached extends Error {
  override readonly name = 'Detached';
  constructor() {
    super('Detached.');
  }
}

/**
 * Passes keys on, and ends at the detach keys. Keys that begin the sequence are held back until the next key, so that
 * the engine, which handles the same keys, never sees the whole sequence.
 *
 * @param onDetach called once, when all keys have been pressed
 */
export async function* untilDetached(
  keys: AsyncIterable<Uint8Array>,
  onDetach: () => void,
  sequence: DetachKeys = DEFAULT,
): AsyncGenerator<Uint8Array, void> {
  const held: number[] = [];
  for await (const chunk of keys) {
    const passed: number[] = [];
    for (const key of chunk) {
      held.push(key);
      if (held.length === sequence.length && begins(sequence, held)) {
        if (passed.length > 0) yield Uint8Array.from(passed);
        onDetach();
        return;
      }
      while (held.length > 0 && !begins(sequence, held)) passed.push(...held.splice(0, 1));
    }
    if (passed.length > 0) yield Uint8Array.from(passed);
  }
  if (held.length > 0) yield Uint8Array.from(held);
}

function begins(sequence: DetachKeys, keys: readonly number[]): boolean {
  return keys.every((key, index) => key === sequence[index]);
}
