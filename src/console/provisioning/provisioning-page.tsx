import type { JSX } from 'preact';
import { Link } from 'wouter-preact';
import { useMe } from '../session/queries.js';
import { Page } from '../shell/page.js';
import { View } from '../ui/view.js';
import { GroupList } from './group-list.js';

/** What the groups of the identity provider give, and how to connect one. */
export default function ProvisioningPage(): JSX.Element {
  return (
    <Page title="Provisioning" intro="An identity provider, such as Okta or Entra ID, manages the members by SCIM 2.0.">
      <section class="card stack">
        <h2>Connect an identity provider</h2>
        <p>
          Enter <code class="break">{`${location.origin}/scim/v2`}</code> as its base URL, and a{' '}
          <Link href="/service-tokens">service token</Link> with the scope <code>scim:write</code>, which an owner
          creates, as its bearer token.
        </p>
        <p class="small muted">
          New people are invited: they join when they accept, after a log-in. People whom the provider disables or
          deletes lose access at once.
        </p>
      </section>
      <View query={useMe()} what="your account">
        {({ org_id }) => org_id !== null && <GroupList orgId={org_id} />}
      </View>
    </Page>
  );
}
