import {
  scimRequestInvalid,
  scimResourceExists,
  scimResourceNotFound,
  type ScimRequestInvalid,
  type ScimResourceExists,
  type ScimResourceNotFound,
} from '../../../../generated/problems.js';

/** A value, or the reply that refuses the request. */
export type Checked<Value, Refusal = ScimRequestInvalid> = { readonly value: Value } | { readonly refusal: Refusal };

export function invalidRequest(
  scimType: ScimRequestInvalid['body']['scim_type'],
  message: string,
): { readonly refusal: ScimRequestInvalid } {
  return { refusal: scimRequestInvalid({ message, scim_type: scimType }) };
}

/** @param kind what the organization does not have */
export function noSuch(kind: 'user' | 'group'): ScimResourceNotFound {
  return scimResourceNotFound({ message: `The organization has no such ${kind}.` });
}

/** @param attribute what another resource has */
export function taken(kind: 'user' | 'group', attribute: string): ScimResourceExists {
  return scimResourceExists({ message: `Another ${kind} has this ${attribute}.`, scim_type: 'uniqueness' });
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of a resource: others are unknown, and not invalid. */
export function isId(text: string): boolean {
  return uuid.test(text);
}
