import { unwrap } from '@plumbline/sdk';
import { listOrganizations } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { Link, useSearchParams } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { More } from '../ui/more.js';
import { usePaged } from '../ui/paged.js';
import { View } from '../ui/view.js';
import { ListFilter } from './list-filter.js';
import { OrganizationRow } from './organization-row.js';

const pageSize = 50;

/** The organizations of the installation, for superusers. The filter is in the address, so that a link shows the same. */
export default function OrganizationsPage(): JSX.Element {
  const [parameters, setParameters] = useSearchParams();
  const search = parameters.get('search') ?? '';
  const isMarked = parameters.get('state') === 'marked';
  const filters = {
    search: search === '' ? undefined : search,
    state: isMarked ? ('marked' as const) : undefined,
  };
  const organizations = usePaged({
    queryKey: ['installed-organizations', filters],
    pageSize,
    load: async (page, signal) => unwrap(await listOrganizations(platform, { signal, query: { ...filters, ...page } })),
  });
  return (
    <Page
      title="Organizations"
      intro="All organizations of this server."
      actions={
        <Link href="/accounts" class="button">
          Accounts
        </Link>
      }
    >
      <ListFilter
        label="Name or id"
        search={search}
        state={{ value: 'marked', label: 'Marked for deletion', isChosen: isMarked }}
        onChange={(next) => {
          setParameters({ ...next });
        }}
      />
      <View
        query={organizations}
        what="the organizations"
        empty={({ pages }) =>
          pages.some(({ items }) => items.length > 0)
            ? null
            : {
                title: 'No organization matches',
                text: 'Search for a part of a name, or for an id.',
                action: (
                  <button
                    type="button"
                    onClick={() => {
                      setParameters({});
                    }}
                  >
                    Show all organizations
                  </button>
                ),
              }
        }
      >
        {({ pages }) => (
          <section class="card">
            <ul class="rows" aria-label="Organizations">
              {pages
                .flatMap(({ items }) => items)
                .map((organization) => (
                  <OrganizationRow key={organization.id} organization={organization} />
                ))}
            </ul>
            <More query={organizations}>Show older organizations</More>
          </section>
        )}
      </View>
    </Page>
  );
}
