import { createStore } from '../session/store.js';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const storageKey = 'plumbline.theme';

/** The theme that is chosen in this browser. `system` follows the system's setting. */
export const theme = createStore<Theme>(themes.find((each) => each === localStorage.getItem(storageKey)) ?? 'system');

/** Applies the chosen theme to the document, now and at each change, in all tabs. */
export function startTheme(): void {
  const apply = (chosen: Theme): void => {
    if (chosen === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = chosen;
    localStorage.setItem(storageKey, chosen);
  };
  apply(theme.get());
  theme.subscribe(apply);
  addEventListener('storage', ({ key, newValue }) => {
    const chosen = themes.find((each) => each === newValue);
    if (key === storageKey && chosen !== undefined) theme.set(chosen);
  });
}
