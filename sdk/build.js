/**
 * `npm run build -w sdk [-- <folder>]`: builds the package into `dist/`, or into `<folder>/dist`.
 *
 * Every module stays a separate file in both module systems: entry points then share the classes that callers test with
 * `instanceof`, and bundlers can remove unused modules. The declarations are identical for both; the package.json beside
 * them tells TypeScript and Node the module system.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(resolve(process.argv[2] ?? root), 'dist');
const formats = /** @type {const} */ ({ esm: 'module', cjs: 'commonjs' });

rmSync(dist, { recursive: true, force: true });
emitDeclarations(join(dist, 'esm'));
cpSync(join(dist, 'esm'), join(dist, 'cjs'), { recursive: true });
for (const format of /** @type {const} */ (['esm', 'cjs'])) {
  transpile(format);
  const marker = { type: formats[format], sideEffects: false };
  writeFileSync(join(dist, format, 'package.json'), `${JSON.stringify(marker)}\n`);
}

/** @param {string} outDir */
function emitDeclarations(outDir) {
  const manifest = createRequire(import.meta.url).resolve('typescript-7/package.json');
  const compiler = join(dirname(manifest), 'bin/tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.json'), '--outDir', outDir], {
    stdio: 'inherit',
  });
}

/** @param {'esm' | 'cjs'} format */
function transpile(format) {
  const source = join(root, 'src');
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    const target = join(dist, format, file.replace(/\.ts$/, '.js'));
    // Passed as text without a path: in a package of type "module", esbuild would treat `default` of a required
    // CommonJS module as all of its exports.
    const { code, map } = transformSync(readFileSync(join(source, file), 'utf8'), {
      loader: 'ts',
      sourcemap: 'external',
      sourcefile: file,
      format,
      target: 'es2022',
      charset: 'utf8',
    });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}//# sourceMappingURL=${basename(target)}.map\n`);
    writeFileSync(`${target}.map`, map);
  }
}
