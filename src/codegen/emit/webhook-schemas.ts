import type { ApiContract } from '../read/contract-model.js';
import { isRecord, resolve, type OpenApiDocument, type SchemaObject } from '../read/openapi-document.js';
import { header } from './header.js';
import { webhooksOf } from './webhooks.js';

/** What describes a value to people, or adds nothing to what the SDK must know. */
const omitted = new Set(['description', 'x-assigned-by', 'example', 'examples', 'additionalProperties', 'required']);
/** What `sdk/src/webhook-payload.ts` checks. */
const checked = new Set(['type', 'const', 'enum', 'format', 'properties', 'items']);

/**
 * Emits what the SDK checks of the payloads of webhooks: their schemas without references and descriptions. Unknown
 * properties are allowed, because a later server may add some.
 *
 * @throws Error naming a keyword that the SDK does not check
 */
export function emitWebhookSchemas(contract: ApiContract): string {
  const schemas = webhooksOf(contract).map(({ type, payload }) => [type, reduced(contract.document, payload, type)]);
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { PayloadSchema } from '../../webhook-payload.js';\n`,
    `import type { WebhookEvent } from './webhooks.js';\n\n`,
    `/** The schema of the payload of each event. */\n`,
    `export const webhookSchemas: Readonly<Record<WebhookEvent['type'], PayloadSchema>> = `,
    `${JSON.stringify(Object.fromEntries(schemas))};\n`,
  ].join('');
}

function reduced(document: OpenApiDocument, schema: SchemaObject, place: string): SchemaObject {
  const resolved = resolve<SchemaObject>(document, schema);
  const unknown = Object.keys(resolved).find((keyword) => !checked.has(keyword) && !omitted.has(keyword));
  if (unknown !== undefined) throw new Error(`The SDK does not check "${unknown}" of the payload of ${place}`);
  const { properties, required, items } = resolved;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  const optional = names.find((name) => !Array.isArray(required) || !required.includes(name));
  if (optional !== undefined) throw new Error(`"${optional}" in the payload of ${place} must be required`);
  const kept = Object.fromEntries(Object.entries(resolved).filter(([keyword]) => checked.has(keyword)));
  return {
    ...kept,
    ...(isRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, each]) => [name, reduced(document, asSchema(each), `${place}.${name}`)]),
      ),
    }),
    ...(items !== undefined && { items: reduced(document, asSchema(items), `${place}[]`) }),
  };
}

function asSchema(value: unknown): SchemaObject {
  if (!isRecord(value)) throw new Error('A schema of a payload is not an object');
  return value;
}
