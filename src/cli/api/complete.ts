/** Completes the words after `plumbline api`; called by the scripts of the shells. */
import { commands } from '../../../generated/platform/commands.js';
import { operationNamed, operationOptions } from './options.js';

/** @param words the last one is under the cursor */
export function completeApi(words: readonly string[]): string[] {
  const typed = words.at(-1) ?? '';
  return candidates(words).filter((each) => each.startsWith(typed));
}

function candidates(words: readonly string[]): readonly string[] {
  if (words.length <= 1) return commands.map(({ name }) => name);
  const operation = operationNamed(words[0]);
  if (operation === undefined) return [];
  const options = operationOptions(operation);
  const before = options.find(({ long }) => long === words.at(-2));
  if (before?.argChoices !== undefined) return before.argChoices;
  return before?.required === true ? [] : options.flatMap(({ long }) => long ?? []);
}
