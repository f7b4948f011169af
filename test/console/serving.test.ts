import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtCommand } from '../cli/built-command.js';
import { startTestPlatform, type TestPlatform } from '../support/platform.js';
import { sendRaw } from '../support/raw-send.js';

let platform: TestPlatform;
let asset: string;
beforeAll(async () => {
  await builtCommand();
  platform = await startTestPlatform();
  const html = await (await fetch(`${platform.url}/console/`)).text();
  asset = /\/console\/assets\/console-\w+\.js/.exec(html)?.[0] ?? '';
});
afterAll(() => platform.stop());

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
  "font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

async function head(path: string, headers: Record<string, string> = {}): Promise<[number, string | null]> {
  const reply = await fetch(`${platform.url}${path}`, { redirect: 'manual', headers });
  await reply.arrayBuffer();
  return [reply.status, reply.headers.get('Location')];
}

describe('The server', () => {
  test.each(['/console/', '/console/overview', '/console/any/path.html?with=query'])(
    'answers %s with the console, with a strict policy and without unconditional caching',
    async (path) => {
      const reply = await fetch(`${platform.url}${path}`);
      expect([reply.status, reply.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(reply.headers.get('Content-Security-Policy')).toBe(policy);
      expect(reply.headers.get('Cache-Control')).toBe('no-cache');
      const html = await reply.text();
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|\{\{/);
      // An empty address is that of the page.
      for (const [, target = ''] of html.matchAll(/\b(?:src|href)="([^"]*)"/g))
        expect(target).toMatch(/^(?:$|\/(?!\/))/);
    },
  );

  test('redirects browsers from / to the console, and other clients to the reference', async () => {
    expect(await head('/', { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' })).toEqual([302, '/console/']);
    expect(await head('/', { Accept: '*/*' })).toEqual([302, '/docs']);
    expect(await head('/console')).toEqual([302, '/console/']);
  });

  test('serves /favicon.ico, and redirects /health to the health check', async () => {
    const icon = await fetch(`${platform.url}/favicon.ico`);
    expect([icon.status, icon.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
    expect(await head('/health')).toEqual([302, '/health/ready']);
  });

  test.each([
    'verify',
    'not-me',
    'confirm-email',
    'secure-account',
    'reset-password',
    'accept-invite',
    'login/callback/oidc',
  ])('redirects the link /%s to its page, with the token in the fragment', async (name) => {
    expect(await head(`/${name}?token=a-b_c`)).toEqual([302, `/console/${name}#token=a-b_c`]);
  });

  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br;q=0', 'gzip'],
    ['identity', undefined],
  ])('serves assets for Accept-Encoding: %s as immutable', async (accepted, encoding) => {
    const { headers, body } = await sendRaw(`${platform.url}${asset}`, { headers: { 'Accept-Encoding': accepted } });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['vary']).toContain('Accept-Encoding');
    if (encoding === 'gzip') expect(gunzipSync(body).length).toBeGreaterThan(body.length);
  });

  test.each(['/console/assets/none-AAAA.js', '/console/assets/..%2Findex.html', '/console/assets/x.map'])(
    'has no asset %s',
    async (path) => {
      expect((await head(path))[0]).toBe(404);
    },
  );
});

test('CONSOLE=false serves no console, and / leads to the reference', async () => {
  const without = await startTestPlatform({ environment: { CONSOLE: 'false' } });
  try {
    for (const path of ['/console/', '/console/overview', asset, '/verify?token=a']) {
      const reply = await fetch(`${without.url}${path}`, { redirect: 'manual' });
      expect([reply.status, reply.headers.get('Content-Type')]).toEqual([404, 'application/problem+json']);
    }
    const reply = await fetch(`${without.url}/`, { redirect: 'manual', headers: { Accept: 'text/html' } });
    expect(reply.headers.get('Location')).toBe('/docs');
  } finally {
    await without.stop();
  }
});
