import { expect, it } from 'vitest';
import { parseOrganizationRules } from '../../../../src/sync/work-units/classify/organization-rules.js';
import type { RepositoryContext } from '../../../../src/sync/work-units/derivation/plan.js';
import { RecordReader } from '../../../../src/sync/work-units/derivation/read.js';
import { classifier, commitRow, teamAssigner } from './deriving.js';

/** As many patterns as an organization can have, each with ten parts that match late. */
const patterns = Array.from({ length: 1000 }, (_, index) => `'**/a*/**/*a${index}x/**/a*a*/**/z*'`);
const rules = Array.from(
  { length: 200 },
  (_, index) =>
    `  - { name: rule ${index}, paths: [${patterns.slice(index * 5, index * 5 + 5).join(', ')}], gives: risk.compliance }`,
);
const codeowners = Array.from({ length: 500 }, (_, index) => `*a*a*b${index}*a*a/**/x*z @example/team-${index}`);

it('A commit with many files does not keep the server from other requests, whatever patterns say', async () => {
  const own = classifier.precededBy(parseOrganizationRules(`rules:\n${rules.join('\n')}`, 'The file'));
  const teams = teamAssigner([], 'example/api', codeowners.join('\n'));
  const paths = Array.from({ length: 400 }, (_, index) => `src/folder${index % 97}/module${index}/file${index}.ts`);
  // The facts of commits that were read need no records.
  const reader = new RecordReader(
    {} as ConstructorParameters<typeof RecordReader>[0],
    {
      classifier: own,
      teams,
    } as RepositoryContext,
  );
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const [facts] = await reader.factsOf([{ row: commitRow('a'.repeat(40)), churn: 5, aggregate: null, paths }]);
  isDone = true;
  expect([facts?.changes.churn, facts?.changes.owners.get('')]).toEqual([5, 400]);
  expect(turns).toBeGreaterThan(5);
});
