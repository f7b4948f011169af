import { settingDescriptions } from '../platform/settings.js';

/** The settings as `plumbline serve --help` lists them. */
export function describeSettings(): string {
  const lines = settingDescriptions.map(({ name, defaultText, description }) => {
    const fallback = defaultText === '' ? 'none' : defaultText;
    return `  ${name} (${fallback})\n      ${description}`;
  });
  return `\nSettings are environment variables, with their defaults in parentheses:\n\n${lines.join('\n')}\n`;
}
