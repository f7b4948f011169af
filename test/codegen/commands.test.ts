import { beforeAll, describe, expect, test } from 'vitest';
import { bundleContract } from '../../src/codegen/read/bundle.js';
import { emitCommands } from '../../src/codegen/emit/commands.js';
import type { OpenApiDocument } from '../../src/codegen/read/openapi-document.js';
import { readContract } from '../../src/codegen/read/read-contract.js';

let document: OpenApiDocument;
beforeAll(async () => {
  document = await bundleContract('openapi/platform.yaml');
});

/** The commands of the Platform API with another name of a property of `createTeam`. */
function renamed(from: string, to: string): string {
  const changed = structuredClone(document);
  const { properties } = changed.components?.schemas?.['CreateTeamRequest'] ?? {};
  if (typeof properties !== 'object' || properties === null) throw new Error('CreateTeamRequest has no properties');
  Reflect.set(properties, to, Reflect.get(properties, from));
  Reflect.deleteProperty(properties, from);
  return emitCommands(readContract('platform', changed));
}

describe('The generator of commands', () => {
  test('names flags after parameters and properties', () => {
    expect(renamed('members', 'people')).toContain('"name":"people"');
  });

  test.each(['org_id', 'json', 'body', 'server'])('puts the place before a name that is taken: %s', (name) => {
    expect(renamed('members', name)).toContain(`{"name":"body-${name.replace('_', '-')}"`);
  });
});
