/** What a request asks to see of a resource (RFC 7644, section 3.9). */
export interface Projection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Attributes that are always returned. */
const always = ['schemas', 'id'];

/** Leaves out what the request does not ask for. A part such as `name.familyName` stands for its attribute. */
export function projected<Resource extends object>(
  resource: Resource,
  { attributes, excludedAttributes }: Projection,
): Resource {
  if (attributes === undefined && excludedAttributes === undefined) return resource;
  const wanted = attributes === undefined ? null : namesIn(attributes);
  const unwanted = namesIn(excludedAttributes ?? '');
  const kept = Object.entries(resource).filter(([key]) => {
    const name = key.toLowerCase();
    return always.includes(name) || (wanted?.includes(name) ?? !unwanted.includes(name));
  });
  return Object.fromEntries(kept) as Resource; // all other properties are optional in the contract
}

/** Whether a request wants to see an attribute. */
export function wants({ attributes, excludedAttributes }: Projection, name: string): boolean {
  const lower = name.toLowerCase();
  return attributes === undefined
    ? !namesIn(excludedAttributes ?? '').includes(lower)
    : namesIn(attributes).includes(lower);
}

function namesIn(list: string): string[] {
  return list
    .toLowerCase()
    .split(',')
    .map((each) => each.trim().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/, ''))
    .map((each) => each.split('.')[0] ?? '');
}
