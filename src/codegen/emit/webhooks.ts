import type { ApiContract } from '../contract-model.js';
import { componentName, isReference, resolve, type RequestBodyObject } from '../openapi-document.js';
import { quote } from '../naming.js';
import { header } from './header.js';

/**
 * Emits the events that an API sends: the closed union of their payloads, which narrows on `type`, and their types.
 *
 * @throws Error naming an event whose payload is not a schema with its type
 */
export function emitWebhooks(contract: ApiContract): string {
  const events = Object.entries(contract.document.webhooks ?? {}).map(([type, { post }]) => {
    const body = post?.requestBody;
    const schema = body === undefined ? undefined : payloadOf(resolve<RequestBodyObject>(contract.document, body));
    if (schema === undefined || !isReference(schema)) throw new Error(`The webhook ${type} has no payload with a name`);
    const { properties } = resolve<{ properties?: { type?: { const?: unknown } } }>(contract.document, schema);
    if (properties?.type?.const !== type) throw new Error(`The payload of the webhook ${type} has another type`);
    return { type, schema: componentName(schema.$ref) };
  });
  return [
    header(`openapi/${contract.name}.yaml`),
    `import type { components } from './openapi.js';\n\n`,
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
