/** `login` -> `Login`. */
export function pascalCase(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `InvalidCredentials` -> `invalidCredentials`. */
export function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** `InvalidCredentials` -> `invalid-credentials`, `NotAMember` -> `not-a-member`. */
export function kebabCase(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();
}

/** `InvalidCredentialsProblem` -> `InvalidCredentials`. */
export function withoutProblemSuffix(schemaName: string): string {
  return schemaName.replace(/Problem$/, '');
}

/** A quoted TypeScript string. */
export function quote(text: string): string {
  return JSON.stringify(text);
}

/** A union of quoted strings, `never` when there are none. */
export function unionOf(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map(quote).join(' | ');
}
