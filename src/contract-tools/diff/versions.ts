import type { Change, ChangeClass } from './change.js';

/** Everything that changed in one contract since the base, and its versions. */
export interface ContractChanges {
  /** `platform`, `compose` or `graphql`. */
  readonly name: string;
  readonly before: string;
  readonly after: string;
  readonly changes: readonly Change[];
}

/** The class of the gravest change; null without any. */
export function gravest(changes: readonly Change[]): ChangeClass | null {
  return (
    (['breaking', 'additive', 'neutral'] as const).find((kind) => changes.some((each) => each.class === kind)) ?? null
  );
}

/**
 * The least version that a contract must have after such a change (Semantic Versioning 2.0.0; below 1.0.0 the minor
 * version counts breaks).
 *
 * @throws Error when the version is not of the form 1.2.3
 */
export function requiredVersion(before: string, kind: ChangeClass | null): string {
  const [major, minor, patch] = parts(before);
  if (kind === 'breaking') return major === 0 ? `0.${minor + 1}.0` : `${major + 1}.0.0`;
  if (kind === 'additive') return major === 0 ? `0.${minor}.${patch + 1}` : `${major}.${minor + 1}.0`;
  return before;
}

/** Whether the version of a contract admits its changes. */
export function isDeclared({ before, after, changes }: ContractChanges): boolean {
  const [now, least] = [parts(after), parts(requiredVersion(before, gravest(changes)))];
  const differing = now.findIndex((part, index) => part !== least[index]);
  return differing === -1 || (now[differing] ?? 0) > (least[differing] ?? 0);
}

function parts(version: string): [number, number, number] {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(version);
  if (match === null) throw new Error(`The contract's version is ${version}; it must be of the form 1.2.3`);
  return [Number(match[1]), Number(match[2]), Number(match[3])];
}
