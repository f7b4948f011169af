import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLoopback, listenAddressText, parseListenAddress } from '../../../src/compose/service/listen-address.js';

const home = '/home/robin';
const parse = (input: string): unknown => parseListenAddress(input, home);

/** The case of the failure, or what was read. */
function outcome(input: string): unknown {
  try {
    return parse(input);
  } catch (error) {
    return (error as { error: string; case: string }).error + '.' + (error as { case: string }).case;
  }
}

describe('an address to listen on', () => {
  it.each([
    ['unix:///run/compose.sock', { scheme: 'unix', path: '/run/compose.sock' }],
    ['unix://~/.compose/api.sock', { scheme: 'unix', path: '/home/robin/.compose/api.sock' }],
    ['unix:///tmp/a b?c#d:e', { scheme: 'unix', path: '/tmp/a b?c#d:e' }],
    ['tcp://127.0.0.1:8080', { scheme: 'tcp', host: '127.0.0.1', port: 8080 }],
    ['tcp://localhost:0', { scheme: 'tcp', host: 'localhost', port: 0 }],
    ['tls://compose.example.com:8443', { scheme: 'tls', host: 'compose.example.com', port: 8443 }],
    ['tcp://[::1]:80', { scheme: 'tcp', host: '::1', port: 80 }],
    ['tls://[fe80::1]:65535', { scheme: 'tls', host: 'fe80::1', port: 65_535 }],
    ['TCP://localhost:1', { scheme: 'tcp', host: 'localhost', port: 1 }],
  ])('%s is understood', (input, expected) => {
    expect(parse(input)).toEqual(expected);
  });

  it.each([
    '',
    'localhost:80',
    '/run/compose.sock',
    'unix:/run/compose.sock',
    '://x:1',
    'unix://',
    'unix://relative.sock',
    'unix:///run/',
    'unix://~robin/api.sock',
    'tcp://localhost:http',
    'tcp://localhost:65536',
    'tcp://localhost:-1',
    'tcp://localhost:80/path',
    'tcp://robin@localhost:80',
    'tcp://::1:80',
    'tcp://[::1',
    'tcp://[localhost]:80',
    'tcp://local host:80',
    'tcp://localhost:80\n',
    'unix:///run/\u0000.sock',
  ])('%j is malformed', (input) => {
    expect(outcome(input)).toBe('ListenAddressError.malformed');
  });

  it.each(['tcp://', 'tls://', 'tcp://localhost', 'tls://localhost:', 'tcp://:80', 'tls://[::1]', 'tcp://[]:80'])(
    '%s lacks its host or port',
    (input) => {
      expect(outcome(input)).toBe('ListenAddressError.missingHostOrPort');
    },
  );

  it.each(['http://localhost:80', 'https://localhost:443', 'ssh://host', 'npipe:////./pipe/x'])(
    '%s has a scheme that is not supported',
    (input) => {
      expect(outcome(input)).toBe('ListenAddressError.unsupportedScheme');
    },
  );

  it('is the same after it is printed and parsed', () => {
    const host = fc.oneof(fc.ipV4(), fc.ipV6(), fc.domain());
    const address = fc.oneof(
      fc.record({ scheme: fc.constantFrom('tcp', 'tls'), host, port: fc.nat({ max: 65_535 }) }),
      fc.record({
        scheme: fc.constant('unix' as const),
        path: fc.stringMatching(/^(\/[^/\p{Cc}]+)+$/u),
      }),
    );
    fc.assert(
      fc.property(address, (each) => {
        expect(parse(listenAddressText(each as Parameters<typeof listenAddressText>[0]))).toEqual(each);
      }),
    );
  });

  it('is an address or a ListenAddressError for any text', () => {
    const part = fc.constantFrom(
      'unix',
      'tcp',
      'tls',
      'http',
      '://',
      ':',
      '/',
      '[',
      ']',
      '::1',
      '80',
      'a',
      '~',
      '@',
      '-',
      ' ',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(part).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (input) => {
        const got = outcome(input);
        if (typeof got === 'string') {
          expect(got).toMatch(/^ListenAddressError\.(malformed|missingHostOrPort|unsupportedScheme)$/);
        } else expect(parse(listenAddressText(got as Parameters<typeof listenAddressText>[0]))).toEqual(got);
      }),
      { numRuns: 1000 },
    );
  });
});

it('A loopback address is unreachable from other machines', () => {
  expect(['127.0.0.1', '127.8.8.8', '::1', 'localhost', 'LOCALHOST'].filter((host) => !isLoopback(host))).toEqual([]);
  expect(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.evil.com'].filter(isLoopback)).toEqual([]);
});
