import { isTransient, shortageOf, type Shortage } from './failures.js';
import type { Log } from './log.js';
import type { DatabaseSql } from './sql.js';

/** Whether the database server lacks a resource, such as disk space. */
export interface Shortages {
  /** The shortage that made a statement fail; null: there is none, or it was seen to be over. */
  current(): Shortage | null;
  /**
   * Whether the shortage lasts: after one, writes a few pages, which are not kept.
   *
   * @throws the driver's error when the database cannot be reached
   */
  check(sql: DatabaseSql): Promise<Shortage | null>;
}

/** Remembers shortages, and logs when one begins and ends. `note` takes the errors of statements. */
export function createShortages(log: Log): Shortages & { note(error: unknown): void } {
  let current: Shortage | null = null;
  const note = (error: unknown): void => {
    const shortage = shortageOf(error);
    if (shortage === null || shortage === current) return;
    current = shortage;
    log.error({ err: error, shortage: shortage.name }, shortage.sentence);
  };
  return {
    note,
    current: () => current,
    async check(sql) {
      const before = current;
      if (before === null) return null;
      try {
        await writeSomePages(sql);
      } catch (error) {
        const shortage = shortageOf(error);
        if (shortage !== null) return shortage;
        if (isTransient(error)) throw error;
        // The role may not create temporary tables, so what the statements of requests meet has to tell.
      }
      // Unless another statement has failed meanwhile.
      if (current === before) current = null;
      if (current === null) log.info({ shortage: before.name }, 'The database accepts writes again');
      return current;
    },
  };
}

/** A full disk allows reads, and writes to pages that exist already. So this one needs new pages. */
async function writeSomePages(sql: DatabaseSql): Promise<void> {
  await sql.begin(async (transaction) => {
    await transaction`
      create temporary table plumbline_shortage_check on commit drop as
      select repeat(md5(number::text), 30) as filler from generate_series(1, 500) as number`;
  });
}
