import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { record } from '../../src/contract-tools/documents.js';

/** The name of the events of webhooks in the gate. */
export const webhooksSurface = 'webhooks';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** The types of the events in the contract of the Platform; none where there is no such contract. */
export function webhookEvents(root: string): string[] {
  const file = contractFile(root);
  return existsSync(file) ? Object.keys(record(record(JSON.parse(readFileSync(file, 'utf8')))['webhooks'])) : [];
}

function contractFile(root: string): string {
  return join(root, 'generated/platform/openapi.json');
}

/** Validators of the payloads by event, independent of the server. */
export function payloadValidators(): ReadonlyMap<string, ValidateFunction> {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  const contract = record(JSON.parse(readFileSync(contractFile(repository), 'utf8')));
  ajv.addSchema({ ...contract, $id: 'contract' });
  const pointer = 'post/requestBody/content/application~1json/schema';
  return new Map(
    webhookEvents(repository).map((type) => [type, ajv.compile({ $ref: `contract#/webhooks/${type}/${pointer}` })]),
  );
}
