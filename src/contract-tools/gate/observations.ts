import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/**
 * One thing that a contract documents and a test can see happen, as the way to it from the outside in:
 * `['login', '401', 'application/problem+json', '/problems/invalid-credentials']`. What the parts mean is up to the
 * surface: a GraphQL schema has fields, enum values and error codes.
 */
export type Unit = readonly string[];

/** What one run of the tests has seen of one surface. */
export interface Seen {
  readonly units: readonly Unit[];
  /** What was not as documented. Kept even where a test caught the recorder's error. */
  readonly faults: readonly string[];
}

/** Where tests note what they see, and the gate reads it. */
export interface Observations {
  observe(surface: string, unit: Unit): void;
  reportFault(surface: string, fault: string): void;
}

/**
 * Opens the observations in `folder`. Each thread writes one file per surface, and each line in one call, so that test
 * workers do not disturb each other.
 */
export function openObservations(folder: string): Observations {
  const written = new Set<string>();
  const append = (surface: string, entry: object): void => {
    const line = `${JSON.stringify(entry)}\n`;
    if (written.has(surface + line)) return;
    mkdirSync(join(folder, surface), { recursive: true });
    appendFileSync(join(folder, surface, `${process.pid}-${threadId}.jsonl`), line);
    written.add(surface + line);
  };
  return {
    observe: (surface, unit) => {
      append(surface, { unit });
    },
    reportFault: (surface, fault) => {
      append(surface, { fault });
    },
  };
}

/** Keeps observations of one surface in memory. */
export function collectObservations(): Observations & { readonly seen: () => Seen } {
  const units = new Map<string, Unit>();
  const faults = new Set<string>();
  return {
    observe: (_, unit) => units.set(JSON.stringify(unit), unit),
    reportFault: (_, fault) => faults.add(fault),
    seen: () => ({ units: [...units.values()], faults: [...faults] }),
  };
}

/** Reads what was noted of one surface; nothing when no test has touched it. */
export function readObservations(folder: string, surface: string): Seen {
  const units = new Map<string, Unit>();
  const faults = new Set<string>();
  const place = join(folder, surface);
  for (const file of existsSync(place) ? readdirSync(place).sort() : []) {
    for (const line of readFileSync(join(place, file), 'utf8').split('\n')) {
      if (line === '') continue;
      const entry: unknown = JSON.parse(line);
      if (isEntry(entry, 'unit') && Array.isArray(entry.unit)) units.set(line, entry.unit.map(String));
      else if (isEntry(entry, 'fault')) faults.add(String(entry.fault));
      else throw new Error(`${place}/${file} has a line that is not an observation: ${line}`);
    }
  }
  return { units: [...units.values()], faults: [...faults] };
}

function isEntry<Key extends string>(entry: unknown, key: Key): entry is Record<Key, unknown> {
  return typeof entry === 'object' && entry !== null && key in entry;
}
