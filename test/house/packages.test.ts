import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { faultsOf, modulesOf, readPackages } from './packages.js';

const packages = readPackages();

test.each(packages.map((each) => [each.name, each] as const))(
  'The modules of %s import only what its manifest names, and only what other packages export',
  (_, each) => {
    const modules = modulesOf(each);
    expect(modules.length).toBeGreaterThan(20);
    expect(modules.flatMap((file) => faultsOf(file, readFileSync(file, 'utf8'), packages))).toEqual([]);
  },
);

test.each([
  [
    'a path into another package',
    'src/contract/planted.ts',
    '../compose/cli/start.js',
    'outside of @plumbline/contract',
  ],
  ['a path into the product', 'src/compose/planted.ts', '../database/sql.js', 'outside of @plumbline/compose'],
  ['a path from the product', 'src/platform/planted.ts', '../contract/pipeline.js', 'outside of plumbline'],
  ['a path from the console', 'src/console/ui/planted.ts', '../../contract/pages.js', 'outside of @plumbline/console'],
  ['a path to the console', 'src/contract/planted.ts', '../console/session/store.js', 'outside of @plumbline/contract'],
  ['a path to the tests', 'src/console/ui/planted.ts', '../../../test/support/clock.js', 'outside of'],
  ['generated files of the server', 'src/console/ui/planted.ts', '../../../generated/problems.js', 'outside of'],
  ['files generated for another API', 'src/compose/planted.ts', '../../generated/platform/routes.js', 'outside of'],
  ['a package that is not named', 'src/contract-tools/planted.ts', '@plumbline/contract/pipeline', 'does not name'],
  ['a library of another package', 'src/contract/planted.ts', 'postgres', 'does not name'],
  ['a module that is not exported', 'src/cli/planted.ts', '@plumbline/compose/orchestrator/up', 'does not export'],
])('%s is a fault', (_, file, specifier, fault) => {
  for (const text of [
    `import { x } from '${specifier}';`,
    `import type { X } from '${specifier}';`,
    `export const x = () => import('${specifier}');`,
  ]) {
    expect(faultsOf(file, text, packages)).toEqual([expect.stringContaining(fault)]);
  }
});
