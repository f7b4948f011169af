/** The options of operations. */
import { Option } from 'commander';
import type { OperationCommand, OperationFlag } from '@plumbline/contract/contract-types';
import { commands } from '../../../generated/platform/commands.js';

/** The operation with a name, such as `start-sync-run` or `startSyncRun`. */
export function operationNamed(name: string | undefined): OperationCommand | undefined {
  return commands.find((each) => each.name === name || each.operationId === name);
}

/** The options of an operation. Commander reports only options that nothing has. */
export function operationOptions(operation: OperationCommand): Option[] {
  return [
    ...operation.flags.map(optionOf),
    ...(operation.body === null ? [] : [new Option('--body <file>', bodyHelp(operation.body))]),
    ...(operation.largestPage === null
      ? []
      : [
          new Option('--all', 'all items, from all pages; with --json one item per line'),
          new Option('--limit <number>', 'at most so many items; with --json one per line'),
        ]),
    ...(operation.isRun ? [new Option('--watch', 'follow the run until it ends')] : []),
    ...serverOptions(),
  ];
}

/** The options that do not depend on the operation. */
export function serverOptions(): Option[] {
  return [
    new Option('--server <url>', 'address of the server (default: PLUMBLINE_SERVER, else the last login)'),
    new Option('--json', 'print the body of the reply, also of a refusal, as JSON'),
  ];
}

function optionOf(flag: OperationFlag): Option {
  const { name, kind, required, choices, isSecret } = flag;
  const needed = required && flag.property !== 'org_id' ? ' (required)' : '';
  const option = new Option(`--${name} ${valueOf(kind, isSecret)}`, `${descriptionOf(flag)}${needed}`);
  // Values are checked with the schema of the contract, which has its own messages.
  if (choices.length > 0) option.argChoices = [...choices];
  else if (kind === 'boolean') option.argChoices = ['true', 'false'];
  return option;
}

function descriptionOf({ description, kind, isSecret }: OperationFlag): string {
  if (isSecret) return `${description} The value is in a file; - is standard input.`;
  return kind === 'json' ? `${description} As JSON.` : description;
}

function valueOf(kind: OperationFlag['kind'], isSecret: boolean): string {
  if (isSecret) return '<file>';
  if (kind === 'boolean') return '[boolean]';
  return { number: '<number>', texts: '<value...>', json: '<json>', text: '<value>' }[kind];
}

function bodyHelp({ isText }: { readonly isText: boolean }): string {
  return isText
    ? 'file with the body; - is standard input'
    : 'file with the body as JSON; - is standard input; other flags replace its properties';
}
