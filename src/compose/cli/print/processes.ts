import type { Format } from '../flags.js';
import type { Session } from '../session.js';
import { table } from '../text.js';
import type { ProcessTable } from '../../runtime/records.js';

export interface ContainerProcesses extends ProcessTable {
  readonly container: string;
  readonly service: string;
}

export async function printProcesses(
  session: Session,
  tables: readonly ContainerProcesses[],
  format: Format,
): Promise<number> {
  if (format === 'json') await session.printJson(tables);
  else for (const each of tables) await session.print(`${each.container}\n${table(each.titles, each.processes)}\n`);
  return 0;
}
