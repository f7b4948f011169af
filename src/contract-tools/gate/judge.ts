import type { Unit } from './observations.js';
import { separator, type Exception } from './exceptions.js';
import type { Surface } from './surface.js';

/** The result for one unit. All but the first two fail the gate. */
export type Mark =
  | 'seen'
  /** Not seen; the exceptions name the reason. */
  | 'excepted'
  | 'missing'
  /** Seen, although no contract documents it. */
  | 'undocumented'
  /** Seen, although the exceptions say that it cannot be. */
  | 'needlessly excepted';

export interface JudgedUnit {
  readonly unit: Unit;
  readonly mark: Mark;
  readonly reason: string | null;
}

export interface JudgedSurface {
  readonly name: string;
  readonly units: readonly JudgedUnit[];
  /** What was not as documented. */
  readonly faults: readonly string[];
}

export interface Verdict {
  readonly surfaces: readonly JudgedSurface[];
  /** Exceptions for units that no contract documents any more. */
  readonly staleExceptions: readonly Exception[];
  readonly passed: boolean;
}

/** Compares what the contracts document with what the tests have seen, both ways. */
export function judge(surfaces: readonly Surface[], exceptions: readonly Exception[]): Verdict {
  const judged = surfaces.map((surface) =>
    judgeSurface(
      surface,
      exceptions.filter((each) => each.surface === surface.name),
    ),
  );
  const documented = new Set(surfaces.flatMap(({ name, units }) => units.map((unit) => key([name, ...unit]))));
  const staleExceptions = exceptions.filter(({ surface, unit }) => !documented.has(key([surface, ...unit])));
  const passed =
    staleExceptions.length === 0 &&
    judged.every(({ units, faults }) => faults.length === 0 && units.every(({ mark }) => !isFailure(mark)));
  return { surfaces: judged, staleExceptions, passed };
}

/** Whether a unit with this mark fails the gate. */
export function isFailure(mark: Mark): boolean {
  return mark !== 'seen' && mark !== 'excepted';
}

function judgeSurface({ name, units, seen }: Surface, exceptions: readonly Exception[]): JudgedSurface {
  const seenKeys = new Set(seen.units.map(key));
  const reasons = new Map(exceptions.map(({ unit, reason }) => [key(unit), reason]));
  const documented = new Map(units.map((unit) => [key(unit), unit]));
  const judged = [...documented].map(([id, unit]): JudgedUnit => {
    const reason = reasons.get(id) ?? null;
    if (seenKeys.has(id)) return { unit, mark: reason === null ? 'seen' : 'needlessly excepted', reason };
    return { unit, mark: reason === null ? 'missing' : 'excepted', reason };
  });
  const undocumented = seen.units.filter((unit) => !documented.has(key(unit)));
  return {
    name,
    units: [...judged, ...undocumented.map((unit): JudgedUnit => ({ unit, mark: 'undocumented', reason: null }))],
    faults: seen.faults,
  };
}

function key(unit: Unit): string {
  return unit.join(separator);
}
