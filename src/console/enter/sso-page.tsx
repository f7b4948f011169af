import { unwrap } from '@plumbline/sdk';
import { getSsoByDomain, startSsoLogin } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Entrance } from '../shell/entrance.js';
import { Field, Form } from '../ui/form.js';

/** Asks for an e-mail address, and leads to the identity provider of the organization with its domain. */
export default function SsoPage(): JSX.Element {
  const [unknown, setUnknown] = useState<string | null>(null);
  return (
    <Entrance title="Log in by SSO">
      {unknown !== null && (
        <div class="banner warn" role="status">
          <p>{unknown} has no SSO here. Log in in another way, or ask an owner of your organization to set SSO up.</p>
        </div>
      )}
      <Form
        button="Continue"
        send={async ({ email = '' }) => {
          const domain = email.slice(email.lastIndexOf('@') + 1);
          const found = await getSsoByDomain(platform, { query: { domain } });
          if (!found.ok) return found;
          setUnknown(found.data.org_id === null ? domain : null);
          if (found.data.org_id !== null) await leaveForProvider(found.data.org_id, { login_hint: email });
          return found;
        }}
        done={() => undefined}
        beside={<Link href="/login">Log in in another way</Link>}
      >
        <Field name="email" label="E-mail address" type="email" autocomplete="username" required autofocus />
      </Form>
    </Entrance>
  );
}

/** Sends the browser to the identity provider of an organization. @throws PlumblineError */
export async function leaveForProvider(
  orgId: string,
  body: NonNullable<Parameters<typeof startSsoLogin>[1]>['body'],
): Promise<void> {
  const { authorization_url: url } = unwrap(await startSsoLogin(platform, { params: { sso_org_id: orgId }, body }));
  location.assign(url);
}
