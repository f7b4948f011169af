import { isMap, isScalar, isSeq } from 'yaml';
import { parseBoundedYaml, YamlLimitError, type BoundedYaml } from '@plumbline/contract/system/bounded-yaml';
import { readRegularFile, UnreadableFileError } from '@plumbline/contract/system/regular-file';
import { PROVIDERS } from '../../../sync/providers/registry.js';
import { settingDescriptions } from '../settings.js';
import { SettingError } from './setting.js';
import { similarName } from './misspelt-settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings of `plumbline sync`, which the same file may contain; the second list has those that may be secret. */
const syncNames = [
  ...['ORG_ID', 'BATCH_SIZE', 'MAX_WORKERS', 'DB_ECHO'],
  ...PROVIDERS.flatMap(({ variable }) => variable?.[0] ?? []),
];
const syncSecrets = ['SECONDARY_DATABASE_URI', ...PROVIDERS.flatMap(({ host }) => host?.tokenVariable ?? [])];

const secretNames: readonly string[] = [
  ...settingDescriptions.filter(({ isSecret }) => isSecret).map(({ name }) => name),
  ...syncSecrets,
];

/** Every variable that is a setting, except PLUMBLINE_CONFIG. */
export const settingNames: readonly string[] = [
  ...settingDescriptions.map(({ name }) => name),
  ...syncNames,
  ...syncSecrets,
  ...secretNames.map((name) => `${name}_FILE`),
];

/**
 * The environment, with the settings of the settings file that the environment does not set, and with the secrets of
 * files that NAME_FILE variables name.
 *
 * @param configFile the settings file; default: PLUMBLINE_CONFIG, else none
 * @throws SettingError when a file cannot be read or is invalid, and when both NAME and NAME_FILE are set
 */
export async function settingsEnvironment(
  environment: Environment,
  configFile = environment['PLUMBLINE_CONFIG'],
): Promise<Environment> {
  const fromFile = configFile === undefined || configFile === '' ? {} : await readSettingsFile(configFile);
  const own = await withSecretsOfFiles(environment);
  return { ...(await withSecretsOfFiles(without(fromFile, own))), ...nonEmpty(own) };
}

/** A variable of the environment overrides the setting of the file in either form: NAME or NAME_FILE. */
function without(settings: Environment, environment: Environment): Environment {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !isSet(name.replace(/_FILE$/, ''))));
}

/** An empty variable counts as unset. */
function nonEmpty(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}

async function withSecretsOfFiles(environment: Environment): Promise<Environment> {
  const found: Record<string, string> = {};
  for (const name of secretNames) {
    const file = environment[`${name}_FILE`] ?? '';
    if (file === '') continue;
    if ((environment[name] ?? '') !== '') throw new SettingError(`Set ${name} or ${name}_FILE, not both`);
    const content = (await readText(file, `${name}_FILE`)).trim();
    if (content === '') throw new SettingError(`${name}_FILE names ${file}, which is empty`);
    found[name] = content;
  }
  return { ...environment, ...found };
}

/**
 * Reads a settings file: a YAML or JSON mapping of setting names to values. A list stands for values separated by
 * commas. Values are kept as written (the failsafe schema): `off` is a text, and a long number keeps its digits.
 */
async function readSettingsFile(file: string): Promise<Environment> {
  const { contents } = parseSettings(await readText(file, 'The settings file'), file);
  if (contents === null || (isScalar(contents) && contents.value === '')) return {};
  if (!isMap(contents)) throw new SettingError(`${file} must hold lines such as PORT: 8080`);
  return Object.fromEntries(
    contents.items.map(({ key, value }): [string, string] => {
      const name = isScalar(key) ? String(key.value) : '';
      if (!settingNames.includes(name)) throw new SettingError(unknownName(file, name));
      return [name, textOf(value, `${file}: ${name}`)];
    }),
  );
}

function parseSettings(text: string, file: string): BoundedYaml['document'] {
  let parsed: BoundedYaml;
  try {
    parsed = parseBoundedYaml(text, { schema: 'failsafe', uniqueKeys: true });
  } catch (error) {
    if (!(error instanceof YamlLimitError)) throw error;
    throw new SettingError(`${file} cannot be read: line ${error.line}: ${error.message}`);
  }
  const [fault] = parsed.faults;
  if (fault === undefined) return parsed.document;
  // The library's message quotes the file, which may contain secrets.
  const what = fault.code.toLowerCase().replaceAll('_', ' ');
  throw new SettingError(`${file} is not valid YAML: line ${fault.line}: ${what}`);
}

function unknownName(file: string, name: string): string {
  const similar = similarName(name, settingNames);
  const hint = similar === null ? 'plumbline serve --help lists the settings' : `Did you mean ${similar}?`;
  return `${file} sets ${JSON.stringify(name)}, which is not a setting. ${hint}`;
}

function textOf(value: unknown, where: string): string {
  if (value === null) return '';
  if (isScalar(value) && (value.value === null || typeof value.value === 'string')) return value.value ?? '';
  if (!isSeq(value)) throw new SettingError(`${where} must be a single value or a list`);
  return value.items.map((item) => textOf(item, where)).join(',');
}

async function readText(file: string, what: string): Promise<string> {
  try {
    return (await readRegularFile(file)).toString('utf8');
  } catch (error) {
    if (error instanceof UnreadableFileError) throw new SettingError(`${what} names ${file}, which ${error.reason}`);
    throw error;
  }
}
