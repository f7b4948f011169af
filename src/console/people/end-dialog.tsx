import { paginate } from '@plumbline/sdk';
import { listServiceTokens, listWebhooks, type Schemas } from '@plumbline/sdk/platform';
import { useQuery, type UseQueryResult } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMay } from '../session/queries.js';
import { platform } from '../session/session.js';
import { CancelButton, Dialog } from '../ui/dialog.js';
import { View } from '../ui/view.js';
import type { Member } from './queries.js';

/** What remains of a member after the end of the membership. */
type Remains = Schemas['RemovedMember'];

export interface EndDialogProps {
  readonly orgId: string;
  readonly member: Member;
  readonly title: string;
  readonly text: string;
  /** What the button that ends the membership says. */
  readonly button: string;
  readonly onClose: () => void;
  readonly onConfirm: (revokesTokens: boolean) => void;
}

/** Asks before a membership ends. Names what the member has created that continues to work. */
export function EndDialog({ orgId, member, title, text, button, onClose, onConfirm }: EndDialogProps): JSX.Element {
  const [revokesTokens, setRevokesTokens] = useState(false);
  const mayRevoke = useMay('service_tokens:manage');
  const remains = useRemains(orgId, member.user_id, mayRevoke);
  return (
    <Dialog title={title} open onClose={onClose}>
      <p>{text}</p>
      {mayRevoke && (
        <View query={remains} what="what they created">
          {({ service_tokens: tokens, webhooks }) => (
            <>
              {tokens.length > 0 && (
                <>
                  <p>These service tokens continue to work, for everybody who knows them:</p>
                  <ul aria-label="Service tokens">
                    {tokens.map(({ id, name }) => (
                      <li key={id} class="break">
                        {name}
                      </li>
                    ))}
                  </ul>
                  <label class="choice">
                    <input
                      type="checkbox"
                      checked={revokesTokens}
                      onChange={({ currentTarget }) => {
                        setRevokesTokens(currentTarget.checked);
                      }}
                    />
                    Revoke these service tokens, too
                  </label>
                </>
              )}
              {webhooks.length > 0 && (
                <>
                  <p>These webhooks continue to receive events:</p>
                  <ul aria-label="Webhooks">
                    {webhooks.map(({ id, url }) => (
                      <li key={id} class="break">
                        {url}
                      </li>
                    ))}
                  </ul>
                </>
              )}
            </>
          )}
        </View>
      )}
      <div class="actions">
        <button
          type="button"
          class="danger"
          onClick={() => {
            onClose();
            onConfirm(revokesTokens);
          }}
        >
          {button}
        </button>
        <CancelButton onClick={onClose} />
      </div>
    </Dialog>
  );
}

function useRemains(orgId: string, userId: string, enabled: boolean): UseQueryResult<Remains> {
  return useQuery({
    queryKey: ['members', orgId, userId, 'remains'],
    enabled,
    queryFn: async ({ signal }) => {
      const request = { params: { org_id: orgId }, query: { limit: 200 }, signal };
      const remains: Remains = { service_tokens: [], webhooks: [] };
      for await (const token of paginate(listServiceTokens, platform, request)) {
        if (token.created_by === userId && token.status === 'active') remains.service_tokens.push(token);
      }
      for await (const webhook of paginate(listWebhooks, platform, request)) {
        if (webhook.created_by === userId) remains.webhooks.push(webhook);
      }
      return remains;
    },
  });
}
