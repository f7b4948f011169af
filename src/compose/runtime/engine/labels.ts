/** Label filters, as `LabelFilter` describes them. */

/** All of the wanted labels with their values; an empty value asks only that the label is there. */
export function hasLabels(labels: Readonly<Record<string, string>>, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) =>
    value === '' ? Object.hasOwn(labels, name) : labels[name] === value,
  );
}

/** As the Engine API takes them: Podman refuses an empty list. */
export function engineFilters(labels: Readonly<Record<string, string>>): { label?: string[] } {
  return Object.keys(labels).length === 0 ? {} : { label: labelFilters(labels) };
}

/** As engines take them: `name=value`, or `name` alone. */
export function labelFilters(labels: Readonly<Record<string, string>>): string[] {
  return Object.entries(labels).map(([name, value]) => (value === '' ? name : `${name}=${value}`));
}
