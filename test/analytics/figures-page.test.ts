/** The page of figures describes what the schema offers, and nothing else. */
import { readFile } from 'node:fs/promises';
import { buildSchema, getNamedType, isEnumType, isObjectType, type GraphQLObjectType } from 'graphql';
import { expect, test } from 'vitest';

const schema = buildSchema(await readFile('graphql/schema.graphql', 'utf8'));
const page = await readFile('src/analytics/FIGURES.md', 'utf8');

interface Entry {
  readonly name: string;
  readonly fields: readonly string[];
  readonly text: string;
}

/** `- **Name** (`Type.field`, ...): text` over several lines. */
const entries: readonly Entry[] = page
  .split(/^(?=- \*\*|## )/m)
  .filter((part) => part.startsWith('- '))
  .map((part) => {
    const [, name = '', fields = '', text = ''] = /^- \*\*(.+?)\*\* \(([^)]+)\):? (.+)$/s.exec(part.trim()) ?? [];
    return { name, fields: [...fields.matchAll(/`([^`]+)`/g)].map(([, field = '']) => field), text };
  });

/** The measures, and all numbers and bands in answers to questions about the organization's work. */
function offered(): readonly string[] {
  const measures = ['MeasureInput', 'DistributionMeasureInput'].flatMap((name) => {
    const type = schema.getType(name);
    return isEnumType(type) ? type.getValues().map((value) => value.name) : [];
  });
  const found = new Set(measures);
  const seen = new Set<GraphQLObjectType>();
  const visit = (type: GraphQLObjectType): void => {
    if (seen.has(type)) return;
    seen.add(type);
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type);
      if (isObjectType(named)) visit(named);
      else if (['Int', 'Float', 'DoraBand'].includes(named.name)) found.add(`${type.name}.${field.name}`);
    }
  };
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const named = getNamedType(field.type);
    if (field.name !== 'catalog' && isObjectType(named)) visit(named);
  }
  return [...found].sort();
}

test('The page has an entry for every figure of the schema, and for nothing else', () => {
  expect(entries.length).toBeGreaterThan(20);
  expect(entries.flatMap(({ fields }) => fields).toSorted()).toEqual(offered());
});

test.each(entries)('$name is defined in two sentences, with its source and what it is not for', ({ text }) => {
  const [, definition = '', source = '', misuse = ''] =
    /^(.+?)\sSource:\s+(.+?)\s+Not\s+for:\s+(.+)$/s.exec(text) ?? [];
  expect(definition.split(/\.(?=\s|$)/).filter((sentence) => sentence.trim() !== '')).toHaveLength(2);
  expect(source).toMatch(/\.$/);
  expect(misuse).toMatch(/\.$/);
});

test('The README names the page', async () => {
  expect(await readFile('src/analytics/README.md', 'utf8')).toContain('[FIGURES.md](FIGURES.md)');
});
