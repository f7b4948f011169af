import { examine } from '../platform/server/doctor/doctor.js';
import { findingsOf, type Finding } from '../platform/server/doctor/finding.js';
import { readSettings, type PlatformSettings } from '../platform/server/settings.js';
import { SettingError } from '../platform/server/settings/setting.js';
import { misspeltSettings } from '../platform/server/settings/misspelt-settings.js';
import { settingNames, settingsEnvironment } from '../platform/server/settings/settings-environment.js';
import type { ConfigOption } from './environment.js';
import { oneLine } from './one-line.js';

const marks = { ok: 'ok     ', warning: 'WARNING', failed: 'FAILED ' } as const;

/** Runs `plumbline doctor`. The exit code is 1 when a check failed. */
export async function doctor({ config, json = false }: ConfigOption & { readonly json?: boolean }): Promise<void> {
  const { findings: ofSettings, settings } = await readAndCheck(config);
  const findings = [...ofSettings, ...(settings === null ? [] : await examine(settings))];
  const failed = findings.filter(({ status }) => status === 'failed').length;
  const warned = findings.filter(({ status }) => status === 'warning').length;
  if (json) console.log(JSON.stringify({ ok: failed === 0, findings }));
  else {
    for (const finding of findings) console.log(lineOf(finding));
    console.log(`\n${findings.length} checks: ${failed} failed, ${warned} with a warning.`);
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

/** Returns the problems of the settings, and the settings if they are valid. */
async function readAndCheck(
  config: string | undefined,
): Promise<{ findings: Finding[]; settings: PlatformSettings | null }> {
  const { ok, warning, failed } = findingsOf('settings');
  const misspelt = misspeltSettings(process.env, settingNames).map((line) =>
    warning(line, 'Rename or unset the variable.'),
  );
  try {
    const settings = readSettings(await settingsEnvironment(process.env, config));
    return { findings: [...misspelt, ok('All settings are valid.')], settings };
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    const finding = failed(`${error.message}.`, 'Correct it; plumbline serve --help describes all settings.');
    return { findings: [...misspelt, finding], settings: null };
  }
}

function lineOf({ check, status, message, remedy }: Finding): string {
  const line = `${marks[status]}  ${check}: ${oneLine(message)}`;
  return remedy === null ? line : `${line}\n         ${oneLine(remedy)}`;
}
