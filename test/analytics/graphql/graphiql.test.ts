import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../../cli/built-command.js';
import { recordingGraphqlFetch } from '../../support/graphql-recorder.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';

const browser = ['chromium', 'chromium-browser', 'google-chrome']
  .flatMap((name) => (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((file) => existsSync(file));
if (browser === undefined)
  console.warn('Skipped: GraphiQL in a browser: neither chromium nor google-chrome is installed.');

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
])('its %s comes from this server', async (file, type, size) => {
  const reply = await fetch(`${platform.url}/graphql/${file}`);
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, type]);
  const text = await reply.text();
  expect(text.length).toBeGreaterThan(size);
  const elsewhere = text.match(/@import|url\(["']?https?:|(?:unpkg\.com|jsdelivr\.net|cdnjs\.)/g) ?? [];
  expect(elsewhere).toEqual([]);
});

test('who does not take a page is told to send queries with POST', async () => {
  const reply = await send(`${platform.url}/graphql`, { headers: { Accept: 'application/json' } });
  expect(reply.status).toBe(406);
});

describe.skipIf(browser === undefined)('In a real browser', () => {
  test('GraphiQL comes up with the schema, against its own security policy', async () => {
    const profile = await mkdtemp(join(tmpdir(), 'plumbline-browser-'));
    try {
      const args = [
        '--headless=new',
        '--no-sandbox', // a browser that runs as root has none
        '--disable-gpu',
        '--disable-dev-shm-usage',
        `--user-data-dir=${profile}`,
        '--enable-logging=stderr',
        '--v=0',
        '--virtual-time-budget=20000',
        '--dump-dom',
        `${platform.url}/graphql`,
      ];
      const { stdout, stderr } = await promisify(execFile)(browser ?? '', args, { maxBuffer: 64 * 1024 * 1024 });
      expect(stdout).toContain('graphiql-container');
      expect(stdout).toContain('Execute query');
      expect(stderr.split('\n').filter((line) => line.includes(':CONSOLE'))).toEqual([]);
    } finally {
      await rm(profile, { recursive: true, force: true });
    }
  });
});
