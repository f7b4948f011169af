import { describe, expect, test } from 'vitest';
import { checkExposure } from '../../../../src/platform/server/doctor/exposure-checks.js';

const sound = {
  host: '127.0.0.1',
  appBaseUrl: 'https://plumbline.example.com',
  trustedProxies: ['10.0.0.0/8'],
  mailUrl: 'smtp://mail.example.com',
  mailFrom: 'Plumbline <plumbline@example.com>',
  metricsToken: 'f3b1c9a07d5e8246',
};

test('sound settings give no warning', () => {
  const findings = checkExposure(sound);
  expect(findings.map(({ check }) => check)).toEqual([
    'public address',
    'trusted proxies',
    'sender of mails',
    'metrics token',
  ]);
  expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
});

test.each([
  ['an address of this machine', { appBaseUrl: 'http://localhost:8080' }],
  ['a server for this machine alone', { appBaseUrl: null, host: '::1' }],
  ['mails that become files', { mailUrl: null, mailFrom: 'Plumbline <no-reply@localhost>' }],
  ['an address without a name', { mailFrom: 'plumbline@example.com' }],
  ['no token', { metricsToken: null }],
  ['no proxies', { trustedProxies: [] }],
])('%s gives no warning', (_name, settings) => {
  expect(checkExposure({ ...sound, ...settings }).filter(({ status }) => status !== 'ok')).toEqual([]);
});

describe('reports', () => {
  test.each([
    [
      'a public address without encryption',
      { appBaseUrl: 'http://plumbline.example.com' },
      'warning',
      'without encryption',
    ],
    [
      'an open server without public address',
      { appBaseUrl: null, host: '0.0.0.0' },
      'warning',
      'APP_BASE_URL is not set',
    ],
    ['proxies that are everybody', { trustedProxies: ['10.0.0.1', '0.0.0.0/0', '::/0'] }, 'warning', '0.0.0.0/0, ::/0'],
    ['a sender of this machine', { mailFrom: 'Plumbline <no-reply@localhost>' }, 'warning', 'no-reply@localhost'],
    ['a sender without address', { mailFrom: 'Plumbline' }, 'failed', 'has no address: Plumbline'],
    ['two senders', { mailFrom: 'a@example.com, b@example.com' }, 'failed', 'has no address'],
    ['a short token', { metricsToken: 'secret' }, 'warning', 'has 6 characters'],
  ])('%s', (_name, settings, status, message) => {
    const findings = checkExposure({ ...sound, ...settings }).filter((finding) => finding.status !== 'ok');
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({ status, message: expect.stringContaining(message) });
    expect(findings[0]?.remedy).not.toBeNull();
    expect(JSON.stringify(findings)).not.toContain('"secret"');
  });
});
