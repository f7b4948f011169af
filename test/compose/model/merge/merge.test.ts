import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain, settled } from '../../../../src/compose/model/node.js';
import type { Json, Node } from '../../../../src/compose/model/node.js';
import { parseYaml } from '../../../../src/compose/model/loader/parse.js';
import { composeFile } from '../../../../src/compose/model/schema/compose-file.js';
import { load } from '../project-folder.js';

function canonical(file: Json): Node {
  const [root] = parseYaml(JSON.stringify(file), 'generated.yaml');
  if (root === undefined) throw new Error('the generated file is empty');
  return composeFile.canonical(root, [], { templates: false });
}

function merged(base: Node, over: Node): Node {
  return settled(composeFile.merge(base, over, []));
}

const word = fc.constantFrom('a', 'b', 'c');
const words = fc.uniqueArray(word);
const pairs = fc.oneof(
  fc.dictionary(word, fc.oneof(word, fc.integer({ min: 0, max: 9 }), fc.constant(null))),
  fc
    .uniqueArray(fc.tuple(word, word), { selector: ([key]) => key })
    .map((entries) => entries.map((entry) => entry.join('='))),
);
const port = fc.oneof(
  fc.integer({ min: 1, max: 3 }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 }))
    .map(([host, target]) => `${String(host)}:${String(target)}`),
);
const mount = fc.tuple(fc.constantFrom('./x', './y', 'v'), word).map(([source, target]) => `${source}:/${target}`);
const webService = fc.record(
  {
    image: word,
    command: fc.oneof(words, word),
    environment: pairs,
    labels: pairs,
    sysctls: pairs,
    ports: fc.uniqueArray(port, { selector: String }),
    volumes: fc.uniqueArray(mount),
    networks: fc.oneof(words, fc.dictionary(word, fc.oneof(fc.constant(null), fc.record({ aliases: words })))),
    depends_on: fc.oneof(
      words,
      fc.dictionary(word, fc.record({ condition: fc.constantFrom('service_started', 'service_healthy') })),
    ),
    dns: fc.oneof(word, words),
    tmpfs: words,
    env_file: fc.oneof(word, words),
    cap_add: words,
    security_opt: words,
    extra_hosts: words.map((hosts) => hosts.map((host) => `${host}=1.1.1.1`)),
    ulimits: fc.dictionary(
      word,
      fc.oneof(fc.integer({ min: 0, max: 9 }), fc.record({ soft: fc.nat(9), hard: fc.nat(9) })),
    ),
    healthcheck: fc.record({ test: words.map((rest) => ['CMD', ...rest]), retries: fc.nat(9) }, { requiredKeys: [] }),
    build: fc.oneof(word, fc.record({ context: word, args: pairs, tags: words }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);
const file = fc.record({
  services: fc.record({ web: webService }),
  networks: fc.dictionary(word, fc.constant(null)),
}) as fc.Arbitrary<Json>;

describe('merging files', () => {
  it('is associative: which of three files are merged first does not matter', () => {
    fc.assert(
      fc.property(file, file, file, (first, second, third) => {
        const [a, b, c] = [canonical(first), canonical(second), canonical(third)];
        expect(plain(merged(merged(a, b), c))).toEqual(plain(merged(a, merged(b, c))));
      }),
      { numRuns: 300 },
    );
  });

  it('changes nothing when a file is merged over itself', () => {
    fc.assert(
      fc.property(file, (written) => {
        const node = canonical(written);
        expect(plain(merged(node, node))).toEqual(plain(node));
      }),
      { numRuns: 300 },
    );
  });

  it('keeps every key of both files, and prefers single values of the later one', () => {
    fc.assert(
      fc.property(file, file, (first, second) => {
        const both = JSON.parse(JSON.stringify(plain(merged(canonical(first), canonical(second))))) as {
          services: { web: Record<string, unknown> };
        };
        const [one, two] = [first, second].map(
          (each) => (each as { services: { web: Record<string, unknown> } }).services.web,
        );
        expect(new Set(Object.keys(both.services.web))).toEqual(
          new Set([...Object.keys(one ?? {}), ...Object.keys(two ?? {})]),
        );
        expect(both.services.web['image']).toBe(two?.['image'] ?? one?.['image']);
      }),
    );
  });

  it.each([
    [
      'ports: ["80:80", "81:81"]',
      'ports: ["80:80/tcp", "82:82"]',
      { ports: [{ target: 80 }, { target: 81 }, { target: 82 }] },
    ],
    ['volumes: ["/a:/x"]', 'volumes: ["/b:/x"]', { volumes: [{ source: '/b', target: '/x' }] }],
    ['command: [a, b]', 'command: c', { command: ['c'] }],
    ['entrypoint: [a]', 'entrypoint: []', { entrypoint: [] }],
    [
      'healthcheck: {test: [CMD, a], retries: 1}',
      'healthcheck: {test: [CMD, b]}',
      { healthcheck: { test: ['CMD', 'b'], retries: 1 } },
    ],
    ['environment: [A=1, B=1]', 'environment: {B: 2}', { environment: { A: '1', B: '2' } }],
    ['logging: {driver: a, options: {x: "1"}}', 'logging: {driver: b}', { logging: { driver: 'b' } }],
    [
      'logging: {driver: a, options: {x: "1"}}',
      'logging: {options: {y: "2"}}',
      { logging: { driver: 'a', options: { x: '1', y: '2' } } },
    ],
    ['dns: [a]', 'dns: b', { dns: ['a', 'b'] }],
    ['image: base', 'image:', undefined],
  ])('%s, then %s', async (base, over, expected) => {
    const files = {
      'a.yaml': `services:\n  web:\n    image: i\n    ${base}`.replace('image: i\n    image', 'image'),
      'b.yaml': `services:\n  web:\n    ${over}\n`,
    };
    const loading = load(files, { files: ['a.yaml', 'b.yaml'] });
    if (expected === undefined) await expect(loading).rejects.toMatchObject({ case: 'invalidValue' });
    else expect((await loading).project.services['web']).toMatchObject(expected);
  });

  it('refuses to merge a list over a mapping, with the place of the list', async () => {
    const files = { 'a.yaml': 'x-a: {b: 1}\nservices: {w: {image: i}}', 'b.yaml': 'x-a: [1]' };
    await expect(load(files, { files: ['a.yaml', 'b.yaml'] })).rejects.toMatchObject({
      case: 'cannotMerge',
      location: { line: 1 },
    });
  });
});

describe('!reset and !override', () => {
  const base =
    'services:\n  web: {image: i, ports: ["1:1"], environment: {A: 1, B: 2}, command: [x]}\n  db: {image: d}\n';
  const web = async (over: string): Promise<unknown> => {
    const { project } = await load({ 'a.yaml': base, 'b.yaml': over }, { files: ['a.yaml', 'b.yaml'] });
    return project.services['web'];
  };

  it.each(['!reset null', '!reset []', '!reset'])('ports: %s removes the ports of the earlier file', async (value) => {
    expect(await web(`services: {web: {ports: ${value} }}`)).not.toHaveProperty('ports');
  });

  it('!reset removes a single variable', async () => {
    expect(await web('services: {web: {environment: {A: !reset null}}}')).toMatchObject({ environment: { B: '2' } });
  });

  it('!override replaces instead of appending', async () => {
    expect(await web('services: {web: {ports: !override ["2:2"]}}')).toMatchObject({ ports: [{ target: 2 }] });
  });

  it('!reset removes a whole service', async () => {
    const { project } = await load(
      { 'a.yaml': base, 'b.yaml': 'services: {db: !reset null}' },
      { files: ['a.yaml', 'b.yaml'] },
    );
    expect(Object.keys(project.services)).toEqual(['web']);
  });

  it('!reset has no effect in the first file', async () => {
    const { project } = await load('services: {web: {image: i, ports: !reset ["1:1"], command: !override [a]}}');
    expect(project.services['web']).toMatchObject({ command: ['a'] });
    expect(project.services['web']).not.toHaveProperty('ports');
  });
});
