import { unwrap } from '@plumbline/sdk';
import { updateProvisionedGroup } from '@plumbline/sdk/platform';
import { useMutation } from '@tanstack/preact-query';
import type { JSX } from 'preact';
import { queries } from '../session/queries.js';
import { platform } from '../session/session.js';
import { useTeams } from '../teams/queries.js';
import { Failed } from '../ui/failed.js';
import { PagedRows } from '../ui/paged-rows.js';
import { announce } from '../ui/toasts.js';
import { useProvisionedGroups, type ProvisionedGroup } from './queries.js';

/** The groups of the identity provider, each with the role and the team that it gives. */
export function GroupList({ orgId }: { readonly orgId: string }): JSX.Element {
  const teams = useTeams(orgId).data ?? [];
  const mapping = useMutation({
    mutationFn: async ({ id, role, team_id }: ProvisionedGroup) => {
      const params = { org_id: orgId, scim_group_id: id };
      return unwrap(await updateProvisionedGroup(platform, { params, body: { role, team_id } }));
    },
    onSuccess: ({ display_name: name }) => {
      announce(`${name} is changed.`);
    },
    onSettled: () => queries.invalidateQueries(), // roles and teams have changed, too
  });
  return (
    <section class="card">
      <h2>Groups</h2>
      <Failed mutation={mapping} />
      <PagedRows
        query={useProvisionedGroups(orgId)}
        what="the groups"
        label="Groups"
        empty={{
          title: 'There are no groups yet',
          text: 'They appear here when the identity provider pushes them.',
        }}
        more="Show older groups"
      >
        {(group) => (
          <li key={group.id}>
            <div class="stack tight grow">
              <strong class="break">{group.display_name}</strong>
              <span class="small muted">{group.member_count === 1 ? '1 user' : `${group.member_count} users`}</span>
            </div>
            <div class="actions">
              <Choice
                label={`Role of ${group.display_name}`}
                value={group.role ?? ''}
                none="No role"
                options={[
                  ['viewer', 'Viewer'],
                  ['member', 'Member'],
                  ['admin', 'Admin'],
                ]}
                isBusy={mapping.isPending}
                onChange={(value) => {
                  mapping.mutate({ ...group, role: roleOf(value) });
                }}
              />
              <Choice
                label={`Team of ${group.display_name}`}
                value={group.team_id ?? ''}
                none="No team"
                options={optionsOf(teams, group.team_id)}
                isBusy={mapping.isPending}
                onChange={(value) => {
                  mapping.mutate({ ...group, team_id: value === '' ? null : value });
                }}
              />
            </div>
          </li>
        )}
      </PagedRows>
    </section>
  );
}

function roleOf(value: string): ProvisionedGroup['role'] {
  return value === 'viewer' || value === 'member' || value === 'admin' ? value : null;
}

type Options = readonly (readonly [value: string, text: string])[];

/** The teams, and the chosen one while it is not loaded or after it was deleted. */
function optionsOf(teams: readonly { readonly id: string; readonly name: string }[], chosen: string | null): Options {
  const options = teams.map(({ id, name }) => [id, name] as const);
  const isMissing = chosen !== null && !teams.some(({ id }) => id === chosen);
  return isMissing ? [...options, [chosen, chosen]] : options;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  /** The text of the empty value. */
  readonly none: string;
  readonly options: Options;
  readonly isBusy: boolean;
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, none, options, isBusy, onChange }: ChoiceProps): JSX.Element {
  return (
    <select
      class="inline"
      aria-label={label}
      value={value}
      disabled={isBusy}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    >
      <option value="">{none}</option>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}
