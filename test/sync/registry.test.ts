import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isCodeHost, PROVIDER_NAMES, PROVIDERS, providerNamed } from '../../src/sync/providers/registry.js';
import { TARGETS } from '../../src/sync/targets.js';

/** The values of an enumeration of a contract file. */
async function valuesOf(file: string, name: string): Promise<readonly string[]> {
  const schemas = parse(await readFile(`openapi/${file}`, 'utf8')) as Record<string, { enum: string[] }>;
  return schemas[name]?.enum.toSorted() ?? [];
}

test('The contract has the providers of the registry', async () => {
  expect(await valuesOf('platform/sync.yaml', 'SyncProvider')).toEqual(PROVIDER_NAMES.toSorted());
  expect(await valuesOf('platform/sync.yaml', 'SyncTarget')).toEqual(TARGETS.toSorted());
});

test('The code hosts of the contract are the providers that an integration connects', async () => {
  expect(await valuesOf('shared/schemas.yaml', 'CodeHost')).toEqual(PROVIDER_NAMES.filter(isCodeHost).toSorted());
});

test('Each provider can be named by its name and its alias, which no other provider has', () => {
  const names = PROVIDERS.flatMap(({ name, alias }) => [name, ...(alias === undefined ? [] : [alias])]);
  expect(new Set(names).size).toBe(names.length);
  expect(names.map((name) => providerNamed(name)?.name)).toEqual(
    PROVIDERS.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, name])),
  );
});

test('Providers share an option only with the same flags, so that a command can have it once', () => {
  const flags = new Map<string, string>();
  for (const { options } of PROVIDERS) {
    for (const [option, [text]] of Object.entries(options)) expect(flags.get(option) ?? text).toBe(text);
    for (const [option, [text]] of Object.entries(options)) flags.set(option, text);
  }
});
