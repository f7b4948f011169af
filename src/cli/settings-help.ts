import { settingDescriptions } from '../platform/server/settings.js';

/** The settings for `plumbline serve --help`. */
export function describeSettings(): string {
  const lines = settingDescriptions.map(({ name, defaultText, description }) => {
    const fallback = defaultText === '' ? 'none' : defaultText;
    return `  ${name} (${fallback})\n      ${description}`;
  });
  return `
Settings are environment variables, with their defaults in parentheses. A settings file (--config, PLUMBLINE_CONFIG) can
hold them too, as YAML lines such as PORT: 8080; variables win over it. NAME_FILE names a file with a secret.

${lines.join('\n')}
`;
}
