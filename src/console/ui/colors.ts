/**
 * A design token as a colour that a canvas can use, in the theme of this moment: `rgb(30, 98, 151)`.
 *
 * @param token its name, such as `--series-1`
 */
export function colorOf(token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  probe.hidden = true;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
