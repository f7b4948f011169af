import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Moment } from '../ui/moment.js';
import { More } from '../ui/more.js';
import type { usePaged } from '../ui/paged.js';
import { View, type EmptyState } from '../ui/view.js';

type Page = Schemas['AuditPage'];

export interface AuditRecordsProps {
  readonly query: ReturnType<typeof usePaged<Page>>;
  /** What is shown, as in "Loading the audit log". */
  readonly what: string;
  /** Who acted, in words. */
  readonly whoOf: WhoOf;
  /** What to show when there are no records; default: an empty table. */
  readonly none?: EmptyState;
}

type WhoOf = (record: Schemas['AuditRecord']) => string;

/** Records of the audit log, the newest first, page by page. */
export function AuditRecords({ query, what, whoOf, none }: AuditRecordsProps): JSX.Element {
  return (
    <View
      query={query}
      what={what}
      empty={({ pages }) => (pages.some(({ items }) => items.length > 0) ? null : (none ?? null))}
    >
      {({ pages }) => (
        <section class="card">
          <AuditTable items={pages.flatMap(({ items }) => items)} whoOf={whoOf} />
          <More query={query}>Show older records</More>
        </section>
      )}
    </View>
  );
}

function AuditTable({ items, whoOf }: { readonly items: Page['items']; readonly whoOf: WhoOf }): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Records">
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Who</th>
            <th scope="col">Action and resource</th>
            <th scope="col">Outcome</th>
            <th scope="col">Details</th>
          </tr>
        </thead>
        <tbody>
          {items.map((record) => (
            <tr key={record.id}>
              <td data-label="Time">
                <Moment at={record.at} />
              </td>
              <td data-label="Who">
                <span class="break who">{whoOf(record)}</span>
              </td>
              <td data-label="Action">
                <span class="stack tight">
                  <code>{record.action}</code>
                  <code class="muted">{record.resource_kind}</code>
                </span>
              </td>
              <td data-label="Outcome">
                <span class={record.status === 'success' ? 'tag good' : 'tag bad'}>
                  {record.status === 'success' ? '✓ success' : '✗ failure'}
                </span>
              </td>
              <td class="details" data-label="Details">
                {record.note !== null && <p>{record.note}</p>}
                <details class="small">
                  <summary>Ids and origin</summary>
                  <dl class="facts">
                    <dt>User</dt>
                    <dd>{record.user_id ?? '–'}</dd>
                    <dt>Resource</dt>
                    <dd>{record.resource_id ?? '–'}</dd>
                    <dt>Address</dt>
                    <dd>{record.ip ?? '–'}</dd>
                    <dt>Program</dt>
                    <dd>{record.user_agent ?? '–'}</dd>
                    <dt>Organization</dt>
                    <dd>{record.org_id ?? '–'}</dd>
                    <dt>Request id</dt>
                    <dd>{record.request_id ?? '–'}</dd>
                  </dl>
                </details>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
