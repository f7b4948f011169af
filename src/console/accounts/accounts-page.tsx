import { unwrap } from '@plumbline/sdk';
import { deleteUser, listUsers, updateUser, type Schemas } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { queries, useMe } from '../session/queries.js';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { Confirm } from '../ui/dialog.js';
import { Failed } from '../ui/failed.js';
import { More } from '../ui/more.js';
import { usePaged } from '../ui/paged.js';
import { useRemoval } from '../ui/removal.js';
import { announce } from '../ui/toasts.js';
import { View } from '../ui/view.js';
import { AccountRow } from './account-row.js';
import { ListFilter } from './list-filter.js';

type Account = Schemas['Account'];

const pageSize = 50;

const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ['accounts'] });

/** The accounts of the installation, for superusers. The filter is in the address, so that a link shows the same. */
export default function AccountsPage(): JSX.Element {
  const [parameters, setParameters] = useSearchParams();
  const [disabling, setDisabling] = useState<Account | null>(null);
  const me = useMe().data;
  const search = parameters.get('search') ?? '';
  const isDisabled = parameters.get('state') === 'disabled';
  const filters = {
    search: search === '' ? undefined : search,
    state: isDisabled ? ('disabled' as const) : undefined,
  };
  const accounts = usePaged({
    queryKey: ['accounts', filters],
    pageSize,
    load: async (page, signal) => unwrap(await listUsers(platform, { signal, query: { ...filters, ...page } })),
  });
  const change = useMutation({
    mutationFn: async ({ account, isActive }: { account: Account; isActive: boolean }) =>
      unwrap(await updateUser(platform, { params: { user_id: account.id }, body: { is_active: isActive } })),
    onSuccess: ({ email, is_active: isActive }) => {
      announce(`${email} is ${isActive ? 'enabled' : 'disabled'}.`);
    },
    onSettled: refresh,
  });
  const removal = useRemoval<Account>({
    nameOf: ({ email }) => email,
    button: 'Delete',
    text: 'The account and its personal data are deleted for good. Its sessions, the links of its mails and the invitations that it sent end at once. An organization without other members is deleted too if nothing was connected in it. Service tokens, webhooks and whatever else it made belong to organizations and stay.',
    done: 'is deleted',
    remove: async ({ id }) => {
      const reply = await deleteUser(platform, { params: { user_id: id } });
      if (reply.status !== 404) unwrap(reply); // deleted meanwhile
    },
    refresh,
  });
  return (
    <Page
      title="Accounts"
      intro="Everybody who has an account on this server, in any organization or none."
      actions={
        <Link href="/accounts/organizations" class="button">
          Organizations
        </Link>
      }
    >
      <ListFilter
        label="Address or name"
        search={search}
        state={{ value: 'disabled', label: 'Disabled', isChosen: isDisabled }}
        onChange={(next) => {
          setParameters({ ...next });
        }}
      />
      <Failed mutation={change} />
      <View
        query={accounts}
        what="the accounts"
        empty={({ pages }) =>
          pages.some(({ items }) => items.length > 0)
            ? null
            : {
                title: 'No account matches',
                text: 'Search for a part of an address or of a name.',
                action: (
                  <button
                    type="button"
                    onClick={() => {
                      setParameters({});
                    }}
                  >
                    Show all accounts
                  </button>
                ),
              }
        }
      >
        {({ pages }) => (
          <section class="card">
            <ul class="rows" aria-label="Accounts">
              {pages
                .flatMap(({ items }) => items)
                .map((account) => (
                  <AccountRow
                    key={account.id}
                    account={account}
                    isMe={account.id === me?.id}
                    isBusy={change.isPending}
                    onChange={() => {
                      if (account.is_active) setDisabling(account);
                      else change.mutate({ account, isActive: true });
                    }}
                    onDelete={() => {
                      removal.ask(account);
                    }}
                  />
                ))}
            </ul>
            <More query={accounts}>Show older accounts</More>
          </section>
        )}
      </View>
      {removal.parts}
      <Confirm
        title={`Disable ${disabling?.email ?? ''}?`}
        text="The account cannot log in until it is enabled again. Its sessions, the links of its mails and the invitations that it sent end at once. Service tokens and webhooks that it created stay: they belong to the organizations."
        button="Disable"
        open={disabling !== null}
        onClose={() => {
          setDisabling(null);
        }}
        onConfirm={() => {
          if (disabling !== null) change.mutate({ account: disabling, isActive: false });
        }}
      />
    </Page>
  );
}
