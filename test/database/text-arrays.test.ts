import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../../src/database/connection.js';
import { captureLog } from '../support/captured-log.js';
import { createEmptyDatabase, type TestDatabase } from '../support/postgres.js';

let own: TestDatabase;
let database: Database;

beforeAll(async () => {
  own = await createEmptyDatabase();
  database = openDatabase(own.uri, { logger: captureLog().log });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

test('A list of any texts is the same after a round trip through PostgreSQL', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((each) => each.replaceAll('\0', '')),
    fc.constantFrom('', ' ', 'NULL', 'null', '{}', '{', '}', ',', '"', '\\', '\\"', 'a,b', "it's", '\n', '\t'),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(text, { maxLength: 8 }), async (texts) => {
      const [row] = await database.sql<{ texts: string[]; count: number }[]>`
        select given.texts, cardinality(given.texts) as count
        from (select ${database.sql.typed.texts(texts)}::text[] as texts) as given`;
      expect(row).toEqual({ texts, count: texts.length });
    }),
    { numRuns: 200 },
  );
});
