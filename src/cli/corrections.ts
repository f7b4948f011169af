/** `plumbline corrections`: sets, withdraws and lists corrections of work units. */
import type { Command } from 'commander';
import type { Correction } from '../analytics/work-unit.js';
import { SUBCATEGORIES } from '../sync/work-units/classify/shares.js';
import type { CorrectableResources } from '../sync/work-units/derivation/resources.js';
import { oneLine } from './one-line.js';
import { UsageError } from './usage-error.js';
import type { WorkUnitOptions } from './work-units.js';

type CorrectionOptions = WorkUnitOptions & { readonly note?: string; readonly by?: string; readonly json?: boolean };

const HELP = `
A correction sets the subcategory, and with it the theme, of one work unit. It stays when the unit is derived again, and
when its commit or request is removed and comes back, until it is withdrawn.

Examples:
  plumbline corrections set 5b2c...:pull_request:42 quality.bugfix --note "closes an incident"
  plumbline corrections withdraw 5b2c...:pull_request:42
  plumbline corrections list --json

Subcategories: ${SUBCATEGORIES.join(', ')}`;

const PAGE = 200;
const LONGEST_NOTE = 500;

export function registerCorrectionsCommand(program: Command): void {
  const corrections = program
    .command('corrections')
    .description('correct the classification of single work units')
    .addHelpText('after', HELP);
  withOptions(corrections.command('set').description('correct a work unit'))
    .argument('<unit>', 'id of a work unit')
    .argument('<subcategory>', 'such as quality.bugfix')
    .option('--note <text>', 'the reason, for explanations')
    .option('--by <name>', 'who corrects it, for explanations', 'command line')
    .action((unit: string, subcategory: string, options: CorrectionOptions) => run(options, set(unit, subcategory)));
  withOptions(corrections.command('withdraw').description('classify a work unit by the rules again'))
    .argument('<unit>', 'id of a work unit')
    .action((unit: string, options: CorrectionOptions) => run(options, withdraw(unit)));
  withOptions(corrections.command('list').description('list the corrections of the organization')).action(
    (options: CorrectionOptions) => run(options, list),
  );
}

function withOptions(command: Command): Command {
  return command
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules that classify work units (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print JSON, one object per line');
}

type Work = (resources: CorrectableResources, options: CorrectionOptions) => Promise<void>;

async function run(options: CorrectionOptions, work: Work): Promise<void> {
  const { reportingUsage, withDerivation } = await import('./work-units.js');
  await reportingUsage('corrections', () => withDerivation(options, (resources) => work(resources, options)));
}

function set(unitId: string, name: string): Work {
  return async (resources, options) => {
    const { correctUnit, MOST_CORRECTIONS } = await import('../sync/work-units/correct-unit.js');
    const subcategory = SUBCATEGORIES.find((each) => each === name);
    if (subcategory === undefined)
      throw new UsageError(`${JSON.stringify(name)} is not a subcategory: use one of ${SUBCATEGORIES.join(', ')}`);
    const { note = null, by = 'command line' } = options;
    if (note !== null && note.length > LONGEST_NOTE)
      throw new UsageError(`--note may have at most ${LONGEST_NOTE} characters`);
    const correctedAt = resources.dependencies.now();
    const correction = { unitId, subcategory, note, correctedAt, correctedBy: by };
    const outcome = await correctUnit(resources, correction);
    if (outcome === 'no_such_unit')
      throw new UsageError(`${resources.orgId} has no work unit ${JSON.stringify(unitId)}`);
    if (outcome === 'limit_reached')
      throw new UsageError(`${resources.orgId} has ${MOST_CORRECTIONS} corrections: add rules instead`);
    print(correction, options);
  };
}

function withdraw(unitId: string): Work {
  return async (resources, options) => {
    const { withdrawCorrection } = await import('../sync/work-units/correct-unit.js');
    if (!(await withdrawCorrection(resources, unitId)))
      throw new UsageError(`${resources.orgId} has no correction of ${JSON.stringify(unitId)}`);
    if (options.json === true) console.log(JSON.stringify({ id: unitId, withdrawn: true }));
    else console.log(`${oneLine(unitId)} is classified by the rules again`);
  };
}

const list: Work = async ({ orgId, corrections }, options) => {
  for (let after = ''; ;) {
    const page = await corrections.listCorrections(orgId, after, PAGE);
    for (const correction of page) print(correction, options);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.unitId;
  }
};

function print(
  { unitId: id, correctedAt, correctedBy, note, subcategory }: Correction,
  { json }: CorrectionOptions,
): void {
  const at = new Date(correctedAt).toISOString();
  if (json === true)
    console.log(JSON.stringify({ id, subcategory, note, corrected_at: at, corrected_by: correctedBy }));
  else
    console.log(
      `${at}  ${subcategory}  ${oneLine(id)}  ${oneLine(correctedBy)}${note === null ? '' : `: ${oneLine(note)}`}`,
    );
}
