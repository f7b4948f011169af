import type { Schemas } from '../../../../generated/platform/operations.js';
import type { GroupMember, GroupRow } from './groups.store.js';

const schemas: Schemas['ScimGroup']['schemas'] = ['urn:ietf:params:scim:schemas:core:2.0:Group'];

/** The contract's `ScimGroup`. */
export function groupResource(row: GroupRow, members: readonly GroupMember[], baseUrl: string): Schemas['ScimGroup'] {
  return {
    schemas,
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    members: members.map((member) => ({ value: member.person_id, display: member.user_name })),
    meta: {
      resourceType: 'Group',
      created: row.created_at.toISOString(),
      lastModified: row.updated_at.toISOString(),
      location: `${baseUrl}/scim/v2/Groups/${row.id}`,
    },
  };
}
