import type { ApiContract } from '../read/contract-model.js';
import { emitOpenapiTypes } from './openapi-types.js';
import { emitSdkExamples } from './sdk-examples.js';
import { emitSdkOperations } from './sdk-operations.js';
import { emitSdkPaths } from './sdk-paths.js';
import { emitWebhooks } from './webhooks.js';
import { emitWebhookSchemas } from './webhook-schemas.js';
import { emitSdkProblems, emitSdkValues } from './sdk-values.js';

/** Emits the generated part of the SDK's client of one API, by path from the repository's root. */
export async function emitSdk(contract: ApiContract): Promise<Map<string, string>> {
  const folder = `sdk/src/generated/${contract.name}`;
  return new Map([
    [`${folder}/openapi.ts`, await emitOpenapiTypes(contract.document, `openapi/${contract.name}.yaml`)],
    [`${folder}/examples.ts`, emitSdkExamples(contract)],
    [`${folder}/operations.ts`, emitSdkOperations(contract)],
    [`${folder}/paths.ts`, emitSdkPaths(contract)],
    [`${folder}/problems.ts`, emitSdkProblems(contract)],
    [`${folder}/values.ts`, emitSdkValues(contract)],
    ...(contract.document.webhooks === undefined
      ? []
      : ([
          [`${folder}/webhooks.ts`, emitWebhooks(contract, './openapi.js')],
          [`${folder}/webhook-schemas.ts`, emitWebhookSchemas(contract)],
        ] as const)),
  ]);
}
