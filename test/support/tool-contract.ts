/** The tools of `plumbline mcp` as a part of the gate. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { queryTools } from '../../generated/graphql/tools.js';
import { operationTools } from '../../generated/platform/tools.js';
import type { Unit } from '../../src/contract-tools/gate/observations.js';

/** The name of the tools in the gate. */
export const toolsSurface = 'tools';

/** A success of each tool, and each of its documented errors; none where no tools are generated. */
export function toolUnits(root: string): Unit[] {
  if (!existsSync(join(root, 'generated/platform/tools.ts'))) return [];
  return [...operationTools, ...queryTools].flatMap(({ name, errors }): Unit[] => [
    [name, 'success'],
    ...errors.map((error): Unit => [name, error]),
  ]);
}
