/** Builds as files of `docker buildx bake`. */
import { describe, expect, it } from 'vitest';
import { bakeTarget } from '../../../../src/compose/runtime/bridge/build/bake.js';
import type { BuildSpec } from '../../../../src/compose/runtime/spec.js';

const target = (more: Partial<BuildSpec>): Readonly<Record<string, unknown>> => ({
  ...bakeTarget({ context: '/app', tags: [], ...more }),
});

describe('a target of bake', () => {
  it.each([
    ['${HOME}', '$${HOME}'],
    ['$${HOME}', '$$${HOME}'],
    ['%{ if true }', '%%{ if true }'],
    ['$HOME 5% {}', '$HOME 5% {}'],
  ])('has no templates: %s is written %s', (text, written) => {
    expect(target({ buildArguments: { A: text }, labels: { '${a}': text }, dockerfileInline: text })).toMatchObject({
      args: { A: written },
      labels: { '${a}': written },
      'dockerfile-inline': written,
    });
  });

  it('has the names of secrets, not their values', () => {
    const secrets = [
      { id: 'a', path: '/files/a, b "c"' },
      { id: 'b', value: 'hidden', variable: 'TOKEN' },
    ];
    expect(target({ secrets })).toMatchObject({
      secret: ['id=a,type=file,"src=/files/a, b ""c"""', 'id=b,type=env,env=TOKEN'],
    });
    expect(JSON.stringify(target({ secrets }))).not.toContain('hidden');
  });

  it.each<[string, Partial<BuildSpec>, object]>([
    ['a push', { push: true }, { output: ['type=registry'] }],
    [
      'several platforms',
      { platforms: ['a/b', 'c/d'] },
      { output: ['type=image,push=false'], platforms: ['a/b', 'c/d'] },
    ],
    ['a check', { check: true }, { call: 'lint' }],
    [
      'privileged',
      { privileged: true, entitlements: ['network.host'] },
      { entitlements: ['network.host', 'security.insecure'] },
    ],
    ['attestations', { provenance: 'mode=max', sbom: 'true' }, { attest: ['type=provenance,mode=max', 'type=sbom'] }],
    ['no attestation', { provenance: 'false' }, { attest: ['type=provenance,disabled=true'] }],
    [
      'limits and hosts',
      {
        ulimits: { nofile: { soft: 1, hard: 2 }, nproc: { soft: 3, hard: 3 } },
        shmSizeBytes: 1024,
        extraHosts: [
          { host: 'a', address: '10.0.0.1' },
          { host: 'a', address: '10.0.0.2' },
        ],
      },
      { ulimits: ['nofile=1:2', 'nproc=3'], 'shm-size': '1024', 'extra-hosts': { a: '10.0.0.1,10.0.0.2' } },
    ],
  ])('carries %s', (_what, more, expected) => {
    expect(target(more)).toMatchObject(expected);
  });

  it('leaves out what is not asked for', () => {
    expect(target({})).toEqual({ context: '/app', output: ['type=docker'] });
  });
});
