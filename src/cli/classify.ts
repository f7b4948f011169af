/** `plumbline classify`: explains the classification of a work unit, and tries the rules on a text. */
import type { Command } from 'commander';
import { WORK_TYPES, type WorkType } from '../analytics/vocabulary.js';
import type { Share } from '../analytics/work-unit.js';
import type { Classifier, Contribution } from '../sync/work-units/classify/classifier.js';
import type { Explanation } from '../sync/work-units/explain.js';
import { oneLine } from './one-line.js';
import { UsageError } from './usage-error.js';
import type { WorkUnitOptions } from './work-units.js';

interface ClassifyOptions extends WorkUnitOptions {
  readonly explain?: string;
  readonly text?: string;
  readonly label?: readonly string[];
  readonly path?: readonly string[];
  readonly workType?: string;
  readonly json?: boolean;
}

const HELP = `
Examples:
  plumbline classify --text "fix(auth): refuse expired sessions" --path src/auth/session.ts
  plumbline classify --explain 5b2c...:pull_request:42 --db sqlite:records.db`;

export function registerClassifyCommand(program: Command): void {
  program
    .command('classify')
    .description('explain which rules classify a work unit')
    .option('--explain <unit>', 'id of a work unit: <repository id>:<work type>:<number, hash or id>')
    .option('--text <text>', 'classify a title; text after a line break is the description')
    .option('--label <label...>', 'labels of the item of --text')
    .option('--path <path...>', 'changed files of the item of --text')
    .option('--work-type <type>', `type of the item of --text: ${WORK_TYPES.join(', ')} (default: commit)`)
    .option('--db <uri>', 'database of the records (default: DATABASE_URI)')
    .option('--db-type <kind>', 'postgres, sqlite or clickhouse, if the scheme of --db is ambiguous')
    .option('--org <id>', 'organization (default: ORG_ID, else "default")')
    .option('--rules <file>', 'rules to classify by (default: WORK_UNIT_RULES, else the built-in ones)')
    .option('--config <file>', 'settings file (default: PLUMBLINE_CONFIG)')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: ClassifyOptions) => {
      const { reportingUsage } = await import('./work-units.js');
      await reportingUsage('classify', async () => {
        if ((options.explain === undefined) === (options.text === undefined))
          throw new UsageError('give --explain <unit> or --text <text>');
        if (options.explain !== undefined) await explain(options.explain, options);
        else await tryText(options.text ?? '', options);
      });
    });
}

async function explain(id: string, options: ClassifyOptions): Promise<void> {
  const { withDerivation } = await import('./work-units.js');
  const { explainUnit } = await import('../sync/work-units/explain.js');
  await withDerivation(options, async (resources) => {
    const explanation = await explainUnit(resources, id);
    if (explanation === undefined)
      throw new UsageError(
        `${resources.orgId} has no work unit ${JSON.stringify(id)} (use --org to choose another organization)`,
      );
    const { unit, title, contributions, stored, correction } = explanation;
    const isCurrent = JSON.stringify(stored?.shares) === JSON.stringify(unit.shares);
    if (options.json === true) {
      const stored_shares = stored?.shares ?? null;
      console.log(
        JSON.stringify({ ...unit, title, contributions, stored_shares, correction: correctionValue(correction) }),
      );
      return;
    }
    console.log(`${unit.id}\n${oneLine(title)}\n${unit.repo}, ${unit.author || 'no author'}, team ${unit.team}\n`);
    if (correction !== undefined) console.log(`${correctionLine(correction, contributions)}\n`);
    console.log(table(unit.shares, contributions, correction === undefined ? undefined : 'replaced by the correction'));
    if (!isCurrent)
      console.log(
        `\nThe stored shares differ, because rules or records have changed since; the next sync updates them:\n${sharesLine(stored?.shares ?? [])}`,
      );
  });
}

function correctionValue(correction: Explanation['correction']): object | null {
  if (correction === undefined) return null;
  const { correctedAt, correctedBy, note, subcategory, insteadOf } = correction;
  const corrected_at = new Date(correctedAt).toISOString();
  return { subcategory, note, corrected_at, corrected_by: correctedBy, instead_of: insteadOf };
}

/** What was corrected, when, by whom, and what the rules say instead. */
function correctionLine(
  { correctedAt, correctedBy, note, subcategory, insteadOf }: NonNullable<Explanation['correction']>,
  contributions: readonly Contribution[],
): string {
  const rules = contributions.filter((each) => each.subcategory === insteadOf).map(({ rule }) => oneLine(rule));
  const source = rules.length === 0 ? '' : ` (by the rule ${[...new Set(rules)].join(', ')})`;
  return [
    `Corrected to ${subcategory} on ${new Date(correctedAt).toISOString()} by ${oneLine(correctedBy)}`,
    ...(note === null ? [] : [`  note: ${oneLine(note)}`]),
    `  instead of ${insteadOf}${source}`,
  ].join('\n');
}

async function tryText(text: string, options: ClassifyOptions): Promise<void> {
  const { openClassifier } = await import('./work-units.js');
  const { addUp } = await import('../sync/work-units/explain.js');
  const { titleAndText } = await import('../sync/work-units/derivation/derive.js');
  const workType = options.workType === undefined ? 'commit' : WORK_TYPES.find((each) => each === options.workType);
  if (workType === undefined) throw new UsageError(`--work-type must be one of ${WORK_TYPES.join(', ')}`);
  const classifier = await openClassifier(options);
  const found: Contribution[] = [];
  const { title, text: below } = titleAndText(text);
  const { theme, subcategory, shares } = classifier.classify(
    {
      workType: workType satisfies WorkType,
      title,
      text: below,
      labels: options.label ?? [],
      commitTitles: [],
      files: tally(classifier, options.path ?? []),
    },
    (each) => found.push(each),
  );
  const contributions = addUp(found);
  if (options.json === true) console.log(JSON.stringify({ theme, subcategory, shares, contributions }));
  else console.log(table(shares, contributions));
}

function tally(classifier: Classifier, paths: readonly string[]): ReadonlyMap<number, number> {
  const files = new Map<number, number>();
  for (const path of paths) {
    const rule = classifier.ruleOfPath(path);
    files.set(rule, (files.get(rule) ?? 0) + 1);
  }
  return files;
}

/** One line per subcategory, followed by one per contribution. */
function table(
  shares: readonly Share[],
  contributions: readonly Contribution[],
  others = 'below the minimum share',
): string {
  const lines: string[] = [];
  const describe = ({ points, rule, signal, match }: Contribution): string =>
    `        ${points.toFixed(2).padStart(6)} points  ${oneLine(rule)}: ${signal.replace('_', ' ')} ${oneLine(match)}`;
  const of = (subcategory: string): Contribution[] => contributions.filter((each) => each.subcategory === subcategory);
  for (const { subcategory, share } of shares) {
    lines.push(`${percent(share)}  ${subcategory}`, ...of(subcategory).map(describe));
  }
  const rest = contributions.filter(({ subcategory }) => !shares.some((share) => share.subcategory === subcategory));
  if (rest.length > 0) lines.push(`  ${others}`, ...rest.map(describe));
  return lines.join('\n');
}

function sharesLine(shares: readonly Share[]): string {
  return shares.map(({ subcategory, share }) => `${percent(share)}  ${subcategory}`).join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1).padStart(5)} %`;
}
