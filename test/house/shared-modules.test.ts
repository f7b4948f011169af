import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** The lines of a formatted module that register a hook when the module is loaded. */
const hooksIn = (text: string): string[] => text.match(/^(?:if \(.*\) )?(?:before|after)(?:All|Each)\(.*/gm) ?? [];

test('A module that test files share registers no hook when it is loaded', async () => {
  expect(hooksIn('afterEach(close);')).toEqual(['afterEach(close);']);
  expect(hooksIn('if (server) afterAll(stop);')).toHaveLength(1);
  expect(hooksIn('export function shared() {\n  afterAll(stop);\n}')).toEqual([]);

  const files = await readdir('test', { recursive: true });
  // vitest runs a setup file again for each test file.
  const shared = files.filter((file) => /(?<!\.test|\.setup)\.ts$/.test(file));
  expect(shared.length).toBeGreaterThan(100);
  // The module is loaded once in a process, so its hooks would belong to the first file that loads it alone.
  const faults = await Promise.all(
    shared.map(async (file) => hooksIn(await readFile(`test/${file}`, 'utf8')).map((line) => `${file}: ${line}`)),
  );
  expect(faults.flat()).toEqual([]);
});
