import { unwrap } from '@plumbline/sdk';
import { listMyAuditLog, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { AuditRecords } from '../organization/audit-records.js';
import { useMe } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { usePaged } from '../ui/paged.js';

const pageSize = 50;

/** What was done with the account of the current user, and to it, in all organizations. */
export default function ActivityPage(): JSX.Element {
  const me = useMe().data;
  const records = usePaged({
    queryKey: ['account-activity'],
    pageSize,
    load: async (page, signal) => unwrap(await listMyAuditLog(platform, { signal, query: page })),
  });
  const whoOf = ({ user_id: id, action }: Schemas['AuditRecord']): string => {
    if (id === null || id !== me?.id) return 'somebody else';
    return action === 'LOGIN_FAILED' ? 'somebody' : 'your account';
  };
  return (
    <Page
      title="Activity of your account"
      intro="What was done with your account and to it, in all of your organizations. If something here was not you, change your password: that ends all sessions."
    >
      <AuditRecords query={records} what="the activity of your account" whoOf={whoOf} />
    </Page>
  );
}
