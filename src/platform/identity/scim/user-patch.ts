/** PATCH of a user (RFC 7644, section 3.5.2). */
import type { AttributePath } from './attribute-paths.js';
import { applyPatch, type PatchOperation } from './patch-operations.js';
import type { PersonRow } from './people.store.js';
import { invalidRequest, type Checked } from './refusals.js';
import { readUser, setAttribute, type UserDraft } from './user-attributes.js';

/** The stored attributes of a user as a draft, which a patch changes. */
export function draftOf(person: PersonRow): UserDraft {
  return {
    userName: person.user_name,
    email: person.email,
    externalId: person.external_id,
    formattedName: person.formatted_name,
    givenName: person.given_name,
    familyName: person.family_name,
    displayName: person.display_name,
    active: person.active,
  };
}

/** Applies the operations of a patch in their order. `add` and `replace` are the same: no stored attribute is a list. */
export function patchUser(person: PersonRow, operations: readonly PatchOperation[]): Checked<UserDraft> {
  const draft = draftOf(person);
  return applyPatch(draft, operations, {
    setAll: (_op, values) => readUser(values, draft),
    set: (op, path, value) => patchOne(draft, op, path, value),
  });
}

function patchOne(draft: UserDraft, op: PatchOperation['op'], path: AttributePath, value: unknown): Checked<UserDraft> {
  if (op !== 'remove' && value === undefined)
    return invalidRequest('invalidValue', `The operation ${op} needs a value.`);
  if (op === 'remove' && path.attribute === 'id') return invalidRequest('mutability', 'id cannot be removed.');
  const problem = setAttribute(draft, path, op === 'remove' ? null : value);
  return problem === null ? { value: draft } : invalidRequest('invalidValue', problem);
}
