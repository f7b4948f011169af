import { unwrap } from '@plumbline/sdk';
import { listOrganizations } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { platform } from '../session/session.js';
import { Page } from '../shell/page.js';
import { valuesOf } from '../ui/form.js';
import { More } from '../ui/more.js';
import { usePaged } from '../ui/paged.js';
import { View } from '../ui/view.js';
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
      <Filter
        search={search}
        isMarked={isMarked}
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

interface FilterProps {
  /** Empty: all organizations. */
  readonly search: string;
  readonly isMarked: boolean;
  /** Called with the query parameters of the page: `search` and `state`. */
  readonly onChange: (filters: Readonly<Record<string, string>>) => void;
}

function Filter({ search, isMarked, onChange }: FilterProps): JSX.Element {
  const id = useId();
  return (
    <form
      class="filter"
      aria-label="Filter"
      key={JSON.stringify([search, isMarked])}
      onSubmit={(event) => {
        event.preventDefault();
        onChange(valuesOf(event.currentTarget));
      }}
    >
      <div class="field">
        <label for={`${id}-search`}>Name or id</label>
        {/* Not `value`: what is being typed stays when the field is rendered again. */}
        <input id={`${id}-search`} name="search" type="search" maxLength={254} defaultValue={search} />
      </div>
      <div class="field">
        <label for={`${id}-state`}>State</label>
        <select id={`${id}-state`} name="state">
          <option value="">All</option>
          <option value="marked" selected={isMarked}>
            Marked for deletion
          </option>
        </select>
      </div>
      <button type="submit">Apply</button>
    </form>
  );
}
