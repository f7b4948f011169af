import { Secret, TOTP } from 'otpauth';
import type { Random } from '../../random.js';

const periodSeconds = 30;

/** 160 bits, as RFC 4226 recommends: 32 characters of base32. */
export function newTotpSecret(random: Random): string {
  return new Secret({ buffer: Uint8Array.from(random.bytes(20)).buffer }).base32;
}

/** The URI that authenticator apps read from a QR code. */
export function otpauthUri(
  secret: string,
  { issuer, label }: { readonly issuer: string; readonly label: string },
): string {
  return new TOTP({ secret, issuer, label }).toString();
}

/**
 * Checks a code of 6 digits (RFC 6238). Codes of the 30 seconds before and after count, because clocks differ.
 *
 * @returns the number of the 30 seconds that the code belongs to, which must not be accepted again; null: it is wrong
 */
export function totpStep(secret: string, code: string, now: Date): number | null {
  const timestamp = now.getTime();
  const delta = new TOTP({ secret, period: periodSeconds }).validate({ token: code, timestamp, window: 1 });
  return delta === null ? null : Math.floor(timestamp / 1000 / periodSeconds) + delta;
}
