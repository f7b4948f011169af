import { paginate } from '@plumbline/sdk';
import { listAuditLog } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { platform } from '../session/session.js';
import { csvOf } from '../ui/csv.js';
import { download } from '../ui/download.js';
import { Failed } from '../ui/failed.js';
import { auditQuery, type AuditFilters } from './audit-filter.js';

const columns = [
  'at',
  'action',
  'resource_kind',
  'resource_id',
  'status',
  'user_id',
  'ip',
  'user_agent',
  'request_id',
  'note',
  'id',
] as const;

/** Downloads every record that matches the filter as CSV. */
export function AuditExport({ filters }: { filters: AuditFilters }): JSX.Element {
  const collect = useMutation({
    mutationFn: async () => {
      const rows: (string | null)[][] = [];
      for await (const record of paginate(listAuditLog, platform, { query: { ...auditQuery(filters), limit: 200 } })) {
        rows.push(columns.map((column) => record[column]));
      }
      return rows;
    },
    onSuccess: (rows) => {
      download('audit-log.csv', 'text/csv', csvOf(columns, rows));
    },
  });
  return (
    <>
      <button
        type="button"
        aria-disabled={collect.isPending}
        onClick={() => {
          if (!collect.isPending) collect.mutate();
        }}
      >
        {collect.isPending ? 'Collecting …' : 'Download as CSV'}
      </button>
      <Failed mutation={collect} />
    </>
  );
}
