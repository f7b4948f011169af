import { readSettings } from '../platform/server/settings.js';
import {
  installedOrganizationOf,
  selectOrganizations,
  type InstalledOrganizationRow,
} from '../platform/tenancy/installation/installed-organizations.store.js';
import { allRows } from './all-rows.js';
import { commandEnvironment, type ConfigOption } from './environment.js';
import { oneLine } from './one-line.js';
import { withOpenDatabase } from './open-database.js';

export interface ListOrganizationsOptions extends ConfigOption {
  readonly search?: string;
  readonly marked?: boolean;
  readonly json?: boolean;
}

/** Prints the organizations, one per line. */
export async function listOrganizations(options: ListOrganizationsOptions): Promise<void> {
  const filters = { search: options.search, state: options.marked === true ? ('marked' as const) : undefined };
  await withOpenDatabase(readSettings(await commandEnvironment(options)), async ({ sql }) => {
    for await (const row of allRows(
      (position, size) => selectOrganizations(sql, filters, position, size),
      (last) => ({ at: last.created_at, id: last.id }),
    ))
      console.log(options.json === true ? JSON.stringify(installedOrganizationOf(row)) : lineOf(row));
  });
}

function lineOf(row: InstalledOrganizationRow): string {
  const members = `${row.members} ${row.members === 1 ? 'member' : 'members'}`;
  const created = `created ${row.created_at.toISOString().slice(0, 10)}`;
  const end = row.due_at === null ? '' : `  deletion ${row.due_at.toISOString().slice(0, 10)}`;
  const owners = row.owners.map(({ email }) => oneLine(email)).join(', ');
  return `${row.id}  ${created}  ${members.padEnd(11)}${end}  ${oneLine(row.name)}  ${owners}`.trimEnd();
}
