import type { Validator } from '@plumbline/contract/contract-types';
import type { Schemas } from '../../generated/platform/operations.js';
import { routes } from '../../generated/platform/routes.js';
import { violationsOfFaults } from '@plumbline/contract/violations';
import type { DatabaseSql } from '../database/connection.js';
import { systemClock } from '../platform/clock.js';
import { systemRandom } from '../platform/random.js';
import { issueNextSecret, issueServiceToken } from '../platform/identity/service-tokens/issue-service-token.js';
import { endServiceToken } from '../platform/identity/service-tokens/service-tokens.js';
import { selectServiceTokens, serviceTokenOf } from '../platform/identity/service-tokens/service-tokens.store.js';
import type { TokenManager } from '../platform/identity/service-tokens/token-manager.js';
import { readSettings } from '../platform/server/settings.js';
import { SettingError } from '../platform/server/settings/setting.js';
import { commandEnvironment } from './environment.js';
import { oneLine } from './one-line.js';
import { withOpenDatabase } from './open-database.js';
import type { CreateOptions, ListOptions, RotateOptions, TokenOptions } from './service-token-options.js';
import { isUuid } from '@plumbline/contract/system/uuid';

/** An organization cannot have more; those that were revoked lately are listed as well. */
const mostListed = 1000;

/** Creates a token and prints it. @throws SettingError when an argument is invalid */
export async function createToken(name: string, options: CreateOptions): Promise<void> {
  const body = { name, scopes: [...options.scope], expires_in_days: wholeNumber(options.days) };
  assertValid('createServiceToken', body);
  await withOrganization(options, async (manager, sql) => {
    // The contract's validator has accepted the body.
    const request = body as Schemas['CreateServiceTokenRequest'];
    printIssued(await issueServiceToken(manager, request, { sql, ...systemParts }));
  });
}

/** Rotates a token and prints its new secret. @throws SettingError when an argument is invalid */
export async function rotateToken(id: string, options: RotateOptions): Promise<void> {
  const { overlap, days } = options;
  const body = {
    overlap_seconds: wholeNumber(overlap),
    ...(days !== undefined && { expires_in_days: wholeNumber(days) }),
  };
  assertValid('rotateServiceToken', body);
  await withOrganization(options, async (manager, sql) => {
    printIssued(await issueNextSecret(manager, uuidOf('a token', id), body, { sql, ...systemParts }));
  });
}

/** NaN, which the validator refuses, for other texts. `Number('')` is 0, which would end the earlier secret. */
function wholeNumber(text: string): number {
  return /^\d+$/.test(text) ? Number(text) : Number.NaN;
}

export async function revokeToken(id: string, options: TokenOptions): Promise<void> {
  await withOrganization(options, async (manager, sql) => {
    const isKnown = await endServiceToken(manager, uuidOf('a token', id), { sql, ...systemParts });
    if (!isKnown) throw new SettingError('The organization has no such service token');
    console.log('The token is revoked.');
  });
}

export async function listTokens(options: ListOptions): Promise<void> {
  await withOrganization(options, async ({ orgId }, sql) => {
    const now = systemClock.now();
    const rows = await selectServiceTokens(sql, orgId, null, mostListed, now);
    const tokens = rows.map((row) => serviceTokenOf(row, now));
    if (options.json === true) console.log(JSON.stringify(tokens));
    else for (const token of tokens) console.log(lineOf(token));
  });
}

const systemParts = { clock: systemClock, random: systemRandom };

function lineOf({ id, name, status, scopes, expires_at, last_used_at }: Schemas['ServiceToken']): string {
  const used = last_used_at === null ? 'never used' : `used ${last_used_at.slice(0, 16)}Z`;
  return `${id}  ${status.padEnd(7)}  expires ${expires_at.slice(0, 10)}  ${used}  ${scopes.join(',')}  ${oneLine(name)}`;
}

/** The secret alone is on standard output, so that a script can store it. */
function printIssued(
  outcome: { readonly issued: Schemas['IssuedServiceToken'] } | { readonly refusal: { readonly body: object } },
): void {
  if ('refusal' in outcome) {
    const { body } = outcome.refusal;
    throw new SettingError('message' in body ? String(body.message) : 'The token is refused');
  }
  const { token, service_token: serviceToken } = outcome.issued;
  console.error(`Token ${serviceToken.id}, valid until ${serviceToken.expires_at}. It is shown only now:`);
  console.log(token);
}

async function withOrganization(
  options: TokenOptions,
  work: (manager: TokenManager, sql: DatabaseSql) => Promise<void>,
): Promise<void> {
  const orgId = uuidOf('an organization', options.org);
  const settings = readSettings(await commandEnvironment(options));
  await withOpenDatabase(settings, async ({ sql }) => {
    const found = await sql`select 1 from organizations where id = ${orgId}`;
    if (found.length === 0) throw new SettingError(`There is no organization ${orgId}`);
    const context = { clientIp: 'unknown', userAgent: 'plumbline service-tokens', requestId: null };
    await work({ orgId, admin: null, context }, sql);
  });
}

function uuidOf(what: string, text: string): string {
  const id = text.toLowerCase();
  if (isUuid(id)) return id;
  throw new SettingError(`${JSON.stringify(text)} is not the id of ${what}`);
}

/** The rules of the API hold for the command line, too. */
function assertValid(operationId: string, body: object): void {
  const validate: Validator | undefined = routes.find((each) => each.operationId === operationId)?.body?.validate;
  if (validate === undefined) throw new Error(`${operationId} takes no body`);
  if (validate(body)) return;
  const violations = violationsOfFaults(validate, '');
  throw new SettingError(violations.map(({ path, message }) => `${path.slice(1)} ${message}`).join('; '));
}
