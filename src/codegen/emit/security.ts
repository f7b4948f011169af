import type { ApiContract, SecurityScheme } from '../read/contract-model.js';
import { pascalCase, quote } from '../derive/naming.js';
import { header } from './header.js';

const credentialTypes = { bearer: 'string', mutualTLS: 'TLSSocket' } as const;

/** Emits the interface that a service fills to check the credentials of each security scheme. */
export function emitSecurity(contract: ApiContract): string {
  const usesTls = contract.securitySchemes.some(({ kind }) => kind === 'mutualTLS');
  return [
    header(`openapi/${contract.name}.yaml`),
    usesTls ? `import type { TLSSocket } from 'node:tls';\n` : '',
    contract.securitySchemes.length > 0
      ? `import type { SecurityHandler } from '@plumbline/contract/contract-types';\n`
      : '',
    contract.securitySchemes.length > 0 ? `import type { Schemas } from './operations.js';\n` : '',
    `\n/** One handler per security scheme of the contract. */\n`,
    `export interface ${pascalCase(contract.name)}Security {\n`,
    ...contract.securitySchemes.map(emitScheme),
    `}\n`,
  ].join('');
}

function emitScheme(scheme: SecurityScheme): string {
  const scopes = scheme.scopes.map(
    ({ name, description, principal }) =>
      `/** ${description.trim()} */ readonly ${quote(name)}: Schemas[${quote(principal.name)}];`,
  );
  const principal = `Schemas[${quote(scheme.principal.name)}]`;
  return `readonly ${scheme.name}: SecurityHandler<${credentialTypes[scheme.kind]}, ${principal}, { ${scopes.join('\n')} }>;\n`;
}
