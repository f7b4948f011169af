import type { ApiContract } from '../read/contract-model.js';
import { pascalCase } from '../derive/naming.js';
import { header } from './header.js';

/** Emits a stub per operation, so that a new one compiles, and returns 501, before it is implemented. */
export function emitUnimplemented(contract: ApiContract): string {
  const type = `${pascalCase(contract.name)}Handlers<unknown>`;
  const stubs = contract.operations.map(
    ({ id }) => `  ${id}: () => {\n    throw new UnimplementedOperation('${id}');\n  },\n`,
  );
  return `${header(`openapi/${contract.name}.yaml`)}import { UnimplementedOperation } from '@plumbline/contract/contract-types';
import type { ${pascalCase(contract.name)}Handlers } from './operations.js';

export const unimplemented: ${type} = {
${stubs.join('')}};
`;
}
