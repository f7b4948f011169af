import { createRequire } from 'node:module';
import type * as Bcrypt from '@node-rs/bcrypt';
import type Libsql from 'libsql';

const require = createRequire(import.meta.url);

/** The packages that need a build, and what they export. */
interface NativePackages {
  readonly '@node-rs/bcrypt': typeof Bcrypt;
  readonly libsql: typeof Libsql;
}

/**
 * Loads a package that is compiled for each platform. npm installs its builds as optional dependencies, so that one can be
 * missing although the package is installed.
 *
 * It is not an `import`: on Node 20 the failure of a CommonJS module below an imported module ends the process with a
 * stack, even if the import is in a `try` (seen with 20.20).
 *
 * @throws Error for operators, in one line, if no build can be loaded
 */
export function loadNative<Name extends keyof NativePackages>(name: Name): NativePackages[Name] {
  try {
    return require(name) as NativePackages[Name]; // what the types of the package say
  } catch (error) {
    throw new Error(
      `The package ${name} has no build for ${process.platform} on ${process.arch} here: optional dependencies were ` +
        'omitted, or the platform is not supported. Install Plumbline again with: npm install --include=optional',
      { cause: error },
    );
  }
}
