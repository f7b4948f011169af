import { expect, test } from 'vitest';
import { failureCatalogue, failureMessage } from '../../generated/failures.js';
import { emitFailures } from '../../src/codegen/emit/failures.js';
import type { Problem } from '../../src/codegen/read/contract-model.js';
import type { SchemaObject } from '../../src/codegen/read/openapi-document.js';

/** Every family of failures with its cases. */
const documented = {
  RuntimeError: [
    'notFound',
    'alreadyExists',
    'invalidState',
    'timeout',
    'imageNotFound',
    'notSupported',
    'backendFailure',
    'persistenceFailure',
  ],
  ComposeError: ['imageNotFound', 'invalidProjectName', 'externalVolumeNotFound', 'invalidShellTokenization'],
  YamlError: ['composeFileNotFound'],
  IncludeError: ['cyclicInclude', 'fileNotFound'],
  ComposeMemoryParseError: ['empty', 'invalid', 'negative', 'overflow'],
  ComposeWaitError: ['timeout', 'nonZeroExitCode'],
  ListenAddressError: ['malformed', 'missingHostOrPort', 'unsupportedScheme'],
  TerminalError: ['commandFailed'],
  OrchestratorError: ['projectNotFound', 'serviceNotFound', 'invalidReplicaCount'],
  AuthStoreError: ['duplicateName', 'malformedFile'],
};

test.each(Object.entries(documented))('The catalogue has every documented case of %s', (family, cases) => {
  const catalogue: Readonly<Record<string, object>> = failureCatalogue;
  expect(Object.keys(catalogue[family] ?? {})).toEqual(expect.arrayContaining(cases));
});

test('Messages of the specification are used verbatim', () => {
  expect([
    failureMessage('ComposeError', 'imageNotFound', { service: 'web' }),
    failureMessage('ComposeError', 'externalVolumeNotFound', { volume: 'v' }),
    failureMessage('IncludeError', 'cyclicInclude', { path: 'a.yml' }),
    failureMessage('IncludeError', 'fileNotFound', { path: 'a.yml' }),
    failureMessage('ComposeWaitError', 'timeout', { containerName: 'p-db', condition: 'service_healthy', seconds: 60 }),
    failureMessage('ComposeWaitError', 'nonZeroExitCode', { containerName: 'p-db', exitCode: 3 }),
  ]).toEqual([
    "Service web must define either 'image' or 'build'.",
    "External volume 'v' was not found. Create it with 'container volume create v' before running compose.",
    "Cyclic include detected: 'a.yml' is already being loaded.",
    "Included compose file not found: 'a.yml'",
    "Timed out after 60s waiting for container 'p-db' to satisfy condition 'service_healthy'.",
    "Container 'p-db' exited with non-zero status 3; service_completed_successfully condition not satisfied.",
  ]);
});

test('Statuses of the specification match the catalogue', () => {
  expect(failureCatalogue.RuntimeError.notSupported.statuses).toEqual([501]);
  expect(failureCatalogue.RuntimeError.backendFailure.statuses).toEqual([502]);
  expect(failureCatalogue.OrchestratorError.projectNotFound.statuses).toEqual([404]);
  expect(failureCatalogue.OrchestratorError.serviceNotFound.statuses).toEqual([404]);
  expect(failureCatalogue.OrchestratorError.invalidReplicaCount.statuses).toEqual([400]);
});

test('Wrong usage has exit code 2, and every other failure 1', () => {
  const codes = Object.entries(failureCatalogue).map(([family, cases]) => [
    family,
    [...new Set(Object.values(cases).map(({ exitCode }) => exitCode))],
  ]);
  for (const [family, found] of codes)
    expect([family, found]).toEqual([family, family === 'ListenAddressError' ? [2] : [1]]);
});

test('Text in brackets is omitted if its field is empty; places and chains are formatted for people', () => {
  const say = failureMessage;
  expect(say('InterpolationError', 'requiredVariable', { variable: 'TAG', reason: '' })).toMatch(/a value$/);
  expect(say('InterpolationError', 'requiredVariable', { variable: 'TAG', reason: 'set it' })).toMatch(
    /a value: set it$/,
  );
  expect(say('ComposeValidationError', 'unknownKey', { path: [], key: 'x' })).toBe("Unknown key 'x'.");
  expect(say('ComposeValidationError', 'unknownKey', { path: ['services', 'web', 'ports', 0], key: 'x' })).toBe(
    "Unknown key 'x' in services.web.ports[0].",
  );
  expect(say('ComposeValidationError', 'circularDependency', { chain: ['a', 'b', 'a'] })).toContain('a -> b -> a');
  expect(say('InterpolationError', 'invalidTemplate', { template: '${' })).toContain("'${'. Write $$ for");
});

test('A field of an unsupported type is rejected by name', () => {
  expect(() => emitFailures([failing({ type: 'object' })])).toThrow(
    'The field door of an error has the unsupported type object',
  );
});

test('Quotes, backslashes and dollar signs of a message are preserved', () => {
  const text = emitFailures([failing({ type: 'string' }, 'A `tick`, a \\ and ${ not} {door}.')]);
  expect(text).toContain('`A \\`tick\\`, a \\\\ and \\${ not} ${f.door}.`');
});

function failing(schema: SchemaObject, message = '{door}'): Problem {
  return {
    schemaName: 'DoorStuckProblem',
    slug: 'door-stuck',
    title: 'Door stuck',
    description: 'The door is stuck. Push.',
    statuses: [409],
    message: null,
    members: [],
    raisedBy: 'service',
    headers: {},
    failure: { error: 'DoorError', case: 'stuck', exitCode: 1, message, fields: [{ name: 'door', schema }] },
  };
}
