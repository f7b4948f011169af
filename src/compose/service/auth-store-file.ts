/** Parses and validates the file of an auth store. */
import { failure } from '../model/errors.js';

export interface StoredClient {
  readonly name: string;
  /** SHA-256 of the certificate: upper case, bytes separated by colons. */
  readonly fingerprint256: string;
  /** RFC 3339. */
  readonly created_at: string;
}

/**
 * @param path for the errors
 * @throws AuthStoreError malformedFile, duplicateName or duplicateFingerprint
 */
export function parseAuthStore(text: string, path: string): readonly StoredClient[] {
  const entries = parseJson(text, path);
  if (!Array.isArray(entries)) throw malformed(path, 'it is not a JSON array');
  const clients = entries.map((entry: unknown, index) => parseClient(entry, `entry ${index + 1}`, path));
  requireUnique(clients);
  return clients;
}

export function authStoreText(clients: readonly StoredClient[]): string {
  return `${JSON.stringify(clients, null, 2)}\n`;
}

/** @throws AuthStoreError duplicateName or duplicateFingerprint */
export function requireUnique(clients: readonly StoredClient[]): void {
  const names = new Set<string>();
  const holders = new Map<string, string>();
  for (const { name, fingerprint256 } of clients) {
    if (names.has(name)) throw failure('AuthStoreError', 'duplicateName', { name });
    const other = holders.get(fingerprint256);
    if (other !== undefined) throw failure('AuthStoreError', 'duplicateFingerprint', { name, other });
    names.add(name);
    holders.set(fingerprint256, name);
  }
}

/** A name appears in logs and on terminals. */
export function isClientName(name: string): boolean {
  return /^[^\p{C}]{1,128}$/u.test(name) && name.trim() === name;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed(path, 'it is not JSON'); // the parser's message quotes the content
  }
}

const members = ['name', 'fingerprint256', 'created_at'];

function parseClient(entry: unknown, where: string, path: string): StoredClient {
  if (typeof entry !== 'object' || entry === null) throw malformed(path, `${where} is not an object`);
  const unknown = Object.keys(entry).find((key) => !members.includes(key));
  if (unknown !== undefined) throw malformed(path, `${where} has an unknown member`);
  const { name, fingerprint256, created_at }: Partial<Record<keyof StoredClient, unknown>> = entry;
  if (typeof name !== 'string' || !isClientName(name)) {
    throw malformed(path, `${where} has no name of 1 to 128 printable characters`);
  }
  // A hand-written fingerprint may be in lower case, or without colons.
  const digits = typeof fingerprint256 === 'string' ? fingerprint256.replaceAll(':', '').toUpperCase() : '';
  if (!/^[0-9A-F]{64}$/.test(digits)) throw malformed(path, `${where} has no SHA-256 fingerprint`);
  if (typeof created_at !== 'string' || !isRfc3339(created_at)) {
    throw malformed(path, `${where} has no created_at of the form 2026-01-31T10:00:00Z`);
  }
  return { name, fingerprint256: digits.replace(/..(?=.)/g, '$&:'), created_at };
}

function isRfc3339(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text));
}

function malformed(path: string, reason: string): Error {
  return failure('AuthStoreError', 'malformedFile', { path, reason });
}
