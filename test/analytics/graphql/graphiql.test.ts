import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../../cli/built-command.js';
import { browser, openPage, withoutBrowser } from '../../support/browser.js';
import { recordingGraphqlFetch } from '../../support/graphql-recorder.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  await builtCommand(); // which also bundles GraphiQL
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const send = recordingGraphqlFetch();

test('GET /graphql is a page that loads nothing from elsewhere, and may not be framed', async () => {
  const reply = await send(`${platform.url}/graphql`, { headers: { Accept: 'text/html' } });
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
  const policy = reply.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  const html = await reply.text();
  for (const [, target] of html.matchAll(/\b(?:src|href)="([^"]*)"/g))
    expect(target).toMatch(/^\/graphql\/graphiql\.(js|css)$/);
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|javascript:/i);
});

test.each([
  ['graphiql.js', 'text/javascript; charset=utf-8', 500_000],
  ['graphiql.css', 'text/css; charset=utf-8', 20_000],
])('its %s is served by this server', async (file, type, size) => {
  const reply = await fetch(`${platform.url}/graphql/${file}`);
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, type]);
  const text = await reply.text();
  expect(text.length).toBeGreaterThan(size);
  const elsewhere = text.match(/@import|url\(["']?https?:|(?:unpkg\.com|jsdelivr\.net|cdnjs\.)/g) ?? [];
  expect(elsewhere).toEqual([]);
});

test('a caller that does not accept a page is refused, with a message to send queries with POST', async () => {
  const reply = await send(`${platform.url}/graphql`, { headers: { Accept: 'application/json' } });
  expect(reply.status).toBe(406);
});

describe.skipIf(browser === undefined)(`In a real browser${withoutBrowser}`, () => {
  test('GraphiQL loads the schema under its security policy', async () => {
    const { dom, console } = await openPage(`${platform.url}/graphql`);
    expect(dom).toContain('graphiql-container');
    expect(dom).toContain('Execute query');
    expect(console).toEqual([]);
  });
});
