import { unwrap } from '@plumbline/sdk';
import { listInstallationAuditLog, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { auditQuery, AuditFilter, type AuditFilters } from '../organization/audit-filter.js';
import { AuditRecords } from '../organization/audit-records.js';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { usePaged } from '../ui/paged.js';

const pageSize = 50;

/** The audit log of the installation, for superusers. The filter is in the address, so that a link shows the same. */
export default function InstallationAuditLogPage(): JSX.Element {
  const [search, setSearch] = useSearchParams();
  const filters: AuditFilters = Object.fromEntries(search);
  const records = usePaged({
    queryKey: ['installation-audit-log', filters],
    pageSize,
    load: async (page, signal) =>
      unwrap(await listInstallationAuditLog(platform, { signal, query: { ...auditQuery(filters), ...page } })),
  });
  return (
    <Page title="Server audit log" intro="What happened in all organizations of this server, and outside of them.">
      <AuditFilter
        filters={filters}
        onChange={(next) => {
          setSearch({ ...next });
        }}
      />
      <AuditRecords
        query={records}
        what="the audit log of the server"
        whoOf={whoOf}
        none={{ title: 'No record matches', text: 'Choose a longer time, or leave a field empty.' }}
      />
    </Page>
  );
}

/** Accounts can be looked up by their ids on the page of accounts only, so the beginning of the id has to do. */
function whoOf({ user_id: user, service_token_id: token }: Schemas['AuditRecord']): string {
  if (user !== null) return `user ${user.slice(0, 8)}`;
  return token === null ? '–' : `service token ${token.slice(0, 8)}`;
}
