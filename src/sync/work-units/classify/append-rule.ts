/** Appends a rule to the text of a file with rules of an organization, and keeps the rest as it was written. */
import { isDeepStrictEqual } from 'node:util';
import { isMap, isSeq, stringify, type YAMLSeq } from 'yaml';
import { boundedYaml } from '@plumbline/contract/system/bounded-yaml';
import type { Steps } from '@plumbline/contract/system/slices';
import type { Subcategory, WorkType } from '../../../analytics/vocabulary.js';
import { FileError, yamlSteps } from '../file-check.js';

/** A rule as an item of the list `rules`. */
export interface WrittenRule {
  readonly name: string;
  readonly types?: readonly string[];
  readonly scopes?: readonly string[];
  readonly labels?: readonly string[];
  readonly titles?: readonly string[];
  readonly starts?: readonly string[];
  readonly keywords?: readonly string[];
  readonly paths?: readonly string[];
  readonly work_types?: readonly WorkType[];
  readonly gives: Subcategory;
  readonly weight?: number;
}

/**
 * Appends a rule, in small steps.
 *
 * @param text the valid text of such a file, or an empty one
 * @returns a text whose rules are the former ones and the new one; whether they are valid together is not checked
 */
export function* appendRule(text: string, rule: WrittenRule): Steps<string> {
  if (text === '') return `rules:\n${itemOf(rule, '  ')}`;
  const { value } = yield* yamlSteps(text, 'The stored file');
  const wanted = withRule(value, rule);
  const { document } = yield* boundedYaml(text);
  const rules = isMap(document.contents) ? document.contents.get('rules') : undefined;
  const written = isSeq(rules) ? inserted(text, rules, rule) : undefined;
  if (written !== undefined && (yield* says(written, wanted))) return written;
  // An unusual style, such as a list that is an alias: the file is written anew.
  return stringify(wanted, { lineWidth: 0 });
}

/** The text with the rule at the end of the list, by the places of the list in it; undefined: it cannot be found. */
function inserted(text: string, { flow, items, range }: YAMLSeq, rule: WrittenRule): string | undefined {
  if (range === null || range === undefined) return undefined;
  const [start, end] = range;
  if (flow === true) {
    const before = text.slice(0, end - 1);
    const separator = items.length === 0 || before.trimEnd().endsWith(',') ? '' : ', ';
    return `${before}${separator}${JSON.stringify(rule)}${text.slice(end - 1)}`;
  }
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  // The end of a list in blocks can be after comments that belong to what follows it.
  const before = text.slice(0, end).trimEnd();
  const line = text.indexOf('\n', before.length);
  const at = line < 0 ? text.length : line + 1;
  const separator = text.slice(0, at).endsWith('\n') ? '' : '\n';
  return `${text.slice(0, at)}${separator}${itemOf(rule, indent)}${text.slice(at)}`;
}

/** The rule in blocks. JSON is YAML, so that no value needs rules for quotes. */
function itemOf(rule: WrittenRule, indent: string): string {
  const lines = Object.entries(rule).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `${indent}- ${lines.join(`${indent}  `)}`;
}

/** The values of the file with the rule. */
function withRule(value: unknown, rule: WrittenRule): object {
  if (typeof value === 'object' && value !== null && 'rules' in value && Array.isArray(value.rules))
    return { ...value, rules: [...(value.rules as readonly unknown[]), rule] };
  throw new Error('A stored file with rules has no list of rules');
}

/** Whether the text has these values: whatever its style is, nothing else has changed. */
function* says(text: string, wanted: object): Steps<boolean> {
  try {
    return isDeepStrictEqual((yield* yamlSteps(text, 'The new file')).value, wanted);
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}
