import type { JSX } from 'preact';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';

/** Where the work of the organization goes. */
export default function OverviewPage(): JSX.Element {
  return (
    <Page title="Overview">
      <View query={useMe()} what="your account">
        {(me) => (
          <section class="card">
            <h2>{me.org_name}</h2>
            <dl class="facts">
              <dt>Account</dt>
              <dd>{me.email}</dd>
              <dt>Role</dt>
              <dd>{me.role}</dd>
            </dl>
          </section>
        )}
      </View>
    </Page>
  );
}
