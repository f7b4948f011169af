import type { Schemas } from '../../../../generated/platform/operations.js';
import type { PersonRow } from './people.store.js';

const schemas: Schemas['ScimUser']['schemas'] = ['urn:ietf:params:scim:schemas:core:2.0:User'];

/** A group of a user, as the resource of the user names it. */
export interface GroupOfPerson {
  readonly id: string;
  readonly display_name: string;
}

/** The contract's `ScimUser`. Attributes without a value are left out. */
export function userResource(row: PersonRow, groups: readonly GroupOfPerson[], baseUrl: string): Schemas['ScimUser'] {
  const name = present({ formatted: row.formatted_name, givenName: row.given_name, familyName: row.family_name });
  return {
    schemas,
    id: row.id,
    ...present({ externalId: row.external_id }),
    userName: row.user_name,
    ...(Object.keys(name).length > 0 && { name }),
    ...present({ displayName: row.display_name }),
    emails: [{ value: row.email, type: 'work', primary: true }],
    active: row.active,
    groups: groups.map((group) => ({ value: group.id, display: group.display_name })),
    meta: {
      resourceType: 'User',
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: `${baseUrl}/scim/v2/Users/${row.id}`,
    },
  };
}

/** The properties that have a value. */
function present<Name extends string>(values: Readonly<Record<Name, string | null>>): Partial<Record<Name, string>> {
  const entries = Object.entries<string | null>(values).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as Partial<Record<Name, string>>; // the names of `values`
}
