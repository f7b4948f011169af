import type { Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Moment } from '../ui/moment.js';

export interface AccountRowProps {
  readonly account: Schemas['Account'];
  /** Whether it is the account of the logged-in user, who can neither disable nor delete it here. */
  readonly isMe: boolean;
  readonly isBusy: boolean;
  /** Disables the account, or enables a disabled one. */
  readonly onChange: () => void;
  readonly onDelete: () => void;
}

/** An account, with what a superuser can do with it. */
export function AccountRow({ account, isMe, isBusy, onChange, onDelete }: AccountRowProps): JSX.Element {
  const { email, full_name: name, organizations, last_login_at: lastLogin } = account;
  const memberships = organizations.map((each) => `${each.role} of ${each.name}`).join(', ');
  const action = account.is_active ? 'Disable' : 'Enable';
  return (
    <li>
      <div class="stack tight grow">
        <span class="break">
          <strong>{name ?? email}</strong> {isMe && <span class="tag good">✓ you</span>}{' '}
          {account.is_superuser && <span class="tag">superuser</span>}{' '}
          {!account.is_active && <span class="tag bad">✕ disabled</span>}{' '}
          {!account.is_verified && <span class="tag">address not verified</span>}
        </span>
        <span class="small muted break">
          {name !== null && <>{email} · </>}
          {memberships === '' ? 'no organization' : memberships} · registered <Moment at={account.created_at} /> ·{' '}
          {lastLogin === null ? (
            'never logged in'
          ) : (
            <>
              last login <Moment at={lastLogin} />
            </>
          )}
        </span>
      </div>
      {!isMe && (
        <div class="actions">
          <button
            type="button"
            class={account.is_active ? 'danger' : undefined}
            aria-disabled={isBusy}
            aria-label={`${action} ${email}`}
            onClick={() => {
              if (!isBusy) onChange();
            }}
          >
            {action}
          </button>
          <button type="button" class="danger" aria-label={`Delete ${email}`} onClick={onDelete}>
            Delete
          </button>
        </div>
      )}
    </li>
  );
}
