/** A key that no decision is about is refused wherever it stands, also when the model knows it. */
import { describe, expect, it } from 'vitest';
import { parseYaml } from '../../../../src/compose/model/loader/parse.js';
import { allowanceNames, isAllowance } from '../../../../src/compose/service/trust/allowances.js';
import { requireAllowed } from '../../../../src/compose/service/trust/trust.js';

const everything = new Set(allowanceNames.filter(isAllowance));

function check(text: string): void {
  for (const model of parseYaml(text, 'compose.yaml')) {
    requireAllowed(model, { allowances: everything, directory: '/nowhere' });
  }
}

describe('a key of a later specification is refused', () => {
  it.each([
    ['brand_new', 'brand_new: { device: /etc }'],
    ['services.web.brand_new', 'services: { web: { brand_new: /etc } }'],
    ['services.web.brand_new', 'services: { web: { brand_new: } }'],
    ['services.web.healthcheck.brand_new', 'services: { web: { healthcheck: { brand_new: 1 } } }'],
    ['services.web.attach.brand_new', 'services: { web: { attach: { brand_new: 1 } } }'],
    ['services.web.command[0].brand_new', 'services: { web: { command: [{ brand_new: 1 }] } }'],
    ['services.web.volumes[0].brand_new', 'services: { web: { volumes: [{ type: volume, brand_new: 1 }] } }'],
    ['services.web.volumes[0].volume.brand_new', 'services: { web: { volumes: [{ volume: { brand_new: 1 } }] } }'],
    ['services.web.networks.n.brand_new', 'services: { web: { networks: { n: { brand_new: 1 } } } }'],
    ['services.web.ports[0].brand_new', 'services: { web: { ports: [{ target: 80, brand_new: 1 }] } }'],
    ['services.web.build.brand_new', 'services: { web: { build: { brand_new: 1 } } }'],
    [
      'services.web.deploy.resources.limits.brand_new',
      'services: { web: { deploy: { resources: { limits: { brand_new: 1 } } } } }',
    ],
    ['services.web.post_start[0].brand_new', 'services: { web: { post_start: [{ command: id, brand_new: 1 }] } }'],
    ['networks.n.brand_new', 'networks: { n: { brand_new: 1 } }'],
    ['networks.n.ipam.brand_new', 'networks: { n: { ipam: { brand_new: 1 } } }'],
    ['volumes.v.brand_new', 'volumes: { v: { brand_new: 1 } }'],
    ['secrets.s.brand_new', 'secrets: { s: { brand_new: 1 } }'],
    ['configs.c.brand_new', 'configs: { c: { brand_new: 1 } }'],
    ['models.m.brand_new', 'models: { m: { brand_new: 1 } }'],
  ])('%s', (place, text) => {
    expect(() => {
      check(text);
    }).toThrow(`${place} is refused: this server does not know the key`);
  });
});

it('no unknown key is reported if all keys are decided', () => {
  check('services: { web: { image: app, environment: { a: b }, x-any: { brand_new: 1 } } }');
});
