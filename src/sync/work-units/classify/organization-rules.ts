/**
 * The rules of an organization. They have the form of the rules in `rules.yaml`, in a file with nothing but rules:
 *
 *     rules:
 *       - name: payments of partners
 *         titles: ['settle *']
 *         labels: [partner]
 *         gives: feature_delivery.customer
 *     production: ['eu-*', www, 'tier:production', '!*-test']
 *     incidents: [incident, 'sev*', 'severity:critical', '!title:*drill*']
 *     failures: [hotfix, 'title:revert *', 'branch:hotfix/*', 'deployment:rollback']
 *
 * If they give a unit at least as many points as a classification needs (`least` of the rules file), they alone decide.
 * Else their points add to those of the rules file. A changed file counts for the first rule that names it, and the
 * organization's rules come first. `production` names the environments that are production, instead of the usual words;
 * `incidents` the issues that are incidents, instead of those that the host calls so; `failures` what else shows that a
 * deployment failed.
 */
import { createHash } from 'node:crypto';
import { atOnce, type Steps } from '@plumbline/contract/system/slices';
import { wordsOf } from './keywords.js';
import type { DeliveryPatterns } from './delivery-rules.js';
import { EXCEPT } from './fact-patterns.js';
import { ROLLBACK } from './repairs.js';
import { FileCheck, FileError, readTextFile, yamlSteps } from '../file-check.js';
import { readRules, type OrganizationRules, type Rule } from './rules.js';

/** Explanations call a rule of an organization by its name with this prefix. */
export const ORGANIZATION_PREFIX = 'organization: ';

// A text is compared with every pattern: these limits, and those of `linear`, keep that within milliseconds.
/** The contract of the API has the same limits. */
export const mostCharacters = 262_144;
const MOST_RULES = 200;
const MOST_PATTERNS = 1000;
const LONGEST_PATTERN = 100;
const MOST_WORDS = 8;
const MOST_PARTS = 10;
const LONGEST_NAME = 100;
const LARGEST_WEIGHT = 1000;

const PATTERNS = ['types', 'scopes', 'labels', 'titles', 'starts', 'keywords', 'paths'] as const;
/** The lists of patterns about deliveries. */
const LISTS = ['production', 'incidents', 'failures'] as const;
const OF_WORDS: ReadonlySet<string> = new Set(['titles', 'starts', 'keywords']);

/**
 * Reads the text of a file with rules of an organization.
 *
 * @throws FileError with every problem, if the file cannot be read or is invalid
 */
export async function loadOrganizationRules(file: string): Promise<{ readonly text: string; readonly rules: number }> {
  const text = await readTextFile(file, 'rules file');
  if (text.length > mostCharacters && Array.from(text).length > mostCharacters) {
    const problem = { line: null, place: null, text: `it has more than ${mostCharacters} characters` };
    throw new FileError(`${file} is not a file with rules of an organization`, [problem]);
  }
  return { text, rules: parseOrganizationRules(text, file).rules.length };
}

/** Parses the text of such a file; `name` is what messages call it. Throws like `loadOrganizationRules`. */
export function parseOrganizationRules(text: string, name: string): OrganizationRules {
  return atOnce(organizationRulesSteps(text, name));
}

/** The same in small steps. */
export function* organizationRulesSteps(text: string, name: string): Steps<OrganizationRules> {
  const { value, lineOf } = yield* yamlSteps(text, name);
  const check = new FileCheck(lineOf);
  const root = check.mapping(value, 'the file', ['rules', ...LISTS]);
  const items = check.list(root['rules'], 'rules');
  if (items.length > MOST_RULES) check.problem('rules', `may have at most ${MOST_RULES} items, not ${items.length}`);
  const rules = readRules(check, items.slice(0, MOST_RULES));
  yield;
  const list = (name: (typeof LISTS)[number]): readonly string[] | null =>
    root[name] === undefined ? null : readPatterns(check, root[name], name);
  const delivery = { production: list('production'), incidents: list('incidents'), failures: list('failures') };
  checkRollbacks(check, delivery);
  checkSizes(
    check,
    rules,
    LISTS.reduce((sum, name) => sum + (delivery[name]?.length ?? 0), 0),
  );
  check.finish(`${name} is not a file with rules of an organization`);
  return {
    rules: rules.map((rule) => ({ ...rule, name: organizationName(rule.name) })),
    delivery,
    fingerprint: createHash('sha256').update(JSON.stringify(value)).digest('hex'),
  };
}

/**
 * Reads one rule, as an item of the list `rules` of such a file.
 *
 * @param item a mapping
 * @throws FileError with every problem, if it cannot be an item of the list
 */
export function organizationRule(item: unknown): Rule {
  const check = new FileCheck();
  const rules = readRules(check, [item]);
  checkSizes(check, rules, 0);
  check.finish('It is not a rule of an organization');
  const [rule] = rules;
  if (rule === undefined) throw new Error('A list of one item has no rule');
  return { ...rule, name: organizationName(rule.name) };
}

/** What explanations and classifiers call a rule of an organization. */
export function organizationName(name: string): string {
  return `${ORGANIZATION_PREFIX}${name}`;
}

function readPatterns(check: FileCheck, value: unknown, list: (typeof LISTS)[number]): readonly string[] {
  const patterns = check.texts(value, list);
  if (patterns.every((pattern) => pattern.startsWith(EXCEPT)))
    check.problem(list, 'needs a pattern that does not begin with !');
  patterns.forEach((pattern, at) => {
    if (pattern.length > LONGEST_PATTERN)
      check.problem(`${list}[${at}]`, `must have at most ${LONGEST_PATTERN} characters`);
  });
  return patterns;
}

/** Another text after `deployment:` would silently match nothing. */
function checkRollbacks(check: FileCheck, { failures }: DeliveryPatterns): void {
  failures?.forEach((pattern, at) => {
    if (/^!?deployment:/.test(pattern) && pattern !== ROLLBACK)
      check.problem(`failures[${at}]`, `must be ${ROLLBACK}, which is the only pattern of deployments`);
  });
}

/** @param others the number of patterns that are not those of rules */
function checkSizes(check: FileCheck, rules: readonly Rule[], others: number): void {
  let patterns = others;
  rules.forEach((rule, index) => {
    const place = `rules[${index}]`;
    if (rule.name.length > LONGEST_NAME) check.problem(`${place}.name`, `must have at most ${LONGEST_NAME} characters`);
    if (rule.weight > LARGEST_WEIGHT) check.problem(`${place}.weight`, `must be at most ${LARGEST_WEIGHT}`);
    for (const kind of PATTERNS) {
      patterns += rule[kind].length;
      rule[kind].forEach((pattern, at) => {
        const item = `${place}.${kind}[${at}]`;
        if (pattern.length > LONGEST_PATTERN) check.problem(item, `must have at most ${LONGEST_PATTERN} characters`);
        if (OF_WORDS.has(kind) && wordsOf(pattern).length > MOST_WORDS)
          check.problem(item, `must have at most ${MOST_WORDS} words`);
        if (kind === 'paths' && pattern.split('/').length > MOST_PARTS)
          check.problem(item, `must have at most ${MOST_PARTS} parts between slashes`);
      });
    }
  });
  if (patterns > MOST_PATTERNS)
    check.problem('rules', `may have at most ${MOST_PATTERNS} patterns in total, not ${patterns}`);
}
