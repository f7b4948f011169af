/** `plumbline api`: every operation of the Platform API as a command. */
import type { Command } from 'commander';
import type { OperationCommand } from '@plumbline/contract/contract-types';
import { commands } from '../../../generated/platform/commands.js';
import { completeApi } from './complete.js';
import { readWords } from './operation-word.js';
import { operationNamed, operationOptions, serverOptions } from './options.js';
import type { ApiOptions } from './run-operation.js';

const GENERAL_HELP = `
Without an operation, the operations are listed. "plumbline api help <operation>" describes one. The tokens are those of "plumbline login", or
PLUMBLINE_TOKEN; --org-id is that of the caller unless it is given.

Exit codes: 0 success, 1 no valid answer or an error of the server (5xx), 2 invalid arguments, which are not sent,
3 the server refused (4xx), 4 a run that --watch followed has not ended as complete.

Examples:
  plumbline api list-sync-configs
  plumbline api list-members --all --json
  plumbline api start-sync-run --sync-config-id <id> --watch
  plumbline api create-team --body team.json
  plumbline completion bash > /etc/bash_completion.d/plumbline`;

/** @param words the words after `api`: only the operation that they name is added, because there are many */
export function registerApiCommand(program: Command, words: readonly string[]): void {
  const api = program
    .command('api')
    .description('call an operation of a server')
    .usage('<operation> [options]')
    .addHelpText('after', () => `${operationList()}\n${GENERAL_HELP}`);
  const { operation: name } = readWords(words);
  if (name === '__complete') {
    api
      .command('__complete', { hidden: true })
      .argument('[words...]')
      .action((typed: readonly string[]) => {
        for (const each of completeApi(typed)) console.log(each);
      });
    return;
  }
  for (const option of serverOptions()) api.addOption(option); // so that they may come before the operation
  const operation = operationNamed(name);
  if (operation !== undefined) registerOperation(api, operation, name ?? '');
  else if (name === undefined) {
    api.action(() => {
      api.outputHelp();
    });
  } else api.action(() => api.error(`plumbline api: there is no operation '${name}'; plumbline api lists them`));
  if (operation === undefined) api.argument('[words...]');
}

function registerOperation(api: Command, operation: OperationCommand, name: string): void {
  const command = api
    .command(name)
    .summary(operation.summary)
    .description(`${operation.summary}. ${operation.description}`);
  for (const option of operationOptions(operation)) command.addOption(option);
  command.action(async () => {
    const { runOperation } = await import('./run-operation.js');
    await runOperation(operation, command.optsWithGlobals<ApiOptions>());
  });
}

function operationList(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const tags = [...new Set(commands.map(({ tag }) => tag))];
  return tags
    .map((tag) => {
      const lines = commands
        .filter((each) => each.tag === tag)
        .map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
      return `\n${tag}:\n${lines.join('\n')}`;
    })
    .join('\n');
}
