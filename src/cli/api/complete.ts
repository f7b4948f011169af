/** Completes the words after `plumbline api`; called by the scripts of the shells. */
import { commands } from '../../../generated/platform/commands.js';
import { readWords } from './operation-word.js';
import { operationNamed, operationOptions, serverOptions } from './options.js';

/** @param words the last one is under the cursor */
export function completeApi(words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  return candidates(words).filter((each) => each.startsWith(typed));
}

function candidates(words: readonly string[]): readonly string[] {
  const { isHelp, operation: name } = readWords(words.slice(0, -1));
  const operation = operationNamed(name);
  if (name !== undefined && (operation === undefined || isHelp)) return [];
  const options = operation === undefined ? serverOptions() : operationOptions(operation);
  const before = options.find(({ long }) => long === words.at(-2));
  if (before?.argChoices !== undefined) return before.argChoices;
  if (before?.required === true) return [];
  if (operation !== undefined || words.at(-1)?.startsWith('-') === true)
    return options.flatMap(({ long }) => long ?? []);
  return [...(isHelp ? [] : ['help']), ...commands.map((each) => each.name)];
}
