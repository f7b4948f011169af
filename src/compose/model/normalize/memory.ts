/** Why a text is not a memory quantity; the cases of the ComposeMemoryParseError family. */
export type MemoryProblem = 'empty' | 'invalid' | 'negative' | 'overflow';

const UINT64_MAX = 2n ** 64n - 1n;
/** Every unit is a power of 1024, as in container engines. */
const UNITS: Readonly<Record<string, bigint>> = {
  '': 1n,
  b: 1n,
  k: 2n ** 10n,
  m: 2n ** 20n,
  g: 2n ** 30n,
  t: 2n ** 40n,
};
const QUANTITY = /^([+-]?)(\d*)(?:\.(\d*))? ?(?:(b)|([kmgt])(?:i?b|i)?)?$/i;
/** 2^64 has 20 digits. */
const MAX_DIGITS = 20;
/** 1/2^40 has 40 decimal places; further places cannot change the whole number of bytes. */
const MAX_PLACES = 40;

/**
 * Parses a memory quantity: a decimal number, optionally with a fraction, and a suffix b, k, m, g or t in either case,
 * alone, with `b` (`mb`) or as IEC unit (`Mi`, `MiB`). Without a suffix the unit is bytes. Fractions of a byte are
 * truncated.
 *
 * @param input as written, surrounding white space allowed
 * @returns whole bytes, or the problem
 */
export function parseMemory(input: string): bigint | MemoryProblem {
  const text = input.trim();
  if (text === '') return 'empty';
  const match = QUANTITY.exec(text);
  const [sign, whole, fraction = '', byte, letter] = match?.slice(1) ?? [];
  if (match === null || whole === undefined || whole + fraction === '') return 'invalid';
  if (sign === '-') return 'negative';
  const unit = UNITS[(letter ?? byte ?? '').toLowerCase()];
  if (unit === undefined) return 'invalid';
  const digits = whole.replace(/^0+/, '');
  if (digits.length > MAX_DIGITS) return 'overflow';
  const places = fraction.slice(0, MAX_PLACES);
  const bytes = (BigInt(`0${digits}${places}`) * unit) / 10n ** BigInt(places.length);
  return bytes > UINT64_MAX ? 'overflow' : bytes;
}
