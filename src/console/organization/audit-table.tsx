import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Moment } from '../ui/moment.js';

export interface AuditTableProps {
  readonly items: readonly Schemas['AuditRecord'][];
  /** The e-mail addresses of the members, by their ids; null: they are not known yet. */
  readonly addresses: ReadonlyMap<string, string> | null;
}

/** Records of the audit log, the newest first. */
export function AuditTable({ items, addresses }: AuditTableProps): JSX.Element {
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
                <span class="break who">{whoOf(record, addresses)}</span>
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

/** The server, or somebody who was not logged in, has no id. A person who has left is not a member any more. */
function whoOf({ user_id: id }: Schemas['AuditRecord'], addresses: AuditTableProps['addresses']): string {
  if (id === null || addresses === null) return '–';
  return addresses.get(id) ?? 'not a member';
}
