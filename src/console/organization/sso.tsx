import { unwrap } from '@plumbline/sdk';
import { deleteSso, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CopyButton } from '../ui/copy-button.js';
import { useRemoval } from '../ui/removal.js';
import { View } from '../ui/view.js';
import { useSso } from './queries.js';
import { SsoDomains } from './sso-domains.js';
import { SsoForm } from './sso-form.js';

/** The log-in by the identity provider of the organization. Owners set it up. */
export function Sso({ orgId }: { orgId: string }): JSX.Element {
  const sso = useSso(orgId);
  const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['sso', orgId] });
  const removal = useRemoval<string>({
    nameOf: (name) => name,
    button: 'Remove',
    text: 'The sessions of people who have logged in by SSO end at once. Their memberships stay.',
    done: 'is removed',
    remove: async () => {
      const reply = await deleteSso(platform, { params: { org_id: orgId } });
      if (reply.status !== 404) unwrap(reply); // another owner has removed it
    },
    refresh,
  });
  return (
    <section class="card">
      <h2>Single sign-on</h2>
      <View query={sso} what="the single sign-on">
        {(data) => (
          <>
            <State sso={data} />
            <SsoDomains
              key={data.connection?.updated_at} // a refusal is about the domains of that time
              orgId={orgId}
              domains={data.domains}
              onVerified={refresh}
            />
            <SsoSettings orgId={orgId} sso={data} onSaved={refresh} />
            {data.connection !== null && (
              <div class="actions">
                <button
                  type="button"
                  class="danger"
                  onClick={() => {
                    removal.ask('SSO');
                  }}
                >
                  Remove single sign-on
                </button>
              </div>
            )}
          </>
        )}
      </View>
      {removal.parts}
    </section>
  );
}

function State({
  sso: { connection, redirect_uri, initiate_login_uri, backchannel_logout_uri },
}: {
  sso: Schemas['Sso'];
}): JSX.Element {
  return (
    <>
      {connection === null && (
        <p>
          Let people log in with the OpenID Connect provider of your organization. Register Plumbline there as a client
          with the redirect address below.
        </p>
      )}
      <dl class="facts">
        {connection !== null && (
          <>
            <dt>Provider</dt>
            <dd>{connection.issuer}</dd>
            <dt>Members</dt>
            <dd>{connection.is_required ? 'must log in by SSO' : 'can log in by SSO'}</dd>
          </>
        )}
        <dt>Redirect address</dt>
        <dd>
          <code>{redirect_uri}</code>
        </dd>
        <dt>Log-in link</dt>
        <dd>
          <code>{initiate_login_uri}</code>
        </dd>
        <dt>Back-channel logout</dt>
        <dd>
          <code>{backchannel_logout_uri}</code>
        </dd>
      </dl>
      <div class="actions">
        <CopyButton text={() => redirect_uri} done="The redirect address is copied.">
          Copy the redirect address
        </CopyButton>
        <CopyButton text={() => initiate_login_uri} done="The log-in link is copied.">
          Copy the log-in link
        </CopyButton>
      </div>
    </>
  );
}

function SsoSettings({
  orgId,
  sso,
  onSaved,
}: {
  orgId: string;
  sso: Schemas['Sso'];
  onSaved: () => Promise<void>;
}): JSX.Element {
  const [open, setOpen] = useState(false);
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>{sso.connection === null ? 'Set up' : 'Change'}</summary>
      {open && <SsoForm key={sso.connection?.updated_at} orgId={orgId} sso={sso} onSaved={onSaved} />}
    </details>
  );
}
