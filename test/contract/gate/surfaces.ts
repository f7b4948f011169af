import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { graphqlSurface, graphqlUnits, loadGraphqlContract } from '../../support/graphql-contract.js';
import type { Contract } from '../../../src/contract-tools/gate/contract.js';
import { unitsOf, type Surface } from '../../../src/contract-tools/gate/surface.js';
import { loadContract } from '../../support/load-contract.js';
import { record } from '../../../src/contract-tools/documents.js';
import { readObservations, type Unit } from '../../../src/contract-tools/gate/observations.js';
import { scopesSurface, scopeUnits } from '../../support/scope-contract.js';
import { toolsSurface, toolUnits } from '../../support/tool-contract.js';
import { webhookEvents, webhooksSurface } from '../../support/webhook-contract.js';
import { observationsFolder } from '../../support/recorder.js';

/** Under this name the catalogue of problems is a surface too: an entry counts as seen when some reply refers to it. */
const catalogueSurface = 'problems';

/**
 * Collects every surface of the repository at `root`: one per contract in `openapi/`, the catalogue of problems,
 * the events of webhooks, the scopes of service tokens, the tools of `plumbline mcp`, and GraphQL.
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
  surfaces.push(await readCatalogue(root, contracts), ...listedSurfaces(root));
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

/**
 * The parts that are plain lists: each event of webhooks must have been received, each scope of service tokens must have
 * allowed and refused something, and each tool and each of its documented errors must have been seen by a client.
 */
function listedSurfaces(root: string): Surface[] {
  const listed: (readonly [string, readonly Unit[]])[] = [
    [webhooksSurface, webhookEvents(root).map((type): Unit => [type])],
    [scopesSurface, scopeUnits(root)],
    [toolsSurface, toolUnits(root)],
  ];
  return listed
    .filter(([, units]) => units.length > 0)
    .map(([name, units]) => ({ name, units, seen: readObservations(join(root, observationsFolder), name) }));
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

async function readCatalogue(root: string, contracts: readonly Contract[]): Promise<Surface> {
  const catalogue: unknown = parse(await readFile(join(root, 'openapi/problems.yaml'), 'utf8'));
  // What only a command line raises is not a reply, so no contract has to document it.
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
