import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { snippetFaults } from './snippets.js';

const snippets = readFileSync('sdk/README.md', 'utf8')
  .split('```')
  .filter((part) => part.startsWith('ts\n'))
  .map((part) => part.slice(3));

describe('the README of the SDK', () => {
  it('has snippets', () => {
    expect(snippets.length).toBeGreaterThanOrEqual(8);
  });

  it('has snippets that type-check', () => {
    expect(snippetFaults(snippets)).toEqual([]);
  });

  it('fails with a wrong snippet', () => {
    const wrong = `import { login } from '@plumbline/sdk/platform';\nawait login(client, { body: { mail: email } });\n`;
    expect(snippetFaults([wrong])).toEqual([expect.stringContaining("'mail' does not exist")]);
  });
});
