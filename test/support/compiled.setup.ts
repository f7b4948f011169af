import { compileSchemas } from '../../src/codegen/emit/compile-schemas.js';

/** One test file can be run after a change of the contracts without a build. */
export default async function setup(): Promise<void> {
  await compileSchemas();
}
