/** The attributes of a group in a request, and PATCH of them. */
import { readPath, type AttributePath } from './attribute-paths.js';
import { applyPatch, type PatchOperation } from './patch-operations.js';
import { invalidRequest, isId, type Checked } from './refusals.js';

/** The attributes of a group, which a request changes. */
export interface GroupDraft {
  displayName: string | null;
  externalId: string | null;
  /** The ids of the users. */
  members: Set<string>;
}

const longest = 500;
const mostMembers = 10_000;

/** Reads the body of a POST or a PUT. */
export function readGroup(body: Readonly<Record<string, unknown>>): Checked<GroupDraft> {
  const draft: GroupDraft = { displayName: null, externalId: null, members: new Set() };
  return changeAll(draft, 'replace', body);
}

/** Applies the operations of a patch in their order. */
export function patchGroup(draft: GroupDraft, operations: readonly PatchOperation[]): Checked<GroupDraft> {
  return applyPatch(draft, operations, {
    setAll: (op, values) => changeAll(draft, op, values),
    set: (op, path, value) => change(draft, op, path, value),
  });
}

function changeAll(
  draft: GroupDraft,
  op: 'add' | 'replace',
  values: Readonly<Record<string, unknown>>,
): Checked<GroupDraft> {
  for (const [name, value] of Object.entries(values)) {
    const path = readPath(name);
    const changed = path === null ? { value: draft } : change(draft, op, path, value);
    if ('refusal' in changed) return changed;
  }
  return { value: draft };
}

function change(draft: GroupDraft, op: PatchOperation['op'], path: AttributePath, value: unknown): Checked<GroupDraft> {
  const { attribute, selects } = path;
  if (attribute === 'members') {
    if (selects !== null) return op === 'remove' ? removeSelected(draft, path) : { value: draft };
    return changeMembers(draft, op, value);
  }
  if (attribute !== 'displayname' && attribute !== 'externalid') return { value: draft };
  const given = op === 'remove' ? null : value;
  if (given !== null && typeof given !== 'string') return invalidRequest('invalidValue', `${attribute} must be text.`);
  if (given !== null && given.length > longest) {
    return invalidRequest('invalidValue', `${attribute} must have at most ${longest} characters.`);
  }
  draft[attribute === 'displayname' ? 'displayName' : 'externalId'] =
    given === null || given.trim() === '' ? null : given.trim();
  return { value: draft };
}

/**
 * Removes the one member that a filter names, as Entra ID and Okta do. Other filters are refused: comparing every member
 * in every one of 1,000 operations would block the server for seconds.
 */
function removeSelected(draft: GroupDraft, { filter }: AttributePath): Checked<GroupDraft> {
  const [, id] = /^\s*value\s+eq\s+"([^"\\]+)"\s*$/i.exec(filter) ?? [];
  if (id === undefined) return invalidRequest('invalidFilter', 'Members are removed by members[value eq "<id>"] only.');
  draft.members.delete(id.toLowerCase());
  return { value: draft };
}

function changeMembers(draft: GroupDraft, op: PatchOperation['op'], value: unknown): Checked<GroupDraft> {
  if (op === 'remove' && (value === undefined || value === null)) {
    draft.members.clear();
    return { value: draft };
  }
  const ids = idsIn(value);
  if ('refusal' in ids) return ids;
  if (op === 'replace') draft.members.clear();
  for (const id of ids.value) {
    if (op === 'remove') draft.members.delete(id);
    else draft.members.add(id);
  }
  if (draft.members.size > mostMembers) return invalidRequest('tooMany', `A group has at most ${mostMembers} members.`);
  return { value: draft };
}

/** @param value `[{ value }]`, or one of them */
function idsIn(value: unknown): Checked<readonly string[]> {
  const ids: string[] = [];
  const all: readonly unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  for (const each of all) {
    const id: unknown = typeof each === 'object' && each !== null ? Reflect.get(each, 'value') : each;
    if (typeof id !== 'string' || !isId(id)) {
      return invalidRequest('invalidValue', 'Each of members must have the id of a user as its value.');
    }
    ids.push(id.toLowerCase());
  }
  return { value: ids };
}
