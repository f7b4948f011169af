/** Parses and validates the rules file. Its format is described at the top of `rules.yaml`. */
import { createHash } from 'node:crypto';
import type { Subcategory, WorkType } from '../../../analytics/vocabulary.js';
import { WORK_TYPES } from '../../../analytics/vocabulary.js';
import { FileCheck, parseYaml, readTextFile } from '../file-check.js';
import type { DeliveryPatterns } from './delivery-rules.js';
import type { Points } from './shares.js';
import { SUBCATEGORIES } from './shares.js';

export const SIGNALS = [
  'type',
  'scope',
  'label',
  'title',
  'start',
  'keyword',
  'path',
  'only_path',
  'named_path',
  'work_type',
] as const;
/** The part of a unit that a rule matched. */
export type Signal = (typeof SIGNALS)[number];

/** One rule; patterns are as written. */
export interface Rule {
  readonly name: string;
  readonly types: readonly string[];
  readonly scopes: readonly string[];
  readonly labels: readonly string[];
  readonly titles: readonly string[];
  readonly starts: readonly string[];
  readonly keywords: readonly string[];
  readonly paths: readonly string[];
  readonly workTypes: readonly WorkType[];
  /** Parts that add up to 1. */
  readonly gives: Points;
  readonly weight: number;
}

export interface Rules {
  readonly rules: readonly Rule[];
  readonly points: Readonly<Record<Signal, number>>;
  /** Units with fewer points in total are divided as in `fallback`. */
  readonly least: number;
  /** Parts that add up to 1. */
  readonly fallback: Points;
  /** Changes with the content of the file. */
  readonly fingerprint: string;
}

/** The rules of an organization, which come before those of the rules file. */
export interface OrganizationRules {
  readonly rules: readonly Rule[];
  readonly delivery: DeliveryPatterns;
  /** Changes with their text. */
  readonly fingerprint: string;
}

/**
 * Reads a rules file.
 *
 * @param file its path; undefined for the built-in rules
 * @throws FileError with every problem, if the file cannot be read or is invalid
 */
export async function loadRules(file?: string): Promise<Rules> {
  const text = await readTextFile(file ?? new URL('rules.yaml', import.meta.url), 'rules file');
  return parseRules(text, file ?? 'rules.yaml');
}

/**
 * Parses the text of a rules file.
 *
 * @param name what messages call the file
 * @throws FileError with every problem in it
 */
export function parseRules(text: string, name: string): Rules {
  const { value: content, lineOf } = parseYaml(text, name);
  const check = new FileCheck(lineOf);
  const root = check.mapping(content, 'the file', ['version', 'points', 'least', 'fallback', 'rules']);
  if (root['version'] !== 1) check.problem('version', 'must be 1');
  const rules: Rules = {
    points: readPoints(check, root['points']),
    least: root['least'] === undefined ? 0 : check.number(root['least'], 'least', 0),
    fallback: readGives(check, root['fallback'], 'fallback'),
    rules: readRules(check, root['rules']),
    fingerprint: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
  };
  check.finish(`${name} is not a rules file`);
  return rules;
}

function readPoints(check: FileCheck, value: unknown): Record<Signal, number> {
  const given = value === undefined ? {} : check.mapping(value, 'points', SIGNALS);
  // Files from before `only_path` and `named_path` existed keep their meaning.
  const files = { path: 3, only_path: 0, named_path: 0 };
  const points = { type: 4, scope: 3, label: 6, title: 8, start: 5, keyword: 3, ...files, work_type: 1 };
  for (const signal of SIGNALS) {
    if (given[signal] !== undefined) points[signal] = check.number(given[signal], `points.${signal}`, 0);
  }
  return points;
}

/** Reads the list `rules` of a file, and reports its problems to `check`. */
export function readRules(check: FileCheck, value: unknown): Rule[] {
  const names = new Set<string>();
  return check.list(value, 'rules').map((item, index) => {
    const rule = readRule(check, item, `rules[${index}]`);
    if (names.has(rule.name)) check.problem(`rules[${index}].name`, `${JSON.stringify(rule.name)} is used twice`);
    names.add(rule.name);
    return rule;
  });
}

const LISTS = ['types', 'scopes', 'labels', 'titles', 'starts', 'keywords', 'paths', 'work_types'] as const;

function readRule(check: FileCheck, value: unknown, place: string): Rule {
  const item = check.mapping(value, place, ['name', ...LISTS, 'gives', 'weight']);
  const texts = (name: (typeof LISTS)[number]): string[] =>
    item[name] === undefined ? [] : check.texts(item[name], `${place}.${name}`);
  if (LISTS.every((name) => item[name] === undefined)) check.problem(place, `needs one of ${LISTS.join(', ')}`);
  return {
    name: check.text(item['name'], `${place}.name`),
    types: texts('types').map((type) => type.toLowerCase()),
    scopes: texts('scopes'),
    labels: texts('labels'),
    titles: texts('titles'),
    starts: texts('starts'),
    keywords: texts('keywords'),
    paths: texts('paths'),
    workTypes: texts('work_types').flatMap((text) => check.oneOf(text, WORK_TYPES, `${place}.work_types`) ?? []),
    gives: readGives(check, item['gives'], `${place}.gives`),
    weight: item['weight'] === undefined ? 1 : check.number(item['weight'], `${place}.weight`, 0),
  };
}

/** One subcategory, or several with their parts; scaled so that the parts add up to 1. */
function readGives(check: FileCheck, value: unknown, place: string): Points {
  if (typeof value === 'string') {
    const only = check.oneOf(value, SUBCATEGORIES, place);
    return new Map(only === undefined ? [] : [[only, 1]]);
  }
  const parts = new Map<Subcategory, number>();
  for (const [name, part] of Object.entries(check.mapping(value, place))) {
    const subcategory = check.oneOf(name, SUBCATEGORIES, place);
    if (subcategory !== undefined) parts.set(subcategory, check.number(part, `${place}.${name}`, 0));
  }
  const total = [...parts.values()].reduce((sum, part) => sum + part, 0);
  if (!(total > 0)) check.problem(place, 'gives nothing: name a subcategory, or several with parts above 0');
  return new Map([...parts].map(([subcategory, part]) => [subcategory, part / total]));
}
