import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { precompress } from './precompress.js';

const require = createRequire(import.meta.url);
const cli = dirname(require.resolve('@redocly/cli/package.json'));

/** Pictures that Redoc would load from its makers' servers. It omits a picture that cannot be read. */
const logos = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(?:-full)?\.svg/g;

/** What separates Redoc from the script that starts it with the contract. */
const endOfRedoc = 'export{RedocStandalone,hydrate,init};';

/**
 * Builds the references of the APIs by `redocly build-docs`: below `<folder>/<api>` a page with the whole text and the
 * script that brings it to life, and in `<folder>` the scripts that all pages share.
 *
 * @throws Error when the command fails, or writes another kind of page than expected
 */
export async function buildReferences(apis: readonly string[], folder: string): Promise<void> {
  const references = await Promise.all(apis.map(async (api) => ({ api, ...(await referenceOf(api, folder)) })));
  const files = references.flatMap(({ api, page, start, shared }) => [
    ...Object.entries(shared),
    [`${api}/index.html`, page] as const,
    [`${api}/start.js`, start] as const,
  ]);
  for (const [name, text] of new Map(files)) {
    const file = join(folder, name);
    await writeFile(file, text);
    await precompress(file);
  }
  await writeFile(join(folder, 'redoc.LICENSE'), await readFile(join(cli, 'THIRD_PARTY_NOTICES')));
}

interface Reference {
  readonly page: string;
  readonly start: string;
  /** By the name of the file. */
  readonly shared: Readonly<Record<'colors.js' | 'redoc.js', string>>;
}

async function referenceOf(api: string, folder: string): Promise<Reference> {
  await mkdir(join(folder, api), { recursive: true });
  const file = join(folder, api, 'redocly.html');
  const command = ['build-docs', `generated/${api}/openapi.json`, '--inlineBundle', '--output', file];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  await promisify(execFile)(process.execPath, [join(cli, 'bin/cli.js'), ...command], { env });
  const page = await readFile(file, 'utf8');
  await rm(file);
  return withoutInlineScripts(page);
}

/**
 * Replaces the inline scripts of a page, which its security policy forbids, by files: the script that chooses the
 * colors, and a module that consists of Redoc and its start.
 */
function withoutInlineScripts(page: string): Reference {
  const [colors, module, ...others] = [...page.matchAll(/<script[^>]*>([^]*?)<\/script>/g)];
  const end = module?.[1]?.indexOf(endOfRedoc) ?? -1;
  if (colors?.[1] === undefined || module?.[1] === undefined || others.length > 0 || end === -1)
    throw new Error('redocly build-docs has written a page with other scripts than those that are known');
  const start = end + endOfRedoc.length;
  return {
    page: page
      .replace(module[0], '<script type="module" src="/docs/start.js"></script>')
      .replace(colors[0], '<script src="/docs/colors.js"></script>'),
    start: `import { hydrate } from './redoc.js';\n${module[1].slice(start)}`,
    shared: { 'colors.js': colors[1], 'redoc.js': module[1].slice(0, start).replaceAll(logos, 'data:,') },
  };
}
