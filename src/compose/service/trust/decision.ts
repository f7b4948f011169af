/** What the table of decisions consists of: kinds of decisions, and those that several keys share. */
import type { Json } from '../../model/node.js';
import type { Allowance } from './allowances.js';
import {
  isImageOfServer,
  isReservedLabel,
  isUnsafePart,
  isUnsafeSubpath,
  isUnsafeTarget,
  keysOf,
  namespaceNeed,
} from './values.js';

/** Why a value is refused: for want of an allowance, or always (`never`). */
export type Need = Allowance | 'never';

export type Decision =
  | 'allowed'
  | {
      /**
       * What the value needs; undefined: it is allowed.
       *
       * @param directory the empty directory of the project: absolute
       */
      readonly need: (value: Json, directory: string) => Need | undefined;
      /** Completes "<path> is refused: ". */
      readonly reason: string;
    };

export const always =
  (need: Need): ((value: Json) => Need) =>
  () =>
    need;
export const when =
  (need: Need, test: (value: Json) => boolean): ((value: Json) => Need | undefined) =>
  (value) =>
    test(value) ? need : undefined;

/** Interpolation leaves texts, which the schema reads later: what does not say no says yes. */
export const isTrue = (value: Json): boolean =>
  value !== false && (typeof value !== 'string' || !/^(?:false|no|off|n)$/i.test(value));
export const isOther =
  (...values: readonly Json[]): ((value: Json) => boolean) =>
  (value) =>
    !values.includes(value);
export const isFilled = (value: Json): boolean => typeof value !== 'object' || Object.keys(value ?? {}).length > 0;

export const serverFile = { need: always('host-files'), reason: 'it reads a file of the server' } as const;
export const privilege = { need: always('privileges'), reason: 'it weakens the isolation of the container' } as const;
export const privileged = {
  need: when('privileges', isTrue),
  reason: 'it gives all privileges of the server',
} as const;
export const device = { need: when('devices', isFilled), reason: 'it gives devices of the server' } as const;
export const external = {
  need: when('other-projects', isTrue),
  reason: 'it uses a resource that is not part of the project',
} as const;
export const namespace = { need: namespaceNeed, reason: 'it joins a namespace outside the project' } as const;
export const RESERVED_LABELS = 'labels of the compose tools and of the engine are reserved';

export const labels = {
  need: when('never', (value) => keysOf(value).some(isReservedLabel)),
  reason: RESERVED_LABELS,
} as const;
export const image = {
  need: when('host-files', (value) => typeof value === 'string' && isImageOfServer(value)),
  reason: 'it takes an image from a file of the server',
} as const;
export const target = { need: when('never', isUnsafeTarget), reason: "a target cannot have ':' or ',' in it" } as const;
export const subpath = { need: when('never', isUnsafeSubpath), reason: 'it must stay inside the volume' } as const;
export const networkPart = { need: when('never', isUnsafePart), reason: "it cannot have ',' in it" } as const;
export const driver = { need: when('plugins', isOther('', 'local')), reason: 'it uses a driver plug-in' } as const;

/** Keys of one mapping that every project may use. */
export function allowed(mapping: string, keys: string): Record<string, Decision> {
  return Object.fromEntries(keys.split(/\s+/).map((key) => [`${mapping}.${key}`, 'allowed']));
}
