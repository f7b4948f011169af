import { unwrap } from '@plumbline/sdk';
import { revokeServiceToken } from '@plumbline/sdk/platform';
import type { ComponentChildren, JSX } from 'preact';
import { platform } from '../session/session.js';
import { Moment } from '../ui/moment.js';
import { PagedRows } from '../ui/paged-rows.js';
import { useRemoval } from '../ui/removal.js';
import { RowButton } from '../ui/row-button.js';
import { refreshServiceTokens, useServiceTokens, type ServiceToken } from './queries.js';

const statuses: Readonly<Record<ServiceToken['status'], { readonly text: string; readonly mark: string }>> = {
  active: { text: '✓ active', mark: 'good' },
  expired: { text: '! expired', mark: 'warn' },
  revoked: { text: '– revoked', mark: '' },
};

export interface TokenListProps {
  readonly orgId: string;
  readonly onRotate: (token: ServiceToken) => void;
}

/** The service tokens with their scopes and last use. Those that are not revoked can be revoked. */
export function TokenList({ orgId, onRotate }: TokenListProps): JSX.Element {
  const revocation = useRemoval<ServiceToken>({
    nameOf: ({ name }) => name,
    button: 'Revoke',
    text: 'Programs that use it are refused from now on. This cannot be undone.',
    done: 'is revoked',
    remove: async ({ id }) => {
      unwrap(await revokeServiceToken(platform, { params: { org_id: orgId, service_token_id: id } }));
    },
    refresh: refreshServiceTokens,
  });
  return (
    <section class="card">
      <h2>Tokens</h2>
      {revocation.parts}
      <PagedRows
        query={useServiceTokens(orgId)}
        what="the service tokens"
        label="Service tokens"
        empty={{
          title: 'There are no service tokens yet',
          text: 'With one, a program needs no password of a person.',
        }}
        more="Show older tokens"
      >
        {(token) => (
          <TokenRow key={token.id} token={token}>
            {token.status === 'active' && (
              <RowButton
                label="Rotate"
                of={token.name}
                onClick={() => {
                  onRotate(token);
                }}
              />
            )}
            {token.status !== 'revoked' && (
              <RowButton
                label="Revoke"
                of={token.name}
                isDanger
                onClick={() => {
                  revocation.ask(token);
                }}
              />
            )}
          </TokenRow>
        )}
      </PagedRows>
    </section>
  );
}

/** A token with its buttons. */
function TokenRow({
  token,
  children,
}: {
  readonly token: ServiceToken;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { name, scopes, status, last_used_at: lastUsed, overlap_ends_at: overlapEnds } = token;
  const { text, mark } = statuses[status];
  return (
    <li>
      <div class="stack tight grow">
        <span class="break">
          <strong>{name}</strong> <span class={`tag ${mark}`}>{text}</span>
        </span>
        <span class="small break">
          <code>{scopes.join(' ')}</code>
        </span>
        <span class="small muted break">
          {lastUsed === null ? (
            'never used'
          ) : (
            <>
              last used <Moment at={lastUsed} />
            </>
          )}
          {' · '}
          <End token={token} />
        </span>
        <span class="small muted break">
          <Origin token={token} />
        </span>
        {overlapEnds !== null && status === 'active' && (
          <span class="small break">
            Earlier secrets are accepted until <Moment at={overlapEnds} />.
          </span>
        )}
      </div>
      <div class="actions">{children}</div>
    </li>
  );
}

/** When a token ends or has ended. */
function End({ token: { status, expires_at, revoked_at } }: { readonly token: ServiceToken }): JSX.Element {
  const words = { active: 'expires', expired: 'expired', revoked: 'revoked' } as const;
  return (
    <>
      {words[status]} <Moment at={revoked_at ?? expires_at} />
    </>
  );
}

/** Who created a token, and whether that person may still do so. The creator may have kept a copy of the secret. */
function Origin({ token }: { readonly token: ServiceToken }): JSX.Element {
  const { status, created_at, created_by, created_by_name, creator_is_admin } = token;
  const hasLeft = created_by !== null && !creator_is_admin && status === 'active';
  return (
    <>
      created <Moment at={created_at} /> {created_by === null ? '' : `by ${created_by_name ?? created_by}`}{' '}
      {hasLeft && <span class="tag warn">! no longer an admin: rotate the token</span>}
    </>
  );
}
