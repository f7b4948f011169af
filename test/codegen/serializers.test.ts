import { expect, test } from 'vitest';
import { routes } from '../../generated/platform/routes.js';
import { record } from '../../src/contract-tools/documents.js';
import { entriesAt, follow, type Pointer } from '../../src/contract-tools/gate/pointers.js';
import document from '../../generated/platform/openapi.json' with { type: 'json' };

/** Every example of a reply that is JSON and no problem. */
const examples = routes.flatMap((route) => {
  const responses = ['paths', route.path, route.method.toLowerCase(), 'responses'];
  return entriesAt(document, responses).flatMap(([status, reply]) => {
    const table = route.replies[Number(status)];
    if (table?.kind !== 'success' || table.serialize === null) return [];
    const { serialize, validate } = table;
    return entriesAt(document, [...reply, 'content']).flatMap(([, content]) => {
      const { example } = record(follow(document, content).value);
      const named = entriesAt(document, [...content, 'examples']).map(
        ([, place]) => record(follow(document, place).value)['value'],
      );
      const values = example === undefined ? named : [example];
      return values.map((value, index) => ({
        name: `${route.operationId} ${status} #${index + 1}`,
        value,
        alternatives: hasAlternatives([...content, 'schema'], value),
        serialize,
        validate,
      }));
    });
  });
});

test('There are examples of every reply with a body', () => {
  expect(examples.length).toBeGreaterThan(30);
});

test.each(examples)('$name is valid, and unchanged by the compiled serializer', ({ value, serialize, validate }) => {
  expect(validate?.(structuredClone(value))).toBe(true);
  expect(JSON.parse(serialize(value))).toEqual(value);
});

test.each(examples)(
  '$name: an undocumented property does not leave the server, at any depth',
  ({ value, alternatives, serialize }) => {
    const write = (): string => serialize(withExtras(value));
    // It is no longer known which of several closed schemas is meant: the reply fails as a whole.
    if (alternatives) expect(write).toThrow('does not match schema definition');
    else expect(JSON.parse(write())).toEqual(value);
  },
);

/** Whether the schema of an object in the value is one of several. */
function hasAlternatives(schema: Pointer, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { value: found, pointer } = follow(document, schema);
  if ('oneOf' in record(found)) return true;
  if (Array.isArray(value)) return value.some((item) => hasAlternatives([...pointer, 'items'], item));
  return entriesAt(document, [...pointer, 'properties']).some(([name, place]) =>
    hasAlternatives(place, record(value)[name]),
  );
}

/** The value with a property that no contract has in each of its objects. */
function withExtras(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtras);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [key, withExtras(member)]);
  return { ...Object.fromEntries(members), undocumented_property: 'secret' };
}
