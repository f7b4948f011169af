import { bundleContract } from './read/bundle.js';
import { withClientHints } from './derive/client-hints.js';
import { emitCommands } from './emit/commands.js';
import { emitFailures } from './emit/failures.js';
import { emitOpenapiTypes, emitPrincipals } from './emit/openapi-types.js';
import { emitOperations } from './emit/operations.js';
import { emitPipelineProblems, emitProblems } from './emit/problems.js';
import { emitRouter } from './emit/router.js';
import { emitRoutes } from './emit/routes.js';
import { emitSdk } from './emit/sdk.js';
import { emitSecurity } from './emit/security.js';
import { declareSerializers } from './emit/serializers.js';
import { emitTools } from './emit/tools.js';
import { emitUnimplemented } from './emit/unimplemented.js';
import { emitWebhooks } from './emit/webhooks.js';
import { declareValidators } from './emit/validators.js';
import type { ApiContract } from './read/contract-model.js';
import type { GeneratedFiles } from './generated-part.js';
import type { OpenApiDocument } from './read/openapi-document.js';
import { readContract } from './read/read-contract.js';
import { readProblems } from './read/read-problems.js';

/** Generates what all APIs share, from the bundled catalogue of problems. */
export async function generateProblems(catalogue: OpenApiDocument): Promise<GeneratedFiles> {
  const problems = readProblems(catalogue);
  return new Map([
    ['generated/problem-schemas.ts', await emitOpenapiTypes(catalogue, 'openapi/problems.yaml')],
    ['generated/contract/problems.ts', emitPipelineProblems(problems)],
    ['generated/problems.ts', emitProblems(problems)],
    ['generated/failures.ts', emitFailures(problems)],
  ]);
}

/**
 * Generates the committed files of one API. The output is deterministic. `compileSchemas` generates the files that are not committed.
 *
 * @param name the contract: a file of `openapi/` without its extension
 */
export async function generateApi(name: string, catalogue: Promise<OpenApiDocument>): Promise<GeneratedFiles> {
  const [document, problems] = await Promise.all([
    bundleContract(`openapi/${name}.yaml`),
    catalogue.then(readProblems),
  ]);
  const contract = readContract(name, document);
  const folder = `generated/${name}`;
  return new Map([
    [`${folder}/openapi.json`, JSON.stringify(withClientHints(contract.document))],
    [`${folder}/principals.ts`, await emitPrincipals(contract)],
    [`${folder}/operations.ts`, emitOperations(contract, problems)],
    [`${folder}/security.ts`, emitSecurity(contract)],
    [`${folder}/routes.ts`, emitRoutes(contract)],
    [`${folder}/router.ts`, emitRouter(contract)],
    [`${folder}/validators.d.ts`, declareValidators(contract)],
    [`${folder}/serializers.d.ts`, declareSerializers(contract)],
    [`${folder}/unimplemented.ts`, emitUnimplemented(contract)],
    // Other APIs, such as that of the compose tool, have other commands.
    ...(takesTokens(contract) ? [[`${folder}/commands.ts`, emitCommands(contract)] as const] : []),
    ...(contract.operations.some(({ tool }) => tool !== null)
      ? [[`${folder}/tools.ts`, emitTools(contract)] as const]
      : []),
    ...(contract.document.webhooks === undefined
      ? []
      : [[`${folder}/webhooks.ts`, emitWebhooks(contract, publishedTypes(name))] as const]),
    ...(await emitSdk(contract)),
  ]);
}

/** The types of a contract's schemas, of which there is one copy: that of the SDK. */
function publishedTypes(name: string): string {
  return `../../sdk/src/generated/${name}/openapi.js`;
}

function takesTokens({ securitySchemes }: ApiContract): boolean {
  return securitySchemes.some(({ kind }) => kind === 'bearer');
}
