/** The number of requests allowed in a window. */
export interface RateLimitRule {
  readonly limit: number;
  readonly windowSeconds: number;
}

const unitSeconds: Readonly<Record<string, number>> = {
  second: 1,
  s: 1,
  minute: 60,
  m: 60,
  hour: 3600,
  h: 3600,
  day: 86_400,
  d: 86_400,
};

/**
 * Parses `3/hour`, `20/15m` or `off`.
 *
 * @returns null for `off`
 * @throws Error that describes the format
 */
export function parseRateLimit(text: string): RateLimitRule | null {
  if (text === 'off') return null;
  const match = /^([1-9]\d{0,8})\/(\d{0,5})([a-z]+)$/.exec(text);
  const unit = unitSeconds[match?.[3] ?? ''];
  const count = match?.[2] === '' ? 1 : Number(match?.[2]);
  if (match === null || unit === undefined || count < 1) {
    throw new Error(
      'must be like 3/hour, 20/15m (N per second, minute, hour or day, or N per so many s, m, h, d) or off',
    );
  }
  return { limit: Number(match[1]), windowSeconds: count * unit };
}
