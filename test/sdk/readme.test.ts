import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { webhookEventTypes } from '../../sdk/src/webhooks.js';
import { readmeBlocks, readmePages } from './readme-blocks.js';
import { snippetFaults } from './snippets.js';

const blocks = readmeBlocks();
const snippets = blocks.map(({ text }) => text);

// A compilation takes a minute on a busy machine.
describe('the README of the SDK', { timeout: 240_000 }, () => {
  it('has its blocks below headings of different names', () => {
    const fences = readmePages.flatMap((page) => readFileSync(page, 'utf8').match(/^```ts$/gm) ?? []);
    expect(blocks.length).toBe(fences.length);
    expect(new Set(blocks.map(({ name }) => name)).size).toBe(blocks.length);
  });

  it('fits on a few screens, and links to each page beside it', () => {
    const text = readFileSync('sdk/README.md', 'utf8');
    expect(text.split('\n').length).toBeLessThan(250);
    const linked = new Set([...text.matchAll(/\]\((docs\/[\w-]+\.md)/g)].map(([, page = '']) => `sdk/${page}`));
    expect([...linked].sort()).toEqual(readmePages.slice(1));
  });

  it('has links to headings that exist', () => {
    const anchors = (page: string): string[] =>
      [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(
        ([, heading = '']) => `${page}#${heading.toLowerCase().replaceAll(' ', '-')}`,
      );
    const known = readmePages.flatMap(anchors);
    const text = readFileSync('sdk/README.md', 'utf8');
    const named = [...text.matchAll(/\]\((docs\/[\w-]+\.md)?#([\w-]+)\)/g)].map(
      ([, page = 'README.md', anchor = '']) => `sdk/${page}#${anchor}`,
    );
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((each) => !known.includes(each))).toEqual([]);
  });

  it('lists every event of webhooks, in the order of the contract', () => {
    const [, table = ''] = readFileSync('sdk/docs/webhooks.md', 'utf8').split('## Events\n');
    const listed = [...table.matchAll(/^\| `([\w.]+)`/gm)].map(([, type]) => type);
    expect(listed.filter((each) => each !== 'type')).toEqual(webhookEventTypes);
  });

  it('has snippets that type-check', () => {
    expect(snippetFaults(snippets)).toEqual([]);
  });

  it('fails with a wrong snippet', () => {
    const wrong = `import { login } from '@plumbline/sdk/platform';\nawait login(client, { body: { mail: email } });\n`;
    expect(snippetFaults([wrong])).toEqual([expect.stringContaining("'mail' does not exist")]);
  });
});
