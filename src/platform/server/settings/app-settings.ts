/** The settings of the app that an operator has registered at the code host. */
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { httpUrl, text, webhookSecret } from './setting-values.js';
import { optional, secret, setting, SettingError } from './setting.js';

/** The keys are those of `AppSettings`. */
export const appSettingsTable = {
  appId: optional('GITHUB_APP_ID', 'none', appId, 'Id of the GitHub App with which organizations connect GitHub.'),
  appPrivateKey: secret(
    'GITHUB_APP_PRIVATE_KEY',
    'none',
    rsaPrivateKey,
    'Private key of the app, as GitHub generates it (PEM).',
  ),
  appSlug: optional('GITHUB_APP_SLUG', 'none', slug, 'Name of the app in its address, https://github.com/apps/NAME.'),
  appClientId: optional('GITHUB_APP_CLIENT_ID', 'none', text, 'Client id of the app.'),
  appClientSecret: secret('GITHUB_APP_CLIENT_SECRET', 'none', text, 'Client secret of the app.'),
  appWebhookSecret: secret(
    'GITHUB_APP_WEBHOOK_SECRET',
    'none',
    webhookSecret,
    'Secret with which GitHub signs the webhooks of the app, at least 16 characters.',
  ),
  appUrl: setting(
    'GITHUB_APP_URL',
    'https://github.com',
    httpUrl,
    'Address of GitHub, or of a GitHub Enterprise Server. One in a private network must also be in INTEGRATION_NETWORKS.',
  ),
} as const;

/** The app's settings. All but `appUrl` are null if there is no app. */
export interface AppSettings {
  readonly appId: string | null;
  readonly appPrivateKey: KeyObject | null;
  readonly appSlug: string | null;
  readonly appClientId: string | null;
  readonly appClientSecret: string | null;
  readonly appWebhookSecret: string | null;
  /** Without a trailing slash. */
  readonly appUrl: string;
}

/** @throws SettingError when some of the app's settings are set, and others are missing */
export function assertWholeApp(settings: AppSettings): void {
  const keys = (Object.keys(appSettingsTable) as (keyof AppSettings)[]).filter((key) => key !== 'appUrl');
  const missing = keys.filter((key) => settings[key] === null);
  if (missing.length === 0 || missing.length === keys.length) return;
  const names = missing.map((key) => appSettingsTable[key].name);
  throw new SettingError(`${names.join(', ')} must be set too, because the app at GitHub needs all of its settings`);
}

function appId(value: string): string {
  if (!/^[1-9]\d{0,18}$/.test(value)) throw new Error('must be the number of the app');
  return value;
}

function slug(value: string): string {
  if (!/^[A-Za-z0-9-]{1,100}$/.test(value)) throw new Error('must be the last part of the address of the app');
  return value;
}

/** Variables of some platforms cannot have line breaks, and have `\n` instead. The message must not repeat the key. */
function rsaPrivateKey(value: string): KeyObject {
  const fault = new Error('must be an RSA private key in PEM, such as GitHub generates, of at least 2048 bits');
  let key: KeyObject;
  try {
    key = createPrivateKey(value.replaceAll('\\n', '\n'));
  } catch {
    throw fault;
  }
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) throw fault;
  return key;
}
