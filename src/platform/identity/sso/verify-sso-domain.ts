import { Resolver } from 'node:dns/promises';
import type { VerifySsoDomainHandler, VerifySsoDomainReply } from '../../../../generated/platform/operations.js';
import { ssoDomainTaken, ssoDomainUnproven, ssoNotFound } from '../../../../generated/problems.js';
import type { PlatformDependencies } from '../../dependencies.js';
import { recordAudit } from '../../tenancy/audit/audit.store.js';
import { refusalOfOldSession } from '../mfa/fresh-proof.js';
import { domainOf, findDomain, findHolder, lockDomain, recordNameOf, setVerified } from './sso-domains.store.js';

/** A person waits. There are two tries for each server. */
const queryTimeoutMs = 3000;

/**
 * Verifies a domain by its TXT records. They also settle who holds a domain that is verified for another organization: as
 * long as the record of that one is there, it keeps the domain.
 */
export const verifySsoDomain: VerifySsoDomainHandler<PlatformDependencies> = async (
  { params, principal, context },
  { sql, clock, settings },
) => {
  const { org_id: orgId, user_id: userId } = principal;
  const stale = await refusalOfOldSession(sql, principal, clock.now(), 'organization');
  if (stale !== null) return stale;
  const missing = ssoNotFound({ message: 'The organization has not claimed this domain.' });
  const claimed = await findDomain(sql, orgId, params.domain);
  if (claimed === null) return missing;
  const texts = await readTexts(recordNameOf(claimed.domain), settings.dnsServers);
  if (!texts.includes(claimed.challenge)) {
    const message = `The TXT record ${recordNameOf(claimed.domain)} does not have the value ${claimed.challenge}, or is not visible yet.`;
    return ssoDomainUnproven({ message });
  }
  const now = clock.now();
  return sql.begin(async (transaction): Promise<VerifySsoDomainReply> => {
    await lockDomain(transaction, claimed.domain);
    const holder = await findHolder(transaction, claimed.domain);
    const record = { action: 'UPDATE', resourceKind: 'SSO', note: claimed.domain } as const;
    if (holder !== null && holder.org_id !== orgId) {
      if (texts.includes(holder.challenge)) {
        return ssoDomainTaken({
          message: 'The domain is verified for another organization, whose TXT record is there.',
        });
      }
      await setVerified(transaction, holder, null);
      const note = `${claimed.domain} lost: its TXT record is gone, and another organization has proved it`;
      await recordAudit(transaction, context, now, { ...record, orgId: holder.org_id, userId: null, note });
    }
    const verified = await setVerified(transaction, claimed, now);
    if (verified === null) return missing;
    await recordAudit(transaction, context, now, { ...record, orgId, userId, note: `${claimed.domain} verified` });
    return { status: 200, body: domainOf(verified) };
  });
};

/** The texts of TXT records. A name without records has none, and neither has one that cannot be looked up. */
async function readTexts(name: string, servers: readonly string[]): Promise<string[]> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  const records = await resolver.resolveTxt(name).catch(() => []);
  return records.map((parts) => parts.join(''));
}
