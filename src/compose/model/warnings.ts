import type { Place } from './node.js';

export type WarningCode =
  'unsetVariable' | 'unsupportedKey' | 'stopTimeIgnored' | 'obsoleteVersion' | 'ambiguousFiles' | 'unsetContent';

/** A problem that does not prevent loading. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly location?: Place;
}

/** Collects warnings without duplicates. */
export class WarningList {
  readonly #byMessage = new Map<string, Warning>();

  add(code: WarningCode, message: string, location?: Place): void {
    if (this.#byMessage.has(message)) return;
    this.#byMessage.set(message, location === undefined ? { code, message } : { code, message, location });
  }

  all(): Warning[] {
    return [...this.#byMessage.values()];
  }
}
