import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitState, RequestCounts } from '@plumbline/contract/rate-limiting';
import type { Sql } from '../../../database/connection.js';
import type { RateLimitRule } from './rate-limit-rule.js';
import { rateLimitState } from './rate-limit-state.js';

/** A rate limiter that can count several requests at once. */
export interface StoredRateLimiter extends RequestCounts {
  consume(setting: string, key: string, points?: number): Promise<RateLimitState | null>;
}

/**
 * Counts requests in PostgreSQL, shared by all servers of the installation.
 *
 * @param rules by setting name; null: the limit is off
 */
export function createStoredRateLimiter(
  sql: Sql,
  rules: Readonly<Record<string, RateLimitRule | null>>,
): StoredRateLimiter {
  const limiters = new Map(
    Object.entries(rules).map(([setting, rule]) => [setting, rule === null ? null : createLimiter(sql, setting, rule)]),
  );
  return {
    consume: async (setting, key, points = 1) => {
      const rule = rules[setting];
      const limiter = limiters.get(setting);
      if (rule === undefined || limiter === undefined) throw new Error(`There is no rate limit ${setting}`);
      if (rule === null || limiter === null) return null;
      const { consumedPoints, msBeforeNext } = await consumed(limiter, key, points);
      return rateLimitState(rule, consumedPoints, msBeforeNext);
    },
    giveBack: async (setting, key) => {
      // `reward` of the library would begin a new window if this one has just ended.
      await sql`update rate_limits set points = points - 1 where key = ${`${setting}:${key}`} and points > 0`;
    },
  };
}

function createLimiter(sql: Sql, setting: string, { limit, windowSeconds }: RateLimitRule): RateLimiterPostgres {
  return new RateLimiterPostgres({
    storeClient: {
      query: async ({ text, values }: { text: string; values: (string | number | null)[] }) => {
        const rows = await sql.unsafe(text, values, { prepare: true });
        return { rows, rowCount: rows.count };
      },
    },
    storeType: 'client', // any object with a `query` method
    tableName: 'rate_limits',
    tableCreated: true, // by a migration
    clearExpiredByTimeout: true,
    keyPrefix: setting,
    points: limit,
    duration: windowSeconds,
  });
}

/** The library throws its result when the limit is exceeded, and an Error when it could not count. */
async function consumed(limiter: RateLimiterPostgres, key: string, points: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, points);
  } catch (answer) {
    if (answer instanceof RateLimiterRes) return answer;
    throw answer;
  }
}
