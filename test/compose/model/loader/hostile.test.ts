import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ComposeFailure } from '../../../../src/compose/model/errors.js';
import { parseYaml } from '../../../../src/compose/model/loader/parse.js';
import { load, loadFailure, webFile } from '../project-folder.js';

/** The failure of parsing, which must come as one. */
function parseFailure(text: string): ComposeFailure {
  try {
    parseYaml(text, 'hostile.yaml');
  } catch (error) {
    if (error instanceof ComposeFailure) return error;
    throw error;
  }
  throw new Error('the text parsed, though a failure was expected');
}

describe('a hostile compose file', () => {
  it('cannot multiply itself through aliases', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level += 1) {
      const before = Array.from({ length: 10 }, () => `*a${String(level - 1)}`).join(', ');
      lines.push(`a${String(level)}: &a${String(level)} [${before}]`);
    }
    expect(parseFailure(lines.join('\n'))).toMatchObject({
      error: 'YamlError',
      case: 'limitExceeded',
      fields: { limit: 'nodes' },
    });
  });

  it('cannot multiply itself through merge keys', () => {
    const lines = ['a0: &a0 {k0: [1, 2, 3, 4, 5, 6, 7, 8, 9]}'];
    for (let level = 1; level < 25; level += 1) {
      const name = String(level);
      lines.push(
        `a${name}: &a${name} {<<: *a${String(level - 1)}, l${name}: *a${String(level - 1)}, r${name}: *a${String(level - 1)}}`,
      );
    }
    expect(parseFailure(lines.join('\n'))).toMatchObject({ case: 'limitExceeded' });
  });

  it('cannot consist of aliases, not even below an unused key', () => {
    const lines = Array.from({ length: 4 }, (_, level) => {
      const items = Array.from({ length: 9 }, () => (level === 0 ? 'z' : `*a${level - 1}`));
      return `x-a${level}: &a${level} [${items.join(', ')}]`;
    });
    expect(parseFailure(lines.join('\n'))).toMatchObject({ case: 'limitExceeded' });
  });

  it('cannot multiply a long text through aliases', () => {
    const text = `a: &a "${'x'.repeat(1_000_000)}"\nb: [${Array.from({ length: 1_000 }, () => '*a').join(', ')}]`;
    expect(parseFailure(text)).toMatchObject({ case: 'limitExceeded' });
  });

  it('cannot contain itself', () => {
    expect(parseFailure('a: &a {b: *a}')).toMatchObject({
      error: 'YamlError',
      case: 'malformed',
      location: { line: 1, column: 11 },
    });
  });

  it.each([
    ['lists', (depth: number) => `a: ${'['.repeat(depth)}`],
    ['closed lists', (depth: number) => `a: ${'['.repeat(depth)}${']'.repeat(depth)}`],
    ['mappings', (depth: number) => `a: ${'{b: '.repeat(depth)}`],
    ['block lists', (depth: number) => `a:\n  ${'- '.repeat(depth)}x`],
    ['explicit keys', (depth: number) => '? '.repeat(depth)],
  ])('cannot exhaust the stack with nested %s', (_, nested) => {
    expect(parseFailure(nested(5_000))).toBeInstanceOf(ComposeFailure);
  });

  it('cannot be longer than the limit', () => {
    expect(parseFailure(`a: "${'x'.repeat(9_000_000)}"`)).toMatchObject({
      case: 'limitExceeded',
      fields: { limit: 'characters' },
    });
  });

  it.each([
    ['a: 1\na: 2', 2],
    ['a: {b: 1, b: 2}', 1],
    ['a: {<<: {b: 1}, <<: {c: 2}}', 1],
    ['a: *nothing', 1],
    ['a: !python/object x', 1],
    ['a: !!binary aGk=', 1],
    ['1: a', 1],
    ['true: a', 1],
    ['? [a]\n: b', 1],
    ['a: "open', 1],
    ['a:\n\tb: c', 2],
    ['- a', 1],
    ['just text', 1],
  ])('%j is malformed at line %d', (text, line) => {
    expect(parseFailure(text)).toMatchObject({
      error: 'YamlError',
      case: 'malformed',
      location: { file: 'hostile.yaml', line },
    });
  });

  it.each(['scale', 'cpu_shares', 'pids_limit'])('cannot have a number in %s that loses digits', async (key) => {
    for (const number of [
      '9007199254740993',
      '1e400',
      '.inf',
      '.nan',
      `1${'0'.repeat(5_000)}`,
      '-99999999999999999999',
    ]) {
      expect(await loadFailure(webFile(`${key}: ${number}`))).toMatchObject({ case: 'invalidValue' });
    }
  });

  it('cannot hide a service behind a property of Object.prototype', async () => {
    const { project } = await load(
      'services: {__proto__: {image: p}, constructor: {image: c, depends_on: [__proto__]}, toString: {image: t, environment: {__proto__: v}}}',
    );
    expect(Object.keys(project.services).sort()).toEqual(['__proto__', 'constructor', 'toString']);
    expect(Object.getPrototypeOf(project.services)).toBe(Object.prototype);
    expect(Object.entries(project.services['toString']?.environment ?? {})).toEqual([['__proto__', 'v']]);
  });

  it('cannot exhaust the stack with a long chain of dependencies', async () => {
    const services = Array.from(
      { length: 20_000 },
      (_, index) => `  s${String(index)}: {image: i, depends_on: [s${String((index + 1) % 20_000)}]}`,
    );
    const failure = await loadFailure(`services:\n${services.join('\n')}\n`);
    expect(failure).toMatchObject({ case: 'circularDependency' });
  });

  it('cannot grow exponentially through files that include each other twice', async () => {
    const files: Record<string, string> = { 'l24.yaml': 'services: {end: {image: i}}' };
    for (let level = 0; level < 24; level += 1) {
      const next = `l${String(level + 1)}.yaml`;
      files[`l${String(level)}.yaml`] = `include: [{path: ${next}}, ${next}]`;
    }
    const { project, sources } = await load(files, { files: ['l0.yaml'] });
    expect([Object.keys(project.services), sources.length]).toEqual([['end'], 25]);
  });

  it('cannot exhaust the stack with nested expressions', async () => {
    const failure = await loadFailure(`services: {web: {image: "${'${A:-'.repeat(5_000)}${'}'.repeat(5_000)}"}}`);
    expect(failure).toMatchObject({ error: 'InterpolationError', case: 'nestedTooDeeply' });
  });

  it('cannot make the program fill its memory from a device', async () => {
    expect(await loadFailure(webFile('env_file: /dev/zero'))).toMatchObject({
      case: 'limitExceeded',
      fields: { limit: 'bytes' },
    });
  });

  it('yields documents or a ComposeFailure for any text', () => {
    const token = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '{',
      '}',
      '[',
      ']',
      '&x ',
      '*x',
      '<<',
      '!reset ',
      '"',
      "'",
      '|',
      '>',
      '#',
      '? ',
      '---\n',
      ',',
      '0440',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        try {
          parseYaml(tokens.join(''), 'random.yaml');
        } catch (error) {
          expect(error).toBeInstanceOf(ComposeFailure);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Whatever of a failure could reach a log. */
function everythingIn({ message, fields, location, stack }: ComposeFailure): string {
  return JSON.stringify([message, fields, location, stack]);
}

describe('a secret in a variable', () => {
  const SECRET = 'hunter2-s3cret';
  it.each([
    ['ports: ["$P:80:90:100"]'],
    ['ports: ["$P"]'],
    ['volumes: ["$P:$P:$P:$P"]'],
    ['devices: ["$P:b:c:d"]'],
    ['mem_limit: $P'],
    ['mem_limit: "-1$P"'],
    ['command: "echo \'$P"'],
    ['scale: $P'],
    ['restart: $P'],
    ['healthcheck: {interval: $P}'],
    ['extra_hosts: ["$P"]'],
    ['secrets: [{source: a, mode: "$P"}]'],
    ['environment: ["$P =x"]'],
    ['user: "${NOPE:?use $P}"'],
    ['user: "${P!}"'],
    ['container_name: "-$P"'],
    ['platform: "$P"\nbuild: {platforms: [other]}'],
    ['gpus: "$P"'],
    ['pull_policy: $P'],
    ['depends_on: {a: {condition: $P}}'],
  ])('appears in no part of the failure for %j', async (body) => {
    const failure = await loadFailure(webFile(body), { environment: { P: SECRET } });
    expect(everythingIn(failure)).not.toContain(SECRET);
  });

  it('appears in no failure that names a reference', async () => {
    const environment = { P: SECRET };
    const texts = [
      'services: {a: {image: i, volumes: ["$P:/x"]}}',
      'services: {a: {image: i, secrets: ["$P"]}}',
      'services: {a: {image: i, depends_on: ["$P"]}}',
      'services: {a: {extends: "$P"}}',
      'services: {a: {extends: {file: "$P", service: b}}}',
      'include: ["$P"]',
      'services: {a: {image: i, env_file: "$P"}}',
      'services: {a: {image: i, env_file: [{path: .env, format: "$P"}]}}',
      'services: {a: {image: i, tmpfs: ["/$P", "/$P:x"]}}',
      'services: {a: {image: i, network_mode: "service:$P"}}',
      'services: {a: {image: i, container_name: "$P"}, b: {image: i, container_name: "$P"}}',
    ];
    for (const text of texts) {
      const failure = await loadFailure({ 'compose.yaml': text, '.env': '' }, { environment });
      expect([text, everythingIn(failure).includes(SECRET)]).toEqual([text, false]);
    }
  });

  it('that is the source of a secret stays out of the project and its printed form', async () => {
    const loaded = await load('services: {a: {image: i, secrets: [s]}}\nsecrets: {s: {environment: P}}', {
      environment: { P: SECRET },
    });
    expect(JSON.stringify(loaded)).not.toContain(SECRET);
    expect(loaded.contents.get('secrets.s')).toBe(SECRET);
  });
});
