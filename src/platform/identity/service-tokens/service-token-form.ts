/**
 * The form of service tokens: a prefix that secret scanners find, 256 random bits, and a checksum, so that a scanner or
 * this server recognizes a made-up token without a database.
 */
import { crc32 } from 'node:zlib';
import { schemes } from '../../../../generated/platform/routes.js';
import type { Random } from '../../random.js';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62 ** 43 is a little more than 2 ** 256. */
const randomLength = 43;
/** 62 ** 6 is more than 2 ** 32. */
const checksumLength = 6;

/** What every service token begins with. */
export const serviceTokenPrefix = schemes.serviceToken.prefix;

const form = new RegExp(`^${serviceTokenPrefix}([0-9A-Za-z]{${randomLength}})([0-9A-Za-z]{${checksumLength}})$`);

/** A new service token. */
export function newServiceToken(random: Random): string {
  const secret = randomDigits(random);
  return `${serviceTokenPrefix}${secret}${checksumOf(secret)}`;
}

/** Whether a text has the form of a service token, with the right checksum. */
export function isServiceToken(text: string): boolean {
  const [, secret = '', checksum] = form.exec(text) ?? [];
  return checksum === checksumOf(secret);
}

function randomDigits(random: Random): string {
  let text = '';
  while (text.length < randomLength) {
    // A byte from 248 on would make the first digits more likely than others.
    for (const byte of random.bytes(randomLength)) if (byte < 248) text += digits.charAt(byte % 62);
  }
  return text.slice(0, randomLength);
}

function checksumOf(secret: string): string {
  let rest = crc32(secret);
  let text = '';
  for (let place = 0; place < checksumLength; place++) {
    text = digits.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
