import type { Schemas } from '../../../../generated/platform/operations.js';
import type { Sql } from '../../../database/connection.js';

/** A domain that an organization claims. */
export interface SsoDomain {
  readonly org_id: string;
  readonly domain: string;
  /** What a TXT record must say. */
  readonly challenge: string;
  readonly verified_at: Date | null;
}

export async function selectDomains(sql: Sql, orgId: string): Promise<SsoDomain[]> {
  return sql<SsoDomain[]>`
    select org_id, domain, challenge, verified_at from sso_domains where org_id = ${orgId} order by domain limit 20`;
}

export async function findDomain(sql: Sql, orgId: string, domain: string): Promise<SsoDomain | null> {
  const [row] = await sql<SsoDomain[]>`
    select org_id, domain, challenge, verified_at from sso_domains where org_id = ${orgId} and domain = ${domain}`;
  return row ?? null;
}

/** The organization for which a domain is verified; null: none. */
export async function findHolder(sql: Sql, domain: string): Promise<SsoDomain | null> {
  const [row] = await sql<SsoDomain[]>`
    select org_id, domain, challenge, verified_at from sso_domains
    where domain = ${domain} and verified_at is not null`;
  return row ?? null;
}

/** Gives up the domains that are not in the list, and claims the new ones. @param challenge makes the one of a domain */
export async function replaceDomains(
  sql: Sql,
  orgId: string,
  domains: readonly string[],
  challenge: () => string,
  now: Date,
): Promise<void> {
  await sql`
    delete from sso_domains where org_id = ${orgId} and not domain = any (${sql.typed.texts([...domains])}::text[])`;
  for (const domain of domains) {
    await sql`
      insert into sso_domains (org_id, domain, challenge, created_at)
      values (${orgId}, ${domain}, ${challenge()}, ${now}) on conflict do nothing`;
  }
}

/** Serializes decisions about who holds a domain until the transaction ends. */
export async function lockDomain(sql: Sql, domain: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sso domain ${domain}`}, 0))`;
}

/** Marks a domain as verified, or not. Call it under the lock of the domain. @returns null: it is not claimed any more */
export async function setVerified(
  sql: Sql,
  { org_id: orgId, domain }: SsoDomain,
  verifiedAt: Date | null,
): Promise<SsoDomain | null> {
  const [row] = await sql<SsoDomain[]>`
    update sso_domains set verified_at = ${verifiedAt} where org_id = ${orgId} and domain = ${domain}
    returning org_id, domain, challenge, verified_at`;
  return row ?? null;
}

/** The name of the TXT record that verifies a domain. */
export function recordNameOf(domain: string): string {
  return `_plumbline-challenge.${domain}`;
}

/** The contract's `SsoDomain`. */
export function domainOf({ domain, challenge, verified_at: verifiedAt }: SsoDomain): Schemas['SsoDomain'] {
  return {
    domain,
    record_name: recordNameOf(domain),
    record_value: challenge,
    verified_at: verifiedAt?.toISOString() ?? null,
  };
}
