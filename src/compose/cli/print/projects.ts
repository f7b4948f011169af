import type { ProjectSummary } from '../../orchestrator/projects.js';
import { type State, isListedByDefault } from '../../orchestrator/states.js';
import { UsageError } from '../failures.js';
import type { LsFlags } from '../flags.js';
import { listingText } from '../format/listing.js';
import type { Session } from '../session.js';

export async function printProjects(
  session: Session,
  present: readonly ProjectSummary[],
  { all, filter = [], quiet, format }: LsFlags,
): Promise<number> {
  const isWanted = nameFilter(filter);
  const projects = present
    .map((project) => ({ ...project, shown: shownStates(project, all === true) }))
    .filter(({ name, shown }) => shown.length > 0 && isWanted(name));
  if (quiet === true) {
    await session.print(projects.map(({ name }) => `${name}\n`).join(''));
    return 0;
  }
  const rows = projects.map(({ name, shown, configFiles }) => ({
    Name: name,
    Status: shown.map(([state, count]) => `${state}(${count})`).join(', '),
    ConfigFiles: configFiles.join(','),
  }));
  const titles = { ConfigFiles: 'CONFIG FILES' };
  await session.print(listingText({ titles, columns: ['Name', 'Status', 'ConfigFiles'], json: 'array', rows }, format));
  return 0;
}

/** Sorted by name, as in docker compose. */
function shownStates({ states }: ProjectSummary, all: boolean): [State, number][] {
  const entries = Object.entries(states) as [State, number][]; // The keys are those of the record.
  return entries.filter(([state]) => all || isListedByDefault(state)).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** @throws UsageError for a filter other than `name` */
function nameFilter(filters: readonly string[]): (name: string) => boolean {
  const patterns = filters.map((filter) => {
    const [, pattern] = /^name=(.*)$/s.exec(filter) ?? [];
    if (pattern === undefined) throw new UsageError(`'${filter}' is not a filter: use name=<name>.`);
    try {
      return new RegExp(pattern);
    } catch {
      throw new UsageError(`'${pattern}' is not a regular expression.`);
    }
  });
  return (name) => patterns.length === 0 || patterns.some((pattern) => pattern.test(name));
}
