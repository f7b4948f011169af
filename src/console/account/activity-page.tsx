import { unwrap } from '@plumbline/sdk';
import { listMyAuditLog, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { AuditTable } from '../organization/audit-table.js';
import { useMe } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { More } from '../ui/more.js';
import { usePaged } from '../ui/paged.js';
import { View } from '../ui/view.js';

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
      <View query={records} what="the activity of your account">
        {({ pages }) => (
          <section class="card">
            <AuditTable items={pages.flatMap(({ items }) => items)} whoOf={whoOf} />
            <More query={records}>Show older records</More>
          </section>
        )}
      </View>
    </Page>
  );
}
