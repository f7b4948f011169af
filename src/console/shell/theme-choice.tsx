import type { JSX } from 'preact';
import { useStore } from '../session/store.js';
import { Segments } from '../ui/segments.js';
import { theme } from '../ui/theme.js';

const themes = { system: 'System', light: 'Light', dark: 'Dark' } as const;

/** Chooses between light, dark, and what the system says. */
export function ThemeChoice(): JSX.Element {
  return <Segments label="Theme" options={themes} value={useStore(theme)} onChange={theme.set} />;
}
