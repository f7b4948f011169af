/** The attributes that are stored, as `GET /scim/v2/Schemas` describes them (RFC 7643, section 7). */
import type { Schemas } from '../../../../generated/platform/operations.js';

type Attribute = Schemas['ScimAttribute'];
type SubAttribute = Schemas['ScimSubAttribute'];
type Schema = Omit<Schemas['ScimSchemaList']['Resources'][number], 'schemas' | 'meta'>;

function text(name: string, description: string, others: Partial<SubAttribute> = {}): SubAttribute {
  const defaults = { required: false, caseExact: false, mutability: 'readWrite', returned: 'default' } as const;
  return { name, type: 'string', multiValued: false, description, ...defaults, uniqueness: 'none', ...others };
}

function complex(
  name: string,
  description: string,
  subAttributes: SubAttribute[],
  others: Partial<Attribute> = {},
): Attribute {
  const defaults = { required: false, mutability: 'readWrite', returned: 'default' } as const;
  return { name, type: 'complex', multiValued: false, description, ...defaults, subAttributes, ...others };
}

const externalId = text('externalId', 'The id that the identity provider has given.', { caseExact: true });

export const scimSchemas: readonly Schema[] = [
  {
    id: 'urn:ietf:params:scim:schemas:core:2.0:User',
    name: 'User',
    description: 'A member of the organization, or somebody who is invited.',
    attributes: [
      text('userName', 'The name that is unique in the organization.', { required: true, uniqueness: 'server' }),
      externalId,
      complex('name', 'The parts of the name.', [
        text('formatted', 'The full name.'),
        text('givenName', 'The first name.'),
        text('familyName', 'The last name.'),
      ]),
      text('displayName', 'The name to show.'),
      complex(
        'emails',
        'The address that is invited. There is one, of the type work.',
        [text('value', 'The address.', { uniqueness: 'server' }), text('type', 'It is work.')],
        { multiValued: true },
      ),
      text('active', 'Whether the person is a member or invited.', { type: 'boolean' }),
      complex(
        'groups',
        'The groups of the user.',
        [
          text('value', 'The id of the group.', { mutability: 'readOnly' }),
          text('display', 'The name of the group.', { mutability: 'readOnly' }),
        ],
        { multiValued: true, mutability: 'readOnly' },
      ),
    ],
  },
  {
    id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
    name: 'Group',
    description: 'A group of the identity provider.',
    attributes: [
      text('displayName', 'The name of the group.', { required: true, uniqueness: 'server' }),
      externalId,
      complex(
        'members',
        'The users of the group.',
        [text('value', 'The id of the user.', { mutability: 'immutable' })],
        {
          multiValued: true,
        },
      ),
    ],
  },
];
