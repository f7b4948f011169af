/**
 * docker compose's variables that are defaults of options. They come from the environment, else from the environment
 * files of the project.
 */
import { Option } from 'commander';
import { isSwitchedOn, type Environment } from '../model/dotenv/environment.js';
import { UsageError } from './failures.js';
import { PROGRESS_STYLES } from './progress-view.js';
import type { GlobalOptions } from './session.js';

export const ANSI_CHOICES = ['auto', 'always', 'never'] as const;

/** The options with their defaults. @throws UsageError for a variable that is not one of the choices */
export function withDefaults(options: GlobalOptions, variables: Environment): GlobalOptions {
  const ansi = options.ansi ?? chosen('COMPOSE_ANSI', ANSI_CHOICES, variables);
  const progress = options.progress ?? chosen('COMPOSE_PROGRESS', PROGRESS_STYLES, variables);
  return { ...options, ...(ansi && { ansi }), ...(progress && { progress }) };
}

function chosen<const T extends string>(name: string, choices: readonly T[], variables: Environment): T | undefined {
  const value = variables.get(name);
  if (!value) return undefined;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw new UsageError(`${name} must be one of: ${choices.join(', ')}.`);
  return choice;
}

interface OrphanFlags {
  readonly removeOrphans?: boolean;
}

export function removesOrphans(flags: OrphanFlags, variables: Environment): boolean {
  return flags.removeOrphans ?? isSwitchedOn(variables.get('COMPOSE_REMOVE_ORPHANS'));
}

/** What `up` does about orphans. @throws UsageError if they are to be removed and ignored */
export function orphanPolicy(
  flags: OrphanFlags,
  variables: Environment,
): { readonly removeOrphans: boolean; readonly ignoreOrphans: boolean } {
  const removeOrphans = removesOrphans(flags, variables);
  const ignoreOrphans = isSwitchedOn(variables.get('COMPOSE_IGNORE_ORPHANS'));
  if (removeOrphans && ignoreOrphans)
    throw new UsageError('COMPOSE_IGNORE_ORPHANS and --remove-orphans cannot be combined.');
  return { removeOrphans, ignoreOrphans };
}

/** Against COMPOSE_REMOVE_ORPHANS; also what `--remove-orphans=false` means. */
export function keepOrphans(): Option {
  return new Option('--no-remove-orphans', 'keep containers of services not in the compose file').hideHelp();
}
