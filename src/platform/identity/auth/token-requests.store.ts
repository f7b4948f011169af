import type { RequestContext } from '@plumbline/contract/contract-types';
import type { Sql } from '../../../database/connection.js';
import { addressOf } from '../../tenancy/audit/audit.store.js';
import type { RequestedTokenKind } from './one-time-token-kind.js';

/** A request for a token by mail. Whether an account has the address is not yet known. */
export interface TokenRequest {
  readonly kind: RequestedTokenKind;
  /** Normalized. */
  readonly email: string;
  readonly requested_at: Date;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
}

/** Stores a request with a single insert, the same for every address. */
export async function storeTokenRequest(
  sql: Sql,
  { kind, email }: Pick<TokenRequest, 'kind' | 'email'>,
  context: RequestContext,
  now: Date,
): Promise<void> {
  await sql`
    insert into token_requests (kind, email, requested_at, ip, user_agent, request_id)
    values (${kind}, ${email}, ${now}, ${addressOf(context)}, ${context.userAgent}, ${context.requestId})`;
}

/** Whether there is a request that no other server is processing. */
export async function areTokensRequested(sql: Sql): Promise<boolean> {
  return (await sql`select 1 from token_requests limit 1 for update skip locked`).length > 0;
}

/**
 * Takes the oldest requests in the caller's transaction; they are deleted if it commits. No two servers take the same
 * request.
 */
export async function takeTokenRequests(sql: Sql, limit: number): Promise<TokenRequest[]> {
  return sql<TokenRequest[]>`
    delete from token_requests where id in (
      select id from token_requests order by requested_at, id limit ${limit} for update skip locked
    )
    returning kind, email, requested_at, host(ip) as ip, user_agent, request_id`;
}

/**
 * Deletes the requests for the address of a user. One that a server is processing stays: waiting for it could end in a
 * deadlock, because that server waits for the user.
 */
export async function endTokenRequests(sql: Sql, userId: string): Promise<void> {
  await sql`
    delete from token_requests where id in (
      select id from token_requests where email = (select email from users where id = ${userId}) for update skip locked
    )`;
}
