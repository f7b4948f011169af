const UNIT_NANOSECONDS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  // The micro sign and the Greek letter look alike; both are in use.
  '\u00b5s': 1_000n,
  '\u03bcs': 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};
const INT64_MAX = 2n ** 63n - 1n;
const PART = /(\d*)(?:\.(\d*))?([a-z\u00b5\u03bc]+)/y;
/** A week has 15 digits of nanoseconds, so further decimal places do not matter. */
const MAX_PLACES = 18;
const MAX_DIGITS = 19;

/**
 * Parses a duration such as `1m30s`, `1.5h` or `90s` (Compose Specification, "Specifying durations").
 *
 * @returns nanoseconds, or undefined if the text is not a duration or needs more than 63 bits
 */
export function parseDuration(text: string): number | undefined {
  const negative = text.startsWith('-');
  const parts = /^[+-]/.test(text) ? text.slice(1) : text;
  if (parts === '0') return 0;
  if (parts === '') return undefined;
  let total = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < parts.length) {
    const [, whole = '', fraction = '', name = ''] = PART.exec(parts) ?? [];
    const unit = UNIT_NANOSECONDS[name];
    if (unit === undefined || whole + fraction === '' || whole.length > MAX_DIGITS) return undefined;
    const places = fraction.slice(0, MAX_PLACES);
    total += (BigInt(`0${whole}${places}`) * unit) / 10n ** BigInt(places.length);
    if (total > INT64_MAX) return undefined;
  }
  return total === 0n ? 0 : Number(negative ? -total : total);
}

/** Formats nanoseconds in the shortest exact form with h, m and s: `1m30s`, `500ms`, `0s`. */
export function formatDuration(nanoseconds: number): string {
  if (nanoseconds === 0) return '0s';
  const sign = nanoseconds < 0 ? '-' : '';
  const total = BigInt(Math.abs(nanoseconds));
  if (total < 1_000n) return `${sign}${String(total)}ns`;
  if (total < 1_000_000n) return `${sign}${decimal(total, 1_000n)}\u00b5s`;
  if (total < 1_000_000_000n) return `${sign}${decimal(total, 1_000_000n)}ms`;
  const hours = total / 3_600_000_000_000n;
  const minutes = (total / 60_000_000_000n) % 60n;
  const seconds = `${decimal(total % 60_000_000_000n, 1_000_000_000n)}s`;
  if (hours > 0n) return `${sign}${String(hours)}h${String(minutes)}m${seconds}`;
  return minutes > 0n ? `${sign}${String(minutes)}m${seconds}` : `${sign}${seconds}`;
}

function decimal(value: bigint, unit: bigint): string {
  const fraction = String(value % unit)
    .padStart(String(unit).length - 1, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${String(value / unit)}.${fraction}`;
}
