const number = new Intl.NumberFormat();

/** How many there are: `1 repository`, `12,030 records`. */
export function count(amount: number, singular: string, plural: string): string {
  return `${number.format(amount)} ${amount === 1 ? singular : plural}`;
}
