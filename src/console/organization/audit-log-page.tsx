import { unwrap } from '@plumbline/sdk';
import { listAuditLog, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { useMembers } from '../people/queries.js';
import { useMay, useMe } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { usePaged } from '../ui/paged.js';
import { auditQuery, AuditFilter, type AuditFilters } from './audit-filter.js';
import { AuditExport } from './audit-export.js';
import { AuditRecords } from './audit-records.js';

const pageSize = 50;

/** What happened in the organization. The filter is in the address, so that a link shows the same. */
export default function AuditLogPage(): JSX.Element {
  const [search, setSearch] = useSearchParams();
  const filters: AuditFilters = Object.fromEntries(search);
  const records = usePaged({
    queryKey: ['audit-log', filters],
    pageSize,
    load: async (page, signal) =>
      unwrap(await listAuditLog(platform, { signal, query: { ...auditQuery(filters), ...page } })),
  });
  const members = useMembers(useMe().data?.org_id ?? '', useMay('members:read'));
  const addresses = members.data ? new Map(members.data.map(({ user_id, email }) => [user_id, email])) : null;
  const clear = (): void => {
    setSearch({});
  };
  return (
    <Page
      title="Audit log"
      intro="What happened in the organization, and who did it. Records are only ever added."
      actions={<AuditExport filters={filters} />}
    >
      <AuditFilter
        filters={filters}
        onChange={(next) => {
          setSearch({ ...next });
        }}
      />
      <AuditRecords
        query={records}
        what="the audit log"
        whoOf={(record) => whoOf(record, addresses)}
        none={{
          title: 'No record matches',
          text: 'Choose a longer time, or leave a field empty.',
          action: (
            <button type="button" onClick={clear}>
              Clear the filter
            </button>
          ),
        }}
      />
    </Page>
  );
}

/** The server, or somebody who was not logged in, has no id. A person who has left is not a member any more. */
function whoOf({ user_id: id }: Schemas['AuditRecord'], addresses: ReadonlyMap<string, string> | null): string {
  if (id === null || addresses === null) return '–';
  return addresses.get(id) ?? 'not a member';
}
