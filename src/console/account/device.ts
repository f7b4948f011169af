/** Order matters: most browsers name others before themselves. */
const browsers = [
  ['Edge', /Edg\//],
  ['Firefox', /Firefox\//],
  ['Chrome', /Chrom(e|ium)\//],
  ['Safari', /Safari\//],
] as const;

const systems = [
  ['Android', /Android/],
  ['iOS', /iPhone|iPad/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux|X11/],
] as const;

/** What a `User-Agent` says of browser and system: `Firefox on Linux`. Programs are called by their first word. */
export function deviceOf(userAgent: string | null): string {
  if (userAgent === null) return 'Unknown';
  const [browser] = browsers.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  const [system] = systems.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  if (browser === undefined) return userAgent.split(/[\s/]/)[0] ?? userAgent;
  return system === undefined ? browser : `${browser} on ${system}`;
}
