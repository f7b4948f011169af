import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** One broken rule of the contract's `PasswordViolation`. */
export interface PasswordViolation {
  readonly rule: 'min_length' | 'max_bytes' | 'letter' | 'digit' | 'common';
  readonly message: string;
}

const minLength = 12;
/** bcrypt reads no further; what is longer is refused rather than cut off (OWASP ASVS 6.2.8). */
export const maxPasswordBytes = 72;

/** What an attacker knows of a person, and tries first. */
export interface PasswordOwner {
  readonly email: string;
  readonly fullName?: string | null;
  readonly organizationName?: string | null;
}

/**
 * Checks a new password against all rules at once.
 *
 * @param owner whose password it is to be: their address and names do not count as strength
 * @returns every rule that it breaks; none: it is acceptable
 */
export async function checkPassword(password: string, owner?: PasswordOwner): Promise<PasswordViolation[]> {
  const violations: PasswordViolation[] = [];
  if (Array.from(password).length < minLength) {
    violations.push({ rule: 'min_length', message: `Use at least ${minLength} characters.` });
  }
  const isTooLong = Buffer.byteLength(password) > maxPasswordBytes;
  if (isTooLong) violations.push({ rule: 'max_bytes', message: `Use at most ${maxPasswordBytes} bytes in UTF-8.` });
  if (!/\p{L}/u.test(password)) violations.push({ rule: 'letter', message: 'Use at least one letter.' });
  if (!/\p{Nd}/u.test(password)) violations.push({ rule: 'digit', message: 'Use at least one digit.' });
  // The time of the estimate grows with the length: what is refused as too long is not estimated.
  if (violations.length === 0 && (await score(password, owner)) < minScore) violations.push(tooCommon);
  return violations;
}

const tooCommon: PasswordViolation = {
  rule: 'common',
  message:
    'This password is easy to guess. Avoid well-known passwords, repetitions, rows of keys, and your own name or address.',
};

/** The violation of a new password that is the current one. */
export const samePassword: PasswordViolation = {
  rule: 'common',
  message: 'This is the current password. Choose another one.',
};

/**
 * zxcvbn's score from which a password is accepted: at least 10^8 guesses. Measured: passwords such as `Password12345`
 * and `1q2w3e4r5t6y` score 0 or 1, passphrases of three words and more, and random text, score 4.
 */
const minScore = 3;

/** Of an address or a name, this is compared with the password. */
const longestKnown = 64;
const mostParts = 8;

const separators = /[^\p{L}\p{N}]+/gu;

async function score(password: string, owner: PasswordOwner | undefined): Promise<number> {
  const known = [owner?.email, owner?.fullName, owner?.organizationName].filter((each) => typeof each === 'string');
  // Names may be long; the time of the estimate grows with what is known.
  const parts = known
    .map((each) => each.slice(0, longestKnown))
    .flatMap((each) => [each, each.replaceAll(separators, ''), ...each.split(separators).slice(0, mostParts)]);
  return (await estimator()).check(
    password,
    parts.filter((each) => each.length > 2),
  ).score;
}

let loading: Promise<ZxcvbnFactory> | undefined;

/** The dictionaries are large, so that they are read when the first password is checked, not when the server starts. */
function estimator(): Promise<ZxcvbnFactory> {
  return (loading ??= load());
}

async function load(): Promise<ZxcvbnFactory> {
  const [core, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new core.ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
}
