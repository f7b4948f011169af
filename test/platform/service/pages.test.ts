import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiVersion } from '../../../generated/platform/routes.js';
import { problemCatalogue } from '../../../generated/problems.js';
import { builtCommand } from '../../cli/built-command.js';
import { record } from '../../../src/contract-tools/documents.js';
import { browser, openPage, withoutBrowser } from '../../support/browser.js';
import { startTestPlatform, type TestPlatform } from '../../support/platform.js';

let platform: TestPlatform;
beforeAll(async () => {
  await builtCommand(); // which also builds the API reference
  platform = await startTestPlatform();
});
afterAll(() => platform.stop());

const pages = ['/docs', '/problems', ...Object.keys(problemCatalogue).map((slug) => `/problems/${slug}`)];

describe('Every page', () => {
  test.each(pages)('%s loads nothing from other origins, and may not be framed', async (path) => {
    const reply = await fetch(`${platform.url}${path}`);
    const html = await reply.text();
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = policyOf(reply.headers.get('Content-Security-Policy'));
    expect(policy.get('default-src')).toEqual(["'none'"]);
    expect(policy.get('script-src')).toEqual(["'self'"]);
    expect(policy.get('frame-ancestors')).toEqual(["'none'"]);
    const withoutLinks = html.replaceAll(/<a [^>]*>/g, ''); // a link loads nothing until it is followed
    const sources = [...policy.values()].flat();
    expect(sources.filter((each) => !/^('none'|'self'|'unsafe-inline'|data:|blob:)$/.test(each))).toEqual([]);
    for (const [, target = ''] of withoutLinks.matchAll(/\b(?:src|href|action)="([^"]*)"/g)) {
      expect(target).toMatch(/^\/(?!\/)/);
    }
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|javascript:|@import|url\((?!["']data:)/i);
  });

  test.each([...pages, '/', '/openapi.json', '/docs/start.js', '/nothing', '/health/live'])(
    '%s has the security headers, the version of the API and a request id',
    async (path) => {
      const { headers } = await fetch(`${platform.url}${path}`, { redirect: 'manual' });
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('X-Frame-Options')).toBe('DENY');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      expect(headers.get('X-Request-Id')).toMatch(/^[\w.:-]+$/);
      expect(headers.get('X-API-Version')).toBe(apiVersion);
      expect(headers.get('Set-Cookie')).toBeNull();
      expect(headers.get('X-Powered-By')).toBeNull();
    },
  );
});

describe.skipIf(browser === undefined)(`In a real browser${withoutBrowser}`, () => {
  test('The reference shows its operations under its security policy', async () => {
    const { dom, console } = await openPage(`${platform.url}/docs#/auth/register`);
    expect(dom).toContain('seven quiet rivers');
    // Redoc announces its version, in several lines of which the first is empty.
    expect(console.filter((line) => !line.endsWith('] "'))).toEqual([]);
  });
});

describe('The pages outside of the API', () => {
  test('/ redirects to the reference', async () => {
    const { status, headers } = await fetch(`${platform.url}/`, { redirect: 'manual' });
    expect([status, headers.get('Location')]).toEqual([302, '/docs']);
  });

  test('/docs has the scripts of the reference, from this server', async () => {
    const html = await (await fetch(`${platform.url}/docs`)).text();
    expect(html).toContain('<script type="module" src="/docs/start.js">');
    for (const name of ['start.js', 'redoc.js', 'colors.js']) {
      const script = await fetch(`${platform.url}/docs/${name}`);
      expect([script.status, script.headers.get('Content-Type')]).toEqual([200, 'text/javascript; charset=utf-8']);
      const elsewhere = (await script.text()).match(/https:\/\/cdn\.redoc\.ly[^`]*/g) ?? [];
      expect(elsewhere).toEqual([]); // where its makers' logos would come from
    }
  });

  test('/docs knows every operation of the contract', async () => {
    const script = await (await fetch(`${platform.url}/docs/start.js`)).text();
    const { paths } = record(JSON.parse(readFileSync('generated/platform/openapi.json', 'utf8')));
    const operations = Object.values(record(paths)).flatMap((path) => Object.values(record(path)).map(record));
    expect(operations.length).toBeGreaterThan(80);
    const missing = operations.filter(({ summary }) => !script.includes(JSON.stringify(summary)));
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('/openapi.json is the contract', async () => {
    const reply = await fetch(`${platform.url}/openapi.json`);
    expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'application/json; charset=utf-8']);
    const contract: unknown = JSON.parse(readFileSync('generated/platform/openapi.json', 'utf8'));
    expect(await reply.json()).toEqual(contract);
  });

  test('/problems links to the page of every problem', async () => {
    const html = await (await fetch(`${platform.url}/problems`)).text();
    for (const slug of Object.keys(problemCatalogue)) expect(html).toContain(`href="/problems/${slug}"`);
  });

  test.each(Object.entries(problemCatalogue))(
    '/problems/%s explains the problem',
    async (slug, { title, description }) => {
      const html = await (await fetch(`${platform.url}/problems/${slug}`)).text();
      expect(textOf(html)).toContain(title);
      expect(textOf(html)).toContain(description.replaceAll('`', ''));
    },
  );

  test.each(['constructor', '__proto__', 'toString', '..%2Fsecret', '%3Cscript%3E'])(
    '/problems/%s does not exist',
    async (slug) => {
      const reply = await fetch(`${platform.url}/problems/${slug}`);
      expect([reply.status, reply.headers.get('Content-Type')]).toEqual([404, 'application/problem+json']);
      expect(await reply.text()).not.toContain('<script');
    },
  );
});

function policyOf(header: string | null): ReadonlyMap<string, readonly string[]> {
  return new Map(
    (header ?? '').split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
}

/** What a reader sees. */
function textOf(html: string): string {
  const text = html.replaceAll(/<style>[^]*?<\/style>|<[^>]+>/g, '');
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
  return text.replaceAll(/&(\w+);/g, (entity, name: string) => entities[name] ?? entity);
}
