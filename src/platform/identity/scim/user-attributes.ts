/** The attributes of a user in a request, as identity providers send them: leniently read, then checked. */
import { verifiedEmail } from '../providers/provider-calls.js';
import { readPath, type AttributePath } from './attribute-paths.js';
import { invalidRequest, type Checked } from './refusals.js';

/** What is stored of a user. */
export interface UserAttributes {
  readonly userName: string;
  readonly email: string;
  readonly externalId: string | null;
  readonly formattedName: string | null;
  readonly givenName: string | null;
  readonly familyName: string | null;
  readonly displayName: string | null;
  readonly active: boolean;
}

/** Attributes before they are checked. Absent: not given. */
export type UserDraft = { -readonly [Name in keyof UserAttributes]?: UserAttributes[Name] | null };

const longest = 500;

const texts: Readonly<Record<string, Exclude<keyof UserDraft, 'active'>>> = {
  username: 'userName',
  externalid: 'externalId',
  displayname: 'displayName',
  'name.formatted': 'formattedName',
  'name.givenname': 'givenName',
  'name.familyname': 'familyName',
  'emails.value': 'email',
};

/** Reads the attributes of a request into a draft. Unknown ones are ignored. */
export function readUser(body: Readonly<Record<string, unknown>>, draft: UserDraft = {}): Checked<UserDraft> {
  for (const [name, value] of Object.entries(body)) {
    const path = readPath(name);
    const problem = path === null ? null : setAttribute(draft, path, value);
    if (problem !== null) return invalidRequest('invalidValue', problem);
  }
  return { value: draft };
}

/** Sets one attribute of a draft. @returns what is wrong with the value */
export function setAttribute(draft: UserDraft, path: AttributePath, value: unknown): string | null {
  const { attribute, part, selects } = path;
  if (attribute === 'active' && part === '') return setActive(draft, value);
  if (attribute === 'name' && part === '') return setParts(draft, 'name', value);
  // There is one address, of the type work: values of other types are not stored.
  if (attribute === 'emails' && selects?.({ value: draft.email, type: 'work', primary: true }) === false) return null;
  if (attribute === 'emails' && part === '') return setParts(draft, 'emails', primaryOf(value));
  const key = part === '' ? attribute : `${attribute}.${part}`;
  const name = Object.hasOwn(texts, key) ? texts[key] : undefined; // a request can name members of any object
  if (name === undefined) return null;
  if (value !== null && typeof value !== 'string') return `${attribute} must be text.`;
  if (value !== null && value.length > longest) return `${attribute} must have at most ${longest} characters.`;
  draft[name] = value === null || value.trim() === '' ? null : value.trim();
  return null;
}

function setParts(draft: UserDraft, attribute: string, value: unknown): string | null {
  if (value === null) {
    for (const [key, name] of Object.entries(texts)) if (key.startsWith(`${attribute}.`)) draft[name] = null;
    return null;
  }
  if (typeof value !== 'object') return `${attribute} must have parts.`;
  for (const [part, each] of Object.entries(value)) {
    const path = { attribute, part: part.toLowerCase(), selects: null, filter: '' };
    const problem = path.part === '' ? null : setAttribute(draft, path, each);
    if (problem !== null) return problem;
  }
  return null;
}

/** Entra ID sends booleans as text. */
function setActive(draft: UserDraft, value: unknown): string | null {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  if (value === null) return null;
  if (text !== true && text !== false && text !== 'true' && text !== 'false') return 'active must be true or false.';
  draft.active = text === true || text === 'true';
  return null;
}

/** Chooses the primary address, without one that of work, otherwise the first. */
function primaryOf(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const all: readonly unknown[] = value;
  const has = (name: string, expected: unknown) => (each: unknown) =>
    typeof each === 'object' && each !== null && Reflect.get(each, name) === expected;
  return all.find(has('primary', true)) ?? all.find(has('type', 'work')) ?? all[0] ?? null;
}

/** Checks a complete draft. The address is that of `emails`, otherwise `userName`. */
export function checkUser(draft: UserDraft, wasActive = true): Checked<UserAttributes> {
  const { userName, email, active } = draft;
  if (userName === undefined || userName === null) return invalidRequest('invalidValue', 'userName is required.');
  const address = verifiedEmail(email ?? userName, true);
  if (address === null) {
    return invalidRequest('invalidValue', 'emails, or else userName, must have an e-mail address that can be used.');
  }
  return {
    value: {
      userName,
      email: address,
      externalId: draft.externalId ?? null,
      formattedName: draft.formattedName ?? null,
      givenName: draft.givenName ?? null,
      familyName: draft.familyName ?? null,
      displayName: draft.displayName ?? null,
      active: active ?? wasActive,
    },
  };
}
