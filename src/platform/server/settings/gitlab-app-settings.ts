/** The settings of the application for OAuth 2.0 that an operator has registered at GitLab. */
import { optional, read, secret, setting, SettingError } from './setting.js';
import { Webhook } from 'standardwebhooks';
import { issuerUrl, text, webhookSecret } from './setting-values.js';

export interface GitlabAppSettings {
  /** Without a trailing slash. */
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Null: webhooks of GitLab are refused. */
  readonly webhookSecret: string | null;
}

export const gitlabAppTable = {
  url: setting(
    'GITLAB_APP_URL',
    'https://gitlab.com',
    (value) => issuerUrl(value).replace(/\/+$/, ''),
    'Address of GitLab, or of a self-managed one. One in a private network must also be in INTEGRATION_NETWORKS.',
  ),
  clientId: optional(
    'GITLAB_APP_CLIENT_ID',
    'none',
    text,
    'Id of the GitLab application with which organizations connect GitLab.',
  ),
  clientSecret: secret('GITLAB_APP_CLIENT_SECRET', 'none', text, 'Secret of the application.'),
  webhookSecret: secret(
    'GITLAB_APP_WEBHOOK_SECRET',
    'none',
    secretOrSigningToken,
    'Secret token or signing token of the webhooks of GitLab, at least 16 characters. Without it, they are refused.',
  ),
} as const;

/** A signing token is a key in base64. The message must not repeat it. */
function secretOrSigningToken(value: string): string {
  if (value.startsWith('whsec_')) {
    try {
      new Webhook(value);
    } catch {
      throw new Error('must be whsec_ and a key in base64, if it begins with whsec_');
    }
  }
  return webhookSecret(value);
}

/**
 * The application that the environment configures; null: there is none.
 *
 * @throws SettingError when only a part of its settings is set
 */
export function gitlabAppOf(environment: Readonly<Record<string, string | undefined>>): GitlabAppSettings | null {
  const table = gitlabAppTable;
  const [clientId, clientSecret] = [read(table.clientId, environment), read(table.clientSecret, environment)];
  const webhook = read(table.webhookSecret, environment);
  if (clientId !== null && clientSecret !== null) {
    return { url: read(table.url, environment), clientId, clientSecret, webhookSecret: webhook };
  }
  if (clientId === null && clientSecret === null && webhook === null) return null;
  throw new SettingError(`${table.clientId.name} and ${table.clientSecret.name} must be set together`);
}
