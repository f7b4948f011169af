import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utcTime } from '../../../src/compose/runtime/engine/time.js';
import { hasTransport, qualifyImage } from '../../../src/compose/runtime/image-reference.js';
import { lineCutter, linesOf } from '../../../src/compose/runtime/lines.js';
import { scrub, secretValues } from '../../../src/compose/runtime/scrub.js';
import { exitCodeOf, signalName } from '../../../src/compose/runtime/signals.js';

describe('the name of an image', () => {
  it.each(['dir:/etc', 'docker-archive:/tmp/a.tar', 'oci:layout', 'containers-storage:[overlay@/x]a', 'docker://a/b'])(
    '%s is a local file or transport',
    (reference) => {
      expect(hasTransport(reference)).toBe(true);
    },
  );

  it.each(['docker:24', 'localhost:5000/dir/a', 'dir', 'oci-tools:1', 'team/app:2'])('%s is an image', (reference) => {
    expect(hasTransport(reference)).toBe(false);
  });
});

describe('scrub', () => {
  it.each([
    ['open /var/lib/engine/x: no such file', 'open <path>: no such file'],
    ['bad mount "/home/me/data":', 'bad mount "<path>":'],
    ['dial unix:///run/engine.sock failed', 'dial <path> failed'],
    ["(/etc/a,/etc/b) and '/etc/c'", "(<path>,<path>) and '<path>'"],
    ['pull of docker.io/library/nginx:1.27 failed', 'pull of docker.io/library/nginx:1.27 failed'],
    ['Get "https://registry.example/v2/": refused', 'Get "https://registry.example/v2/": refused'],
    ['https://user:word@registry.example/v2/', 'https://***@registry.example/v2/'],
    ['1/2 done', '1/2 done'],
  ])('turns %j into %j', (text, clean) => {
    expect(scrub(text)).toBe(clean);
  });

  it('removes environment values of four or more characters', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.string(), fc.string(), (value, before, after) => {
        fc.pre(!'***<path>'.includes(value));
        expect(scrub(`${before} ${value} ${after}`, [value])).not.toContain(value);
      }),
    );
  });

  it('removes a value before a shorter one that it contains', () => {
    expect(scrub('it is password123', ['password', 'password123'])).toBe('it is ***');
  });

  it('finds the secrets of a process by the names of its variables', () => {
    const environment = { DB_PASSWORD: 'p1', API_TOKEN: 't1', DATABASE_URL: 'u1', LANG: 'C', AWS_SECRET: 's1' };
    expect(secretValues(environment)).toEqual(['p1', 't1', 'u1', 's1']);
  });
});

describe('qualifyImage', () => {
  it.each([
    ['nginx', 'docker.io/library/nginx:latest'],
    ['nginx:1.27', 'docker.io/library/nginx:1.27'],
    ['team/app', 'docker.io/team/app:latest'],
    ['localhost/app', 'localhost/app:latest'],
    ['localhost:5000/app', 'localhost:5000/app:latest'],
    ['ghcr.io/team/app:2', 'ghcr.io/team/app:2'],
    ['nginx@sha256:abc', 'docker.io/library/nginx@sha256:abc'],
    [`sha256:${'a'.repeat(64)}`, `sha256:${'a'.repeat(64)}`],
  ])('%s is %s', (short, whole) => {
    expect(qualifyImage(short)).toBe(whole);
    expect(qualifyImage(whole)).toBe(whole);
  });

  it('uses another default registry if configured', () => {
    expect(qualifyImage('app', 'registry.example')).toBe('registry.example/library/app:latest');
  });
});

describe('signals', () => {
  it('are parsed by name and by number', () => {
    for (const text of ['SIGTERM', 'term', 'sigterm', '15', ' TERM ']) expect(signalName(text)).toBe('SIGTERM');
    for (const text of ['', 'NONE', '0', '999', '-1', 'SIG']) expect(signalName(text)).toBeUndefined();
    expect(exitCodeOf('SIGKILL')).toBe(137);
  });
});

describe('utcTime', () => {
  it.each([
    ['2026-01-02T03:04:05.123456789Z', '2026-01-02T03:04:05.123456789Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000000000Z'],
    ['2026-01-02T03:04:05.5+02:00', '2026-01-02T01:04:05.500000000Z'],
    ['2026-01-02 03:04:05.5 +0200 CEST', '2026-01-02T01:04:05.500000000Z'],
    ['0001-01-01T00:00:00Z', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%s is %s', (text, time) => {
    expect(utcTime(text)).toBe(time);
  });
});

describe('lines', () => {
  it('are the same for any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.integer({ min: 1, max: 7 }), (parts, size) => {
        const lines = parts.map((part) => part.replace(/[\r\n]/g, ''));
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
        const cutter = lineCutter();
        const cut: string[] = [];
        for (let at = 0; at < bytes.length; at += size) cut.push(...cutter.push(bytes.subarray(at, at + size)));
        expect([...cut, ...cutter.rest()]).toEqual(lines);
      }),
    );
  });

  it('end at a line feed, with or without a carriage return, or at the end', async () => {
    // eslint-disable-next-line @typescript-eslint/require-await -- a stream is an asynchronous iterable
    async function* chunks(): AsyncGenerator<string> {
      yield 'one\r';
      yield '\ntwo\n\nfour';
    }
    const lines: string[] = [];
    for await (const line of linesOf(chunks())) lines.push(line);
    expect(lines).toEqual(['one', 'two', '', 'four']);
  });

  it('longer than the limit are given in parts', () => {
    const cutter = lineCutter(10);
    const cut = ['12345', '67890', 'a\n', 'short\n', 'rest'].flatMap((chunk) => cutter.push(chunk));
    expect([...cut, ...cutter.rest()]).toEqual(['1234567890', 'a', 'short', 'rest']);
  });
});
