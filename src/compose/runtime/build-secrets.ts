/** Builders read secrets from files: what is not in one is written to one for the duration of the build. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildSpec } from './spec.js';

/**
 * @param directory a private directory, which the caller removes
 * @returns the specification with the paths of all secrets
 */
export async function withSecretFiles(spec: BuildSpec, directory: string): Promise<BuildSpec> {
  if (spec.secrets === undefined) return spec;
  const secrets = await Promise.all(
    spec.secrets.map(async (secret, index) => {
      if ('path' in secret) return secret;
      const path = join(directory, `secret-${index}`);
      await writeFile(path, secret.value, { mode: 0o600 });
      return { id: secret.id, path };
    }),
  );
  return { ...spec, secrets };
}

/** The texts among the secrets, which no message may have. */
export function secretTexts({ secrets = [] }: BuildSpec): string[] {
  return secrets.flatMap((secret) => ('value' in secret && typeof secret.value === 'string' ? [secret.value] : []));
}
