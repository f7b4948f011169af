import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import type { LeakCheck } from './leaked-passwords.js';

/** One violated rule, the contract's `PasswordViolation`. */
export interface PasswordViolation {
  readonly rule: 'min_length' | 'max_bytes' | 'letter' | 'digit' | 'common';
  readonly message: string;
}

const minLength = 12;
/** bcrypt ignores further bytes, so longer passwords are rejected rather than truncated (OWASP ASVS 6.2.8). */
export const maxPasswordBytes = 72;

/**
 * The form in which passwords are judged and hashed: keyboards and systems send the same letters as different code
 * points (NIST SP 800-63B, section 3.1.1.2).
 */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/** Data about a user that attackers guess first. */
export interface PasswordOwner {
  readonly email: string;
  readonly fullName?: string | null;
  readonly organizationNames?: readonly string[];
}

/**
 * Checks a new password against all rules.
 *
 * @param owner the future owner; their address and names do not count as strength
 * @param isLeaked asked about passwords that meet all other rules; default: none is leaked
 * @returns every violated rule; empty: the password is acceptable
 */
export async function checkPassword(
  entered: string,
  owner?: PasswordOwner,
  isLeaked?: LeakCheck,
): Promise<PasswordViolation[]> {
  const violations: PasswordViolation[] = [];
  const password = normalizePassword(entered);
  // One character can become 18 by the normalization, and several can become one.
  if (Math.min(Array.from(entered).length, Array.from(password).length) < minLength) {
    violations.push({ rule: 'min_length', message: `Use at least ${minLength} characters.` });
  }
  const isTooLong = Buffer.byteLength(password) > maxPasswordBytes;
  if (isTooLong) violations.push({ rule: 'max_bytes', message: `Use at most ${maxPasswordBytes} bytes in UTF-8.` });
  if (!/\p{L}/u.test(password)) violations.push({ rule: 'letter', message: 'Use at least one letter.' });
  if (!/\p{Nd}/u.test(password)) violations.push({ rule: 'digit', message: 'Use at least one digit.' });
  // The estimate takes longer for longer passwords, so skip it for those already rejected.
  if (violations.length === 0 && (await isEasy(password, owner))) violations.push(tooCommon);
  if (violations.length === 0 && (await isLeaked?.(password)) === true) violations.push(leaked);
  return violations;
}

const tooCommon: PasswordViolation = {
  rule: 'common',
  message:
    'This password is easy to guess. Avoid common passwords, repetitions, keyboard patterns, your name or address, ' +
    'and the name of your organization.',
};

const leaked: PasswordViolation = {
  rule: 'common',
  message: 'This password is known from a leak of another service. Choose another one.',
};

/** The violation of reusing the current password. */
export const samePassword: PasswordViolation = {
  rule: 'common',
  message: 'This is the current password. Choose another one.',
};

/**
 * The least number of guesses, as zxcvbn estimates them. Measured: passwords such as `Password12345` and `1q2w3e4r5t6y`
 * take fewer than 10^6; passphrases of three or more words and random text more than 10^10.
 */
const leastGuesses = 10 ** 8;

/**
 * The least number of guesses without a decoration, for each part of which the estimate counts 10^4: `Summer` takes few,
 * `Summer2026!!` more than 10^8.
 */
const leastGuessesUndecorated = 10 ** 6;

/** The signs of a keyboard. */
const sign = '[!-/:-@\\[-`{-~ ]';
const signs = new RegExp(sign, 'g');

/** A year or a short number, with signs around it: what people put before or behind a word that they know. */
const decoration = `${sign}*(?:(?:19|20)\\d\\d|\\d{1,4})?${sign}*`;
const decorations = new RegExp(`^${decoration}|${decoration}$`, 'g');
/** The same between two words, without its signs: `Summer!!2026Winter`. */
const yearBetweenWords = /(?<=\p{L}{3})\d{1,4}(?=\p{L}{3})/gu;

/** What passwords are made of that are changed every few months, beside the dictionaries of the estimator. */
const usualWords = (
  'spring summer autumn fall winter january february march april may june july august september october november ' +
  'december monday tuesday wednesday thursday friday saturday sunday welcome company password passwort contraseña ' +
  'motdepasse senha wachtwoord пароль plumbline'
).split(' ');

/**
 * The estimate runs on the thread that serves requests, and its time grows faster than the lengths. So only the first
 * characters are estimated; the rest can only make the password stronger. Measured on a busy machine with the worst
 * inputs found: 505 ms for 72 characters, 121 ms for 32.
 */
const longestEstimated = 32;
/** The maximum length of an address or name that is compared with the password. */
const longestKnown = longestEstimated;
const mostParts = 4;

const separators = /[^\p{L}\p{N}]+/gu;

async function isEasy(password: string, owner: PasswordOwner | undefined): Promise<boolean> {
  const known = [...usualWords, ...partsOf(owner)];
  const estimated = Array.from(password).slice(0, longestEstimated).join('');
  if ((await guesses(estimated, known)) < leastGuesses) return true;
  const undecorated = estimated.replaceAll(decorations, '').replaceAll(signs, '').replaceAll(yearBetweenWords, '');
  return (await guesses(undecorated, known)) < leastGuessesUndecorated;
}

/** The address and the names of a user, whole and in parts. */
function partsOf(owner: PasswordOwner | undefined): string[] {
  const { email, fullName, organizationNames = [] } = owner ?? {};
  const known = [email, email?.split('@', 1)[0], fullName, ...organizationNames].filter(
    (each) => typeof each === 'string',
  );
  // Names may be long, and the estimate takes longer with more known parts.
  return known
    .map((each) => each.slice(0, longestKnown))
    .flatMap((each) => [each, each.replaceAll(separators, ''), ...each.split(separators).slice(0, mostParts)])
    .filter((each) => each.length > 2);
}

async function guesses(text: string, known: string[]): Promise<number> {
  return (await estimator()).check(text, known).guesses;
}

let loading: Promise<ZxcvbnFactory> | undefined;

/** The dictionaries are large, so they are loaded when the first password is checked, not at server start. */
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
