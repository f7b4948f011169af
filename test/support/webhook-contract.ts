import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** The name of the events of webhooks in the gate. */
export const webhooksSurface = 'webhooks';

const contractFile = fileURLToPath(new URL('../../generated/platform/openapi.json', import.meta.url));

/** The types of the events in the contract. */
export function webhookEvents(): string[] {
  const { webhooks } = JSON.parse(readFileSync(contractFile, 'utf8')) as { webhooks: object };
  return Object.keys(webhooks);
}

/** Validators of the payloads by event, independent of the server. */
export function payloadValidators(): ReadonlyMap<string, ValidateFunction> {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...(JSON.parse(readFileSync(contractFile, 'utf8')) as object), $id: 'contract' });
  const pointer = 'post/requestBody/content/application~1json/schema';
  return new Map(webhookEvents().map((type) => [type, ajv.compile({ $ref: `contract#/webhooks/${type}/${pointer}` })]));
}
