import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Moment } from '../ui/moment.js';
import { useOrganization } from './queries.js';

/** Says on every page that the organization will be deleted. Nothing, where it will not. */
export function DeletionBanner({ orgId }: { orgId: string }): JSX.Element | null {
  const organization = useOrganization(orgId).data;
  if (organization === undefined || organization.deletion === null) return null;
  return (
    <div class="notice">
      <div class="banner warn" role="status">
        <div class="stack tight">
          <p>
            <strong class="break">{organization.name} will be deleted</strong> on{' '}
            <Moment at={organization.deletion.due_at} />. Until then no sync runs, nobody can join, and service tokens
            are refused.
          </p>
          <p>
            <Link href="/organization">About the organization</Link>
          </p>
        </div>
      </div>
    </div>
  );
}
