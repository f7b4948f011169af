import { unwrap } from '@plumbline/sdk';
import { verifySsoDomain, type Schemas } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { Failed } from '../ui/failed.js';
import { announce } from '../ui/toasts.js';

export interface SsoDomainsProps {
  readonly orgId: string;
  readonly domains: readonly Schemas['SsoDomain'][];
  readonly onVerified: () => Promise<void>;
}

/** The domains of the organization, with the TXT records of those that are not verified. */
export function SsoDomains({ orgId, domains, onVerified }: SsoDomainsProps): JSX.Element | null {
  const verify = useMutation({
    mutationFn: async (domain: string) =>
      unwrap(await verifySsoDomain(platform, { params: { org_id: orgId, domain } })),
    onSuccess: ({ domain }) => {
      announce(`${domain} is verified.`);
    },
    onSettled: onVerified,
  });
  if (domains.length === 0) return null;
  return (
    <>
      <h3>Domains</h3>
      <ul class="rows">
        {domains.map(({ domain, record_name, record_value, verified_at }) => (
          <li key={domain}>
            <div class="grow stack tight">
              <span class="break">
                {domain}{' '}
                <span class={verified_at === null ? 'tag warn' : 'tag good'}>
                  {verified_at === null ? 'not verified' : 'verified'}
                </span>
              </span>
              {verified_at === null && (
                <span class="small break">
                  Add a TXT record <code>{record_name}</code> with the value <code>{record_value}</code>, and verify.
                </span>
              )}
            </div>
            {verified_at === null && (
              <button
                type="button"
                aria-label={`Verify ${domain}`}
                aria-disabled={verify.isPending}
                onClick={() => {
                  if (!verify.isPending) verify.mutate(domain);
                }}
              >
                Verify
              </button>
            )}
          </li>
        ))}
      </ul>
      <Failed mutation={verify} />
    </>
  );
}
