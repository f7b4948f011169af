import { paginate } from '@plumbline/sdk';
import { listIntegrations, listServiceTokens, listWebhooks, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useSso } from '../organization/queries.js';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { codeHosts } from '../sources/words.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { View } from '../ui/view.js';
import type { Member } from './queries.js';

/** What remains of a member after the end of the membership. */
type Remains = Schemas['RemovedMember'];

/** What ends with the membership. */
export interface Ends {
  readonly tokens: boolean;
  readonly webhooks: boolean;
}

export interface EndDialogProps {
  readonly orgId: string;
  readonly member: Member;
  /** Whether the logged-in user is an owner who removes somebody else: owners know the single sign-on. */
  readonly readsSso: boolean;
  readonly title: string;
  readonly text: string;
  /** What the button that ends the membership says. */
  readonly button: string;
  readonly onClose: () => void;
  readonly onConfirm: (ends: Ends) => void;
}

/**
 * Asks before a membership ends. Names what the member has created that continues to work. The answer waits for these
 * names, unless they cannot be loaded.
 */
export function EndDialog({
  orgId,
  member,
  readsSso,
  title,
  text,
  button,
  onClose,
  onConfirm,
}: EndDialogProps): JSX.Element {
  const [ends, setEnds] = useState<Ends>({ tokens: false, webhooks: false });
  const mayRevoke = useMay('service_tokens:manage');
  const remains = useRemains(orgId, member.user_id, mayRevoke);
  // Nobody confirms what is not shown yet. A list that cannot be loaded must not keep somebody in the organization.
  const isLoading = mayRevoke && !remains.isFetched;
  const hasFailed = mayRevoke && remains.isFetched && remains.data === undefined;
  return (
    <Dialog title={title} open onClose={onClose}>
      <p>{text}</p>
      {readsSso && <SsoRemarks orgId={orgId} member={member} />}
      {hasFailed && <p>It is unknown whether something that they created continues to work.</p>}
      {mayRevoke && (
        <View query={remains} what="what they created">
          {({ service_tokens: tokens, webhooks, integrations }) => (
            <>
              <Made
                label="Service tokens"
                text="These service tokens continue to work, for everybody who knows them:"
                items={tokens.map(({ id, name }) => ({ id, name }))}
              >
                <Choice
                  label="Revoke these service tokens, too"
                  checked={ends.tokens}
                  onChange={(chosen) => {
                    setEnds({ ...ends, tokens: chosen });
                  }}
                />
              </Made>
              <Made
                label="Webhooks"
                text="These webhooks continue to receive events:"
                items={webhooks.map(({ id, url }) => ({ id, name: url }))}
              >
                <Choice
                  label="Deactivate these webhooks, too"
                  checked={ends.webhooks}
                  onChange={(chosen) => {
                    setEnds({ ...ends, webhooks: chosen });
                  }}
                />
              </Made>
              <Made
                label="Code hosts"
                text="They connected these code hosts, perhaps with a personal token. Syncs continue to use it until you disconnect it under Sources:"
                items={integrations.map(({ id, name, provider }) => ({ id, name: `${name} (${codeHosts[provider]})` }))}
              />
            </>
          )}
        </View>
      )}
      <div class="actions">
        <button
          type="button"
          class="danger"
          aria-disabled={isLoading}
          onClick={() => {
            if (isLoading) return;
            onClose();
            onConfirm(ends);
          }}
        >
          {hasFailed ? `${button} anyway` : button}
        </button>
        <CancelButton onClick={onClose} />
      </div>
    </Dialog>
  );
}

interface MadeProps {
  readonly label: string;
  /** What the things do after the end of the membership. */
  readonly text: string;
  readonly items: readonly { readonly id: string; readonly name: string }[];
  /** Offers to end them. */
  readonly children?: ComponentChildren;
}

/** Things that the member has made; nothing without any. */
function Made({ label, text, items, children }: MadeProps): JSX.Element | null {
  if (items.length === 0) return null;
  return (
    <>
      <p>{text}</p>
      <ul aria-label={label}>
        {items.map(({ id, name }) => (
          <li key={id} class="break">
            {name}
          </li>
        ))}
      </ul>
      {children}
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (chosen: boolean) => void;
}

function Choice({ label, checked, onChange }: ChoiceProps): JSX.Element {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={checked}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.checked);
        }}
      />
      {label}
    </label>
  );
}

/** What the single sign-on means for the removal of a member. */
function SsoRemarks({ orgId, member }: Pick<EndDialogProps, 'orgId' | 'member'>): JSX.Element {
  return (
    <View query={useSso(orgId)} what="the single sign-on">
      {({ connection, domains }) => {
        const isOfDomain = domains.some(
          ({ domain, verified_at: verifiedAt }) => verifiedAt !== null && member.email.endsWith(`@${domain}`),
        );
        const isRecoveryOwner = connection?.is_required === true && connection.recovery_owner_id === member.user_id;
        return (
          <>
            {isRecoveryOwner && (
              <p>This is the recovery owner of single sign-on. Until another one is named, the removal is refused.</p>
            )}
            {connection?.auto_join === true && isOfDomain && (
              <p>
                Single sign-on lets everybody of this domain join, but no longer them. If the identity provider creates
                them again by SCIM, they come back.
              </p>
            )}
          </>
        );
      }}
    </View>
  );
}

function useRemains(orgId: string, userId: string, enabled: boolean): UseQueryResult<Remains> {
  return useQuery({
    queryKey: ['members', orgId, userId, 'remains'],
    enabled,
    queryFn: async ({ signal }) => {
      const request = { params: { org_id: orgId }, query: { limit: 200 }, signal };
      const remains: Remains = { service_tokens: [], webhooks: [], integrations: [] };
      for await (const token of paginate(listServiceTokens, platform, request)) {
        if (token.created_by === userId && token.status === 'active') remains.service_tokens.push(token);
      }
      for await (const webhook of paginate(listWebhooks, platform, request)) {
        if (webhook.created_by === userId && webhook.is_active) remains.webhooks.push(webhook);
      }
      for await (const integration of paginate(listIntegrations, platform, request)) {
        if (integration.created_by === userId && integration.is_active) remains.integrations.push(integration);
      }
      return remains;
    },
  });
}
