/** The version of this package; equal to that in its package.json. */
export const sdkVersion = '0.2.0';
