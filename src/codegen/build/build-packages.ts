/** Builds the packages of `src/`, each into a folder that becomes its `dist/`. */
import { cp } from 'node:fs/promises';
import { build } from 'esbuild';
import { buildConsole } from './build-console.js';
import { common, copyData, declare, filesBelow, modulesBelow, requireBanner } from './build-files.js';
import { buildReferences } from './build-reference.js';
import { bundleCompose } from './bundle-compose.js';

export interface PackageBuild {
  readonly build: (outdir: string) => Promise<void>;
  /** The modules whose declarations are published. */
  readonly declared: () => Promise<string[]>;
}

const tracer = 'src/contract/system/open-telemetry.ts';

/** The contract runtime. Its tracer is bundled with OpenTelemetry's SDK: 0.3 MB instead of 13 packages of 27 MB. */
const contract: PackageBuild = {
  async build(outdir) {
    const modules = [...(await modulesBelow('src/contract')), ...(await modulesBelow('generated/contract'))];
    await Promise.all([
      build({ ...common, outdir, entryPoints: modules.filter((module) => module !== tracer) }),
      build({
        ...common,
        outdir,
        entryPoints: [tracer],
        bundle: true,
        minify: true,
        sourcemap: false,
        banner: requireBanner,
      }),
    ]);
    await cp('node_modules/@opentelemetry/api/LICENSE', `${outdir}/src/contract/system/opentelemetry.LICENSE`);
  },
  declared: () => modulesBelow('src/contract'),
};

const contractTools: PackageBuild = {
  async build(outdir) {
    await build({ ...common, outdir, entryPoints: await modulesBelow('src/contract-tools') });
  },
  declared: () => Promise.resolve(['src/contract-tools/gate/in-process.ts', 'src/contract-tools/commands.ts']),
};

/** The compose tool, with the pages that it serves. */
const compose: PackageBuild = {
  async build(outdir) {
    await Promise.all([
      bundleCompose({ ...common, outdir }),
      copyData(await filesBelow('generated/compose'), outdir),
      buildReferences(['compose'], `${outdir}/docs`),
      buildConsole(`${outdir}/console`),
    ]);
  },
  declared: () => Promise.resolve([]),
};

/** The generator, without what builds and lints this repository. */
const codegen: PackageBuild = {
  async build(outdir) {
    const modules = await modulesBelow('src/codegen');
    const entryPoints = modules.filter((module) => !/^src\/codegen\/(?:build|lint)\/|\/start\.js$/.test(module));
    await build({ ...common, outdir, entryPoints });
  },
  declared: () => Promise.resolve([]),
};

export const packages = { contract, 'contract-tools': contractTools, compose, codegen } as const;

/** Writes the declarations of a package that has some. */
export async function declarePackage(name: keyof typeof packages, outdir: string): Promise<void> {
  const modules = await packages[name].declared();
  if (modules.length > 0) await declare(modules, outdir);
}
