/** A small compose file cannot make the server run out of memory. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runService, type RunningService } from './running-service.js';

let running: RunningService;
beforeAll(async () => {
  running = await runService({ limits: { services: 5000 } });
});
afterAll(() => running.stop());

const times = (count: number, write: (index: number) => string, separator = ', '): string =>
  Array.from({ length: count }, (_, index) => write(index)).join(separator);
const services = (count: number, write: (index: number) => string): string =>
  `services: { ${times(count, (index) => `s${index}: { image: app, ${write(index)} }`)} }`;
const variables = times(1000, (index) => `V${index}: x`);

describe('a file whose expansion exceeds the limit is refused before it is expanded', () => {
  test.each([
    ['ranges of ports', services(20, () => `ports: [${times(50, (index) => `"${index + 1}-65535"`)}]`)],
    ['ranges of exposed ports', services(200, () => `expose: [${times(100, (index) => `"${index + 1}-65535"`)}]`)],
    ['ranges out of variables', services(200, () => 'expose: ["${A:-1}-${B:-65535}"]')],
    ['a few ranges of ports, each of which is a mapping', services(2, () => 'ports: ["1-65535"]')],
    [
      'ranges in several documents',
      times(9, (index) => `services: { s${index}: { image: app, expose: ["1-65535"] } }`, '\n---\n'),
    ],
    [
      'a large document with many small ones, each of which is merged with it',
      [`services: { a: { image: app, environment: { ${times(20_000, (index) => `V${index}: x`)} } } }`]
        .concat(Array.from({ length: 500 }, () => 'services: { a: { image: app } }'))
        .join('\n---\n'),
    ],
    [
      'services that extend a large one',
      services(1000, (index) => (index === 0 ? `environment: { ${variables} }` : 'extends: { service: s0 }')),
    ],
    [
      'a chain of services that extend each other',
      services(2000, (index) => `environment: { V${index}: x }, extends: { service: s${index - 1} }`).replace(
        'extends: { service: s-1 }',
        '',
      ),
    ],
  ])('%s', async (_what, text) => {
    expect(text.length).toBeLessThan(1_000_000);
    expect(await running.expect(400, 'POST', '/projects/large', text)).toMatchObject({
      error: 'YamlError',
      case: 'limitExceeded',
      limit: 'nodes after expansion',
    });
  });
});

test.each([
  ['a range of ports', services(1, () => 'ports: ["20000-20100:100-200"], expose: ["1-1000"]')],
  ['services that extend another one', services(50, (index) => (index === 0 ? 'tty: true' : 'extends: s0'))],
])('%s is accepted', async (_what, text) => {
  await running.expect(201, 'POST', '/projects/small', text);
  await running.expect(204, 'DELETE', '/projects/small');
});

test('Services that extend each other in a cycle are still refused as a cycle', async () => {
  const text = 'services: { a: { extends: { service: b } }, b: { extends: { service: a } } }';
  expect(await running.expect(400, 'POST', '/projects/cycle', text)).toMatchObject({ case: 'cyclicExtends' });
});
