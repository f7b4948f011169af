/** Label filters. See `LabelFilter`. */

/** Whether all wanted labels are present with their values. An empty value only requires the label. */
export function hasLabels(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) =>
    value === '' ? Object.hasOwn(labels, name) : labels[name] === value,
  );
}

/** In the form of the Engine API. Podman rejects an empty list. */
export function engineFilters(labels: Readonly<Record<string, string>>): { label?: string[] } {
  return Object.keys(labels).length === 0 ? {} : { label: labelFilters(labels) };
}

/** In the form that engines take: `name=value`, or `name` alone. */
export function labelFilters(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([name, value]) => (value === '' ? name : `${name}=${value}`));
}
