import { misspeltSettings } from '../platform/server/settings/misspelt-settings.js';
import {
  settingNames,
  settingsEnvironment,
  type Environment,
} from '../platform/server/settings/settings-environment.js';

/** The option of all commands that read settings. */
export interface ConfigOption {
  readonly config?: string;
}

/** The environment of a command, with the settings file. Warns on standard error about misspelt variables. */
export async function commandEnvironment({ config }: ConfigOption): Promise<Environment> {
  for (const line of misspeltSettings(process.env, settingNames)) console.error(`plumbline: warning: ${line}`);
  return settingsEnvironment(process.env, config);
}
