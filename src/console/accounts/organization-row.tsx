import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Moment } from '../ui/moment.js';

/** An organization as superusers see it. */
export function OrganizationRow({ organization }: { organization: Schemas['InstalledOrganization'] }): JSX.Element {
  const { id, name, created_at: createdAt, members, owners, deletion } = organization;
  const ownerNames = owners.map(({ full_name, email }) => (full_name === null ? email : `${full_name} (${email})`));
  return (
    <li>
      <div class="stack tight grow">
        <span class="break">
          <strong>{name}</strong>{' '}
          {deletion !== null && (
            <span class="tag bad">
              ✕ will be deleted <Moment at={deletion.due_at} />
            </span>
          )}
        </span>
        <span class="small muted break">
          {members === 1 ? '1 member' : `${members} members`} ·{' '}
          {ownerNames.length === 0 ? 'no owner' : `owned by ${ownerNames.join(', ')}`} · created{' '}
          <Moment at={createdAt} />
        </span>
        <code class="small break">{id}</code>
      </div>
    </li>
  );
}
