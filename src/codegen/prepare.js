/**
 * npm runs this after an installation in a checkout. It builds, unless the packages that build are missing, as after
 * `npm ci --omit=dev`. Plain JavaScript, because nothing is there yet that could run TypeScript.
 */
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const canBuild = ['tsx', 'esbuild', 'typescript'].every((name) => existsSync(`node_modules/${name}/package.json`));
if (canBuild) execSync('npm run build', { stdio: 'inherit' });
else if (!existsSync('dist/src/cli/main.js')) {
  console.error('Not built: development packages are missing. Run `npm ci`, then `npm prune --omit=dev`.');
}
