import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { graphqlSurface, graphqlUnits, loadGraphqlContract } from '../../support/graphql-contract.js';
import { unroutedLabel } from '../../support/recorder-check.js';
import { loadContract, type Contract, type DocumentedReply } from '../../support/recorder-contract.js';
import { record } from '../../support/recorder-pointers.js';
import { readObservations, type Seen, type Unit } from '../../support/recorder-observations.js';
import { observationsFolder } from '../../support/recorder.js';

/** Something with a contract: what that documents, and what the tests have seen of it. */
export interface Surface {
  readonly name: string;
  readonly units: readonly Unit[];
  readonly seen: Seen;
}

/** Under this name the catalogue of problems is a surface too: an entry counts as seen when some reply refers to it. */
export const catalogueSurface = 'problems';

/**
 * Collects every surface of the repository at `root`: one per contract in `openapi/`, the catalogue of problems, and
 * GraphQL.
 *
 * @throws Error when a contract has not been generated
 */
export async function readSurfaces(root: string): Promise<Surface[]> {
  const contracts = (await contractNames(root)).map((name) => loadContract(name, root));
  const surfaces = contracts.map((contract): Surface => ({
    name: contract.name,
    units: unitsOf(contract),
    seen: readObservations(join(root, observationsFolder), contract.name),
  }));
  surfaces.push(await readCatalogue(root, contracts));
  if (existsSync(join(root, 'graphql/schema.graphql'))) {
    const units = graphqlUnits(loadGraphqlContract(root));
    surfaces.push({
      name: graphqlSurface,
      units,
      seen: readObservations(join(root, observationsFolder), graphqlSurface),
    });
  }
  return [...surfaces, ...(await undocumentedSurfaces(root, surfaces))];
}

/** Everything that one API documents. */
export function unitsOf(contract: Contract): Unit[] {
  const operations = contract.operations.flatMap(({ id, replies }) => unitsOfReplies(id, replies));
  return [...operations, ...unitsOfReplies(unroutedLabel, contract.unrouted)];
}

/** Every file of `openapi/` that has paths is the contract of one API. */
async function contractNames(root: string): Promise<string[]> {
  const names: string[] = [];
  for (const file of (await readdir(join(root, 'openapi'))).filter((each) => each.endsWith('.yaml')).sort()) {
    const document: unknown = parse(await readFile(join(root, 'openapi', file), 'utf8'));
    if (typeof document === 'object' && document !== null && 'paths' in document) names.push(file.slice(0, -5));
  }
  return names;
}

function unitsOfReplies(label: string, replies: ReadonlyMap<number, DocumentedReply>): Unit[] {
  return [...replies].flatMap(([status, { bodies, headers }]) => {
    const units = [...bodies].flatMap(([mediaType, { problemTypes }]): Unit[] =>
      problemTypes.length === 0 ? [[mediaType]] : problemTypes.map((type) => [mediaType, type]),
    );
    const ofHeaders = headers.map(({ name }): Unit => [`header ${name}`]);
    return [...(units.length === 0 ? [['no body']] : units), ...ofHeaders].map((unit) => [
      label,
      String(status),
      ...unit,
    ]);
  });
}

async function readCatalogue(root: string, contracts: readonly Contract[]): Promise<Surface> {
  const catalogue: unknown = parse(await readFile(join(root, 'openapi/problems.yaml'), 'utf8'));
  // What only a command line raises is no reply, so no contract has to document it.
  const sent = Object.values(record(catalogue)).filter(
    (schema) => record(record(schema)['x-problem'])['raised-by'] !== 'command-line',
  );
  const types = sent.map((schema) => String(record(record(record(schema)['properties'])['type'])['const']));
  const replies = contracts.flatMap(({ operations, unrouted }) => [
    ...operations.flatMap((operation) => [...operation.replies.values()]),
    ...unrouted.values(),
  ]);
  const used = replies.flatMap(({ bodies }) => [...bodies.values()].flatMap(({ problemTypes }) => problemTypes));
  return {
    name: catalogueSurface,
    units: types.map((type) => [type]),
    seen: { units: [...new Set(used)].map((type) => [type]), faults: [] },
  };
}

/** What tests have seen of a surface that nothing documents. */
async function undocumentedSurfaces(root: string, known: readonly Surface[]): Promise<Surface[]> {
  const folder = join(root, observationsFolder);
  const entries = existsSync(folder) ? await readdir(folder, { withFileTypes: true }) : [];
  return entries
    .filter((entry) => entry.isDirectory() && !known.some(({ name }) => name === entry.name))
    .map(({ name }) => ({ name, units: [], seen: readObservations(folder, name) }));
}
