/** `--flag=true` and `--flag=false`, which the Docker CLI accepts for every flag without a value. */
import type { Command } from 'commander';

/**
 * Replaces such words by the flag or its negation, or removes them if the flag has that value already.
 *
 * @param passesOn whether words after the first operand belong to another command
 */
export function acceptBooleanWords(command: Command, passesOn: boolean): void {
  const parse = command.parseOptions.bind(command);
  command.parseOptions = (words) => parse(plainWords(command, words, passesOn));
}

function plainWords(command: Command, words: readonly string[], passesOn: boolean): string[] {
  const plain: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word === '--' || (passesOn && !word.startsWith('-'))) return [...plain, ...words.slice(at)];
    const [, name = word, value] = /^(--?[\w-]+)=(.*)$/s.exec(word) ?? [];
    const option = optionOf(command, name);
    if (option?.required === true && value === undefined) plain.push(word, ...words.slice(++at, at + 1));
    else if (option?.required === true || (value !== undefined && !isBoolean(value))) plain.push(word);
    else plain.push(...(wordFor(command, name, value === undefined ? undefined : isTrue(value)) ?? [word]));
  }
  return plain;
}

/** Undefined if the word is kept. */
function wordFor(command: Command, name: string, value: boolean | undefined): readonly string[] | undefined {
  const opposite = name.startsWith('--no-') ? `--${name.slice('--no-'.length)}` : `--no-${name.replace(/^--?/, '')}`;
  const isKnown = optionOf(command, name) !== undefined;
  const long = optionOf(command, name)?.long;
  const negated = name.startsWith('--') || long == null ? opposite : `--no-${long.slice('--'.length)}`;
  const hasOpposite = optionOf(command, negated) !== undefined;
  if (!isKnown && !hasOpposite) return undefined;
  const given = value ?? true;
  if (given) return isKnown ? [name] : [];
  return hasOpposite ? [negated] : [];
}

function optionOf(command: Command, name: string): Command['options'][number] | undefined {
  return command.options.find(({ short, long }) => short === name || long === name);
}

function isBoolean(value: string): boolean {
  return /^(?:true|false|1|0|t|f)$/i.test(value);
}

function isTrue(value: string): boolean {
  return /^(?:true|1|t)$/i.test(value);
}
