import { expect, test } from 'vitest';
import compose from '../../generated/compose/openapi.json' with { type: 'json' };
import * as composeValidators from '../../generated/compose/validators.js';
import platform from '../../generated/platform/openapi.json' with { type: 'json' };
import * as platformValidators from '../../generated/platform/validators.js';
import type { Validator } from '../../src/contract/contract-types.js';
import { record } from '../../src/contract-tools/documents.js';

const zulu = /(\d{2}:\d{2}:\d{2}(?:\.\d+)?)Z"/;

/** Replies of one example that has a time: a validator, and the example. */
const replies = [
  ...repliesOf(platform, new Map(Object.entries(platformValidators))),
  ...repliesOf(compose, new Map(Object.entries(composeValidators))),
];

function repliesOf(
  contract: object,
  validators: ReadonlyMap<string, Validator>,
): { name: string; validate: Validator; example: string }[] {
  const operations = Object.values(record(record(contract)['paths'])).flatMap((item) => Object.values(record(item)));
  return operations.map(record).flatMap(({ operationId, responses }) =>
    Object.entries(record(responses)).flatMap(([status, response]) => {
      const name = `${String(operationId)}_${status}`;
      const validate = validators.get(name);
      const media = record(record(record(response)['content'])['application/json']);
      const example = JSON.stringify(media['example'] ?? null);
      return validate !== undefined && zulu.test(example) ? [{ name, validate, example }] : [];
    }),
  );
}

test('Replies of both contracts have times', () => {
  expect(replies.length).toBeGreaterThan(10);
});

test.each(replies)('$name refuses a time of another offset than UTC', ({ validate, example }) => {
  expect(validate(JSON.parse(example))).toBe(true);
  expect(validate(JSON.parse(example.replace(zulu, '$1+02:00"')))).toBe(false);
});
