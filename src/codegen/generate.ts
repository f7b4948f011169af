import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { bundleContract, bundleProblems } from './bundle.js';
import type { Problem } from './contract-model.js';
import { emitFailures } from './emit/failures.js';
import { header } from './emit/header.js';
import { emitOpenapiTypes, principalSchemas } from './emit/openapi-types.js';
import { emitOperations } from './emit/operations.js';
import { emitProblems } from './emit/problems.js';
import { emitRoutes } from './emit/routes.js';
import { emitSdk } from './emit/sdk.js';
import { emitSecurity } from './emit/security.js';
import { declareSerializers } from './emit/serializers.js';
import { emitUnimplemented } from './emit/unimplemented.js';
import { declareValidators } from './emit/validators.js';
import { readContract } from './read-contract.js';
import { readProblems } from './read-problems.js';

/** Generated files by their path from the repository's root. */
export type GeneratedFiles = Map<string, string>;

/**
 * Generates all committed files under `generated/` and `sdk/src/generated/` that are derived from the OpenAPI contracts.
 * The output is deterministic. `compileSchemas` makes the rest.
 *
 * @param contracts names of the contracts: the files of `openapi/` that have paths, without their extension
 */
export async function generate(contracts: readonly string[]): Promise<GeneratedFiles> {
  const files: GeneratedFiles = new Map();
  const catalogue = await bundleProblems('openapi/problems.yaml');
  const problems = readProblems(catalogue);
  const template = await readFile(new URL('./templates/contract.ts', import.meta.url), 'utf8');
  files.set('generated/contract.ts', header('src/codegen/templates/contract.ts') + template);
  files.set('generated/problem-schemas.ts', await emitOpenapiTypes(catalogue, 'openapi/problems.yaml'));
  files.set('generated/problems.ts', emitProblems(problems));
  files.set('generated/failures.ts', emitFailures(problems));
  for (const name of contracts) await generateApi(name, problems, files);
  for (const [path, text] of files) files.set(path, await formatted(path, text));
  files.set('generated/stamp.json', await stamp());
  return files;
}

async function generateApi(name: string, problems: readonly Problem[], files: GeneratedFiles): Promise<void> {
  const contract = readContract(name, await bundleContract(`openapi/${name}.yaml`));
  const folder = `generated/${name}`;
  const types = await emitOpenapiTypes(contract.document, `openapi/${name}.yaml`, principalSchemas(contract));
  files.set(`${folder}/openapi.json`, `${JSON.stringify(contract.document, null, 1)}\n`);
  files.set(`${folder}/openapi.ts`, types);
  files.set(`${folder}/operations.ts`, emitOperations(contract, problems));
  files.set(`${folder}/security.ts`, emitSecurity(contract));
  files.set(`${folder}/routes.ts`, emitRoutes(contract));
  files.set(`${folder}/validators.d.ts`, declareValidators(contract));
  files.set(`${folder}/serializers.d.ts`, declareSerializers(contract));
  files.set(`${folder}/unimplemented.ts`, emitUnimplemented(contract));
  for (const [path, text] of await emitSdk(contract)) files.set(path, text);
}

async function formatted(path: string, text: string): Promise<string> {
  if (!path.endsWith('.ts')) return text;
  return format(text, { ...(await resolveConfig('.prettierrc.json')), parser: 'typescript' });
}

/** Hashes the sources of the generated files, so that readers can identify the contracts. */
async function stamp(): Promise<string> {
  const entries = await Promise.all(
    // A project need not have both.
    ['openapi', 'graphql'].map((folder) => readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])),
  );
  const paths = entries
    .flat()
    .filter((entry) => entry.isFile() && /\.(yaml|graphql)$/.test(entry.name) && !entry.name.endsWith('.arazzo.yaml'))
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
  const hash = createHash('sha256');
  for (const path of paths)
    hash
      .update(`${path}\0`)
      .update(await readFile(path))
      .update('\0');
  return `${JSON.stringify({ contracts: hash.digest('hex') }, null, 2)}\n`;
}
