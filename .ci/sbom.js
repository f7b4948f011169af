/**
 * Writes a bill of materials in the CycloneDX format: all packages of the checkout, also those that the build bundles.
 * npm does not see what is bundled in `@redocly/cli`, whose Redoc is served at `/docs`; that is added from its notices
 * and from the banners of its scripts.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const cli = 'node_modules/@redocly/cli';
const file = process.argv[2] ?? '.cache/sbom.cdx.json';

/** @returns {Map<string, [name: string, version: string]>} */
function bundledInRedocly() {
  const notices = readFileSync(`${cli}/THIRD_PARTY_NOTICES`, 'utf8');
  const noted = [...notices.matchAll(/^ {2}((?:@[\w.-]+\/)?[\w.-]+)@(\d\S*)/gm)];
  const chunks = readdirSync(`${cli}/lib/chunks`).map((name) => readFileSync(`${cli}/lib/chunks/${name}`, 'utf8'));
  const purifiers = chunks.flatMap((text) => [...text.matchAll(/@license (DOMPurify) (\d+\.\d+\.\d+)/g)]);
  const matches = [...noted, ...purifiers];
  return new Map(matches.map(([, name = '', version = '']) => [`${name}@${version}`, [name.toLowerCase(), version]]));
}

const text = execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
const bill = JSON.parse(text);
const bundled = [...bundledInRedocly().values()].map(([name, version]) => ({
  'bom-ref': `@redocly/cli|${name}@${version}`,
  type: 'library',
  name,
  version,
  purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
  properties: [{ name: 'plumbline:bundled-in', value: '@redocly/cli' }],
}));
for (const name of ['redoc', 'dompurify']) {
  if (!bundled.some((component) => component.name === name))
    throw new Error(`${cli} does not say which ${name} it has`);
}
bill.components.push(...bundled);
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, JSON.stringify(bill, null, 2));
console.log(`${file}: ${bill.components.length} components`);
