/**
 * npm runs this after an installation in a checkout. It builds, unless build dependencies are missing, as after
 * `npm ci --omit=dev`. It is plain JavaScript, because at this point nothing can run TypeScript.
 */
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const command = 'dist/src/cli/main.cjs';

// `npx plumbline` in a checkout links it into npm's cache, and runs this script again. It must not build a second time:
// that takes 10 s, and removes files that a running server may still load.
const isLinkedByNpx = process.env.npm_command === 'exec' && existsSync(command);

const canBuild = ['tsx', 'esbuild', 'typescript-7'].every((name) => existsSync(`node_modules/${name}/package.json`));
if (isLinkedByNpx) process.exit();
const build = 'node --conditions=@plumbline/source --import tsx src/codegen/build/build.ts --with-sdk';
if (canBuild) execSync(build, { stdio: 'inherit' });
else if (!existsSync(command)) {
  console.error('Not built: development packages are missing. Run `npm ci`, then `npm prune --omit=dev`.');
}
