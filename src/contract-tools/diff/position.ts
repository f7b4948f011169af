import type { Change } from './change.js';

/** Where two documents are compared: how to look up references, and where to report. */
export interface Comparison {
  /** The documents, in which references are looked up. */
  readonly before: unknown;
  readonly after: unknown;
  report(change: Change): void;
  /** Whether the pair was compared before in the same role; remembers it. Schemas may refer to themselves. */
  isKnown(before: unknown, after: unknown, role: string): boolean;
}

/** What a comparison of schemas needs to know about where they stand. */
export interface Position extends Comparison {
  readonly side: 'request' | 'reply';
  /** In an error reply, a new alternative is additive: clients handle unknown problems by their status. */
  readonly error: boolean;
}
