import type { DatabaseSql, Sql } from '../../../database/connection.js';
import { mailLink } from '../../messages/mail/links.js';
import { sealMail } from '../../messages/mail/outbox.store.js';
import type { SecretBox } from '../../server/secrets/secret-box.js';
import type { Random } from '../../random.js';
import { newOneTimeToken } from '../tokens/token-hash.js';
import { findRegistration, offerOneTimeToken } from './one-time-tokens.store.js';
import { areTokensRequested, takeTokenRequests, type TokenRequest } from './token-requests.store.js';
import { verificationMail } from './verification-mail.js';

const batchSize = 10;

export interface TokenRequestParts {
  readonly sql: DatabaseSql;
  readonly random: Random;
  readonly secrets: SecretBox;
  readonly appBaseUrl: () => string;
}

/**
 * Processes a batch of requests for tokens by mail: creates a token and a mail for each address with a suitable
 * account. A request and its results are one transaction, so that no mail is lost or sent twice.
 *
 * @returns whether more requests may be waiting
 */
export async function serveTokenRequests(parts: TokenRequestParts): Promise<boolean> {
  if (!(await areTokensRequested(parts.sql))) return false;
  return parts.sql.begin(async (transaction) => {
    const requests = await takeTokenRequests(transaction, batchSize);
    for (const request of requests) await serve(transaction, request, parts);
    return requests.length === batchSize;
  });
}

async function serve(
  sql: Sql,
  request: TokenRequest,
  { random, secrets, appBaseUrl }: TokenRequestParts,
): Promise<void> {
  const { token, hash } = newOneTimeToken(random);
  if (request.kind === 'reset') {
    const mail = sealMail({ kind: 'reset', link: mailLink(appBaseUrl(), 'reset-password', token) }, secrets, random);
    await offerOneTimeToken(sql, request, { hash, disownHash: null, mail, audit: 'PASSWORD_RESET_REQUESTED' });
    return;
  }
  const registration = await findRegistration(sql, request.email);
  if (registration === null) return;
  const disown = newOneTimeToken(random);
  const mail = sealMail(
    verificationMail(appBaseUrl(), { verification: token, disown: disown.token }, registration),
    secrets,
    random,
  );
  await offerOneTimeToken(sql, request, { hash, disownHash: disown.hash, mail, audit: 'VERIFICATION_REQUESTED' });
}
