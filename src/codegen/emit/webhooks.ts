import type { ApiContract } from '../read/contract-model.js';
import {
  componentName,
  isRecord,
  isReference,
  resolve,
  type RequestBodyObject,
  type SchemaObject,
} from '../read/openapi-document.js';
import { quote } from '../derive/naming.js';
import { header } from './header.js';

/** An event that an API sends. */
interface WebhookOfContract {
  readonly type: string;
  /** The name of the schema of its payload. */
  readonly schema: string;
  readonly payload: SchemaObject;
}

/**
 * The events that an API sends.
 *
 * @throws Error naming an event whose payload is not a schema with its type
 */
export function webhooksOf(contract: ApiContract): WebhookOfContract[] {
  return Object.entries(contract.document.webhooks ?? {}).map(([type, { post }]) => {
    const body = post?.requestBody;
    const schema = body === undefined ? undefined : payloadOf(resolve<RequestBodyObject>(contract.document, body));
    if (schema === undefined || !isReference(schema)) throw new Error(`The webhook ${type} has no payload with a name`);
    const payload = resolve<SchemaObject>(contract.document, schema);
    if (typeOf(payload) !== type) throw new Error(`The payload of the webhook ${type} has another type`);
    return { type, schema: componentName(schema.$ref), payload };
  });
}

/**
 * Emits the closed union of the payloads of webhooks, which narrows on `type`, and their types.
 *
 * @param types the module with the types of the contract's schemas
 */
export function emitWebhooks(contract: ApiContract, types: string): string {
  const events = webhooksOf(contract);
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { components } from ${quote(types)};\n\n`,
    `type Schemas = components['schemas'];\n\n`,
    `/** Every event that webhooks send; narrow it on \`type\`. */\n`,
    `export type WebhookEvent = ${events.map(({ schema }) => `Schemas[${quote(schema)}]`).join(' | ')};\n\n`,
    `/** The \`type\` of every event. */\n`,
    `export const webhookEventTypes = [${events.map(({ type }) => quote(type)).join(', ')}] as const satisfies readonly WebhookEvent['type'][];\n`,
  ].join('');
}

function payloadOf({ content }: RequestBodyObject): object | undefined {
  return content['application/json']?.schema;
}

function typeOf({ properties }: SchemaObject): unknown {
  const type = isRecord(properties) ? properties['type'] : undefined;
  return isRecord(type) ? type['const'] : undefined;
}
