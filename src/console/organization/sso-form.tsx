import { updateSso, type Schemas } from '@plumbline/sdk/platform';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useMembers } from '../people/queries.js';
import { platform } from '../session/session.js';
import { Choices, Lines, linesOf, Select } from '../ui/fields.js';
import { Field, Form, type Values } from '../ui/form.js';
import { announce } from '../ui/toasts.js';
import { recoveryOptions } from './recovery-options.js';

type Role = Schemas['SsoGroupRole']['role'];

const roles: Readonly<Record<Role, string>> = { viewer: 'viewer', member: 'member', admin: 'admin' };

const switches = {
  auto_join: 'Everybody with an address of a verified domain becomes a member at the first log-in',
  is_required: 'Members must log in by SSO: passwords no longer lead into this organization',
} as const;

export interface SsoFormProps {
  readonly orgId: string;
  readonly sso: Schemas['Sso'];
  readonly onSaved: () => Promise<void>;
}

/** How the organization is connected to its identity provider. */
export function SsoForm({ orgId, sso: { connection, domains }, onSaved }: SsoFormProps): JSX.Element {
  const owners = (useMembers(orgId).data ?? []).filter(({ role }) => role === 'owner');
  const [chosen, setChosen] = useState<readonly (keyof typeof switches)[]>([
    ...(connection === null || connection.auto_join ? (['auto_join'] as const) : []),
    ...(connection?.is_required === true ? (['is_required'] as const) : []),
  ]);
  const recovery = connection?.recovery_owner_id;
  return (
    <Form
      button="Save"
      check={({ group_roles = '', group_teams = '' }) => ({
        group_roles: linesOf(group_roles).every((line) => roleOf(line) !== null)
          ? []
          : ['Write one group a line, such as: leads = admin'],
        group_teams: linesOf(group_teams).every((line) => pairOf(line) !== null)
          ? []
          : ['Write one group a line, with the id of a team, such as: developers = payments'],
      })}
      send={(values) => {
        const body = { ...bodyOf(values), auto_join: chosen.includes('auto_join') };
        const is_required = chosen.includes('is_required');
        return updateSso(platform, { params: { org_id: orgId }, body: { ...body, is_required } });
      }}
      done={() => {
        announce('Single sign-on is saved.');
        void onSaved();
      }}
    >
      <Field
        name="issuer"
        label="Issuer"
        type="url"
        value={connection?.issuer ?? ''}
        hint="The address below which the provider serves /.well-known/openid-configuration."
        maxLength={1024}
        required
      />
      <Field name="client_id" label="Client id" value={connection?.client_id ?? ''} maxLength={1024} required />
      <Field
        name="client_secret"
        label="Client secret"
        type="password"
        autocomplete="off"
        maxLength={1024}
        required={connection === null}
        {...(connection !== null && { hint: 'Leave it empty to keep the one that is stored.' })}
      />
      <Lines
        name="domains"
        label="Domains of e-mail addresses"
        value={domains.map(({ domain }) => domain)}
        placeholder="example.com"
        hint="One a line. Each is verified by a TXT record."
        required={false}
      />
      <Choices
        name="is_required" // the one that the server can object to
        label="Who logs in"
        options={switches}
        value={chosen}
        isList
        onChange={setChosen}
      />
      <Select
        name="default_role"
        label="Role of people who join"
        options={roles}
        value={connection?.default_role ?? 'member'}
      />
      <Field
        name="groups_claim"
        label="Claim with groups"
        value={connection?.groups_claim ?? ''}
        hint="If the provider names groups, they decide about roles and teams at each log-in. Leave it empty otherwise."
        maxLength={256}
      />
      <Lines
        name="group_roles"
        label="Roles of groups"
        value={(connection?.group_roles ?? []).map(({ group, role }) => `${group} = ${role}`)}
        placeholder="leads = admin"
        hint="One group a line. Of several, the most powerful role counts. Owners keep their role."
        required={false}
      />
      <Lines
        name="group_teams"
        label="Teams of groups"
        value={(connection?.group_teams ?? []).map(({ group, team_id }) => `${group} = ${team_id}`)}
        placeholder="developers = payments"
        hint="One group a line, with the id of a team. A log-in adds the address of the person to the list of the team, and removes it when the group is gone. Entries of people stay."
        required={false}
      />
      <Select
        // The options arrive later, and a browser keeps the first one otherwise.
        key={owners.length}
        name="recovery_owner_id"
        label="Recovery owner"
        options={recoveryOptions(recovery ?? null, owners)}
        {...(typeof recovery === 'string' && { value: recovery })}
        hint="Can always log in by password, in case the provider fails. SSO can be required only with one."
      />
    </Form>
  );
}

function bodyOf(values: Values): Omit<Schemas['SsoRequest'], 'auto_join' | 'is_required'> {
  const {
    issuer = '',
    client_id = '',
    client_secret,
    default_role,
    groups_claim = null,
    recovery_owner_id = null,
  } = values;
  return {
    ...{ issuer, client_id, groups_claim, recovery_owner_id },
    ...(client_secret !== undefined && { client_secret }),
    default_role: default_role === 'admin' || default_role === 'viewer' ? default_role : 'member',
    group_roles: linesOf(values['group_roles']).flatMap((line) => roleOf(line) ?? []),
    group_teams: linesOf(values['group_teams']).flatMap((line) => {
      const pair = pairOf(line);
      return pair === null ? [] : { group: pair.group, team_id: pair.meaning };
    }),
    domains: linesOf(values['domains']),
  };
}

/** Reads `leads = admin`. */
function roleOf(line: string): Schemas['SsoGroupRole'] | null {
  const { group = '', meaning: role } = pairOf(line) ?? {};
  return role === 'admin' || role === 'member' || role === 'viewer' ? { group, role } : null;
}

/** Reads a group and its meaning. The names of groups may have equals signs: `CN=leads = admin`. */
function pairOf(line: string): { readonly group: string; readonly meaning: string } | null {
  const [, group = '', meaning = ''] = /^(.+?)\s*=\s*([^=\s]+)$/.exec(line) ?? [];
  return group === '' ? null : { group, meaning };
}
